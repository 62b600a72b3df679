// irn bench: how fast this machine settles and trains networks, and what share of its limit that is. Takes a
// minute and compares with no other library (bench/compare does). Networks are first trained on the paper's
// task: an untrained network is harmless.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/counted.h"
#include "apps/irn/device_setting.h"
#include "apps/irn/settings.h"
#include "apps/irn/terminal.h"
#include "bench/limits.h"
#include "bench/machine.h"
#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/version.h"
#include "irn/data/oscillator.h"
#include "irn/engine/cuda/load_module.h"
#include "irn/engine/cuda/replica_task.h"
#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  Settings settings;
  Words sizes = {"5", "20", "64", "256"};
  std::vector<std::size_t> hidden;  // the same as numbers
  std::string device = "cpu";
  std::size_t threads = 0;
  double seconds = 2;  // for each figure
  bool json = false, quiet = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Timing {
  double median = 0, low = 0, high = 0;  // seconds a run: median and quartiles
};

template <class Work>
Timing time_runs(double seconds, const Work& work) {
  std::vector<double> runs;
  work();  // warms up
  for (const double start = now(); runs.size() < 5 || (now() - start < seconds && runs.size() < 10'000);) {
    const double before = now();
    work();
    runs.push_back(now() - before);
  }
  std::sort(runs.begin(), runs.end());
  const auto at = [&](double share) { return runs[std::size_t(share * double(runs.size() - 1))]; };
  return {.median = at(0.5), .low = at(0.25), .high = at(0.75)};
}

// Some cores, or a device.
struct Machine {
  double multiply_adds, bytes;
  double shortest(const bench::Work& work) const {
    return std::max(work.operations() / multiply_adds, work.bytes / bytes);
  }
};

Machine measured(Device device, std::size_t threads) {
  if (device == Device::cpu) return {bench::multiply_adds_a_second(threads), bench::bytes_a_second(threads)};
  const cuda::DeviceLimits limits = cuda::loaded_module().module->limits(device.number);
  return {limits.multiply_adds, limits.bytes};
}

struct Row {
  std::string job, network;
  std::size_t threads = 1, batch = 0;
  Timing timing;  // of one item
  double settled = 0, evaluations = 0, of_limit = 0, error = std::nan("");
};

// Small steps of six samples, as in the paper, up to 32 hidden neurons; wider batches and smaller steps
// beyond. Enough steps that the network has learnt something, few enough that all networks together take some
// ten seconds.
struct Recipe {
  std::size_t batch, steps;
  double rate;
  Start start;
};
Recipe recipe(std::size_t hidden) {
  if (hidden <= 32) return {.batch = 6, .steps = 20'000, .rate = 0.01, .start = Start::paper};
  const double work = double(hidden) * double(hidden);
  return {.batch = 256,
          .steps = std::clamp<std::size_t>(std::size_t(4e6 / work), 20, 400),
          .rate = 0.024 / std::sqrt(double(hidden)),
          .start = Start::scaled};
}

constexpr std::uint64_t training_samples = 3'200'000;

std::vector<std::uint64_t> from(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), first);
  return index;
}

NetworkOf<float> train(std::size_t hidden, ThreadPool& threads) {
  const Recipe r = recipe(hidden);
  NetworkOf<float> network(from_text<Architecture>(fmt::format("100-{}-2", hidden)), r.start, 1);
  Trainer<float> trainer(network, {.optimiser = Adam{.rate = r.rate}}, threads);
  const Oscillator<float> samples({.seed = 1, .count = training_samples});
  for (std::size_t k = 0; k < r.steps && !stop_requested; ++k)
    trainer.step(samples, from(k * r.batch % (training_samples - r.batch), r.batch));
  return network;
}

Row settle_row(const NetworkOf<float>& network, const Arguments& arguments, ThreadPool& threads,
               const Machine& machine) {
  const Architecture& a = network.architecture();
  const std::size_t n = a.neurons();
  const std::size_t count = std::clamp<std::size_t>((std::size_t{1} << 24) / (n * n), 512, 65'536);
  const Oscillator<float> samples({.seed = 1, .first = training_samples, .count = count});
  Settler<float> settler(network, {.device = device_of(arguments.device)}, threads);
  Equilibria<float> out;
  const std::vector<std::uint64_t> index = from(0, count);
  const Timing run = time_runs(arguments.seconds, [&] { settler.settle(samples, index, out); });
  const Evaluation test = evaluate(settler, samples);
  const bench::Work work = bench::settle_work<float>(a, settler.solver(), test.summary.mean_evaluations);
  const double items = double(count);
  return {.job = "settle",
          .network = to_text(a),
          .threads = threads.size(),
          .batch = count,
          .timing = {run.median / items, run.low / items, run.high / items},
          .settled = test.summary.settled_share(),
          .evaluations = test.summary.mean_evaluations,
          .of_limit = machine.shortest(work) * items / run.median,
          .error = test.loss};
}

// The same on a CUDA device that draws its samples itself, as `irn reproduce` tests networks there: only sums
// are copied back.
Row drawn_row(const NetworkOf<float>& network, const Arguments& arguments, const Machine& machine) {
  const Architecture& a = network.architecture();
  constexpr std::uint64_t count = cuda::most_replica_tests;
  constexpr std::size_t most_runs = 10'001;
  const auto replicas = cuda::make_replicas(
      device_of(arguments.device),
      {.task = cuda::task_of(
           {.train_samples = training_samples, .test_samples = count, .hidden = a.neurons() - a.outputs()}),
       .numbers = {.states = {{}}, .weights = cuda::replica_weights(network)},
       .tests = most_runs});
  const Timing run = time_runs(arguments.seconds, [&] { replicas->test(0), replicas->wait(); });
  const cuda::TestSums sums = replicas->tests().back();
  const double items = double(count), settled = double(sums.outcomes[0]),
               evaluations = double(sums.evaluations) / items;
  const bench::Work work = bench::settle_work<float>(a, solver_for(Auto{}, a.neurons()), evaluations);
  return {.job = "settle, drawn",
          .network = to_text(a),
          .threads = 1,
          .batch = count,
          .timing = {run.median / items, run.low / items, run.high / items},
          .settled = settled / items,
          .evaluations = evaluations,
          .of_limit = work.operations() / machine.multiply_adds * items / run.median,
          .error = sums.squared_errors() / (2 * settled)};
}

// The rate is so small that the network does not change.
Row step_row(NetworkOf<float> network, std::size_t hidden, const Arguments& arguments, ThreadPool& threads,
             const Machine& machine) {
  const Architecture a = network.architecture();
  const std::size_t batch = recipe(hidden).batch;
  TrainOptions options{.optimiser = Adam{.rate = 1e-9}};
  options.gradient.settle.device = device_of(arguments.device);
  Trainer<float> trainer(network, options, threads);
  const Oscillator<float> samples({.seed = 1, .first = training_samples, .count = 1 << 20});
  double settled = 0, evaluations = 0, products = 0, steps = 0;
  std::uint64_t first = 0;
  const std::size_t repeats = batch < 32 ? 100 : 1;  // a run takes far longer than a tick of the clock
  const Timing run = time_runs(arguments.seconds, [&] {
    for (std::size_t k = 0; k < repeats; ++k, first = (first + batch) % (samples.size() - batch)) {
      const StepReport report = trainer.step(samples, from(first, batch));
      settled += double(report.settled) / double(batch), steps += 1;
      evaluations += report.mean_evaluations, products += report.mean_products;
    }
  });
  const Settler<float> settler(network, {}, threads);
  const bench::Work work = bench::training_work<float>(a, settler.solver(), ExactGradient{}, double(batch),
                                                       evaluations / steps, products / steps);
  const double items = double(repeats);
  return {.job = "training step",
          .network = to_text(a),
          .threads = threads.size(),
          .batch = batch,
          .timing = {run.median / items, run.low / items, run.high / items},
          .settled = settled / steps,
          .evaluations = evaluations / steps,
          .of_limit = work.operations() / machine.multiply_adds * items / run.median};
}

std::string rate_text(double rate) {
  if (rate >= 1e6) return fmt::format("{:.3g} M/s", rate / 1e6);
  if (rate >= 1e3) return fmt::format("{:.3g} k/s", rate / 1e3);
  return fmt::format("{:.3g} /s", rate);
}

constexpr std::string_view layout = "{:<14} {:<11} {:>7} {:>6}  {:>10}  {:>21}  {:>9}  {:>11}  {:>12}\n";

std::string line(const Row& r) {
  return fmt::format(layout, r.job, r.network, r.threads, r.batch, rate_text(1 / r.timing.median),
                     rate_text(1 / r.timing.high) + " to " + rate_text(1 / r.timing.low),
                     fmt::format("{:.5g} %", 100 * r.settled), fmt::format("{:.1f}", r.evaluations),
                     fmt::format("{:.2f}", r.of_limit));
}

Json to_json(const Row& r) {
  Json json = {{"job", r.job},
               {"network", r.network},
               {"threads", r.threads},
               {"batch", r.batch},
               {"rate", 1 / r.timing.median},
               {"rate_quartiles", {1 / r.timing.high, 1 / r.timing.low}},
               {"settled", r.settled},
               {"mean_evaluations", r.evaluations},
               {"of_limit", r.of_limit}};
  if (std::isfinite(r.error)) json["test_error"] = r.error;
  return json;
}

void say(const Arguments& arguments, const std::string& text) {
  if (!arguments.quiet) std::cerr << faint(text) << "\n";
}

void check(Arguments& arguments) {
  if (!(arguments.seconds > 0 && arguments.seconds <= 600))
    throw Error("--seconds must lie above 0 and not above 600");
  for (const std::string& size : arguments.sizes) {
    std::size_t hidden = 0;
    if (!read_value(size, hidden) || hidden == 0 || hidden > 4096)
      throw Error("--hidden: \"" + size + "\" is no whole number between 1 and 4096");
    arguments.hidden.push_back(hidden);
  }
}

int run(Arguments& arguments) {
  arguments.settings.resolve();
  const Device device = device_of(arguments.device);  // refused before anything is measured
  check(arguments);
  ThreadPool all(arguments.threads), one(1);
  say(arguments, "irn: measuring the machine");
  const Machine of_all = measured(device, all.size()), of_one = measured(device, 1);
  std::vector<Row> rows;
  for (std::size_t hidden : arguments.hidden) {
    // For six samples a second thread is not worth it.
    const bool small = recipe(hidden).batch < 32;
    say(arguments, fmt::format("irn: training and timing 100-{}-2", hidden));
    const NetworkOf<float> network = train(hidden, small ? one : all);
    if (stop_requested) return interrupted;
    rows.push_back(settle_row(network, arguments, all, of_all));
    if (device != Device::cpu && cuda::has_replicas(hidden, recipe(hidden).batch))
      rows.push_back(drawn_row(network, arguments, of_all));
    rows.push_back(step_row(network, hidden, arguments, small ? one : all, small ? of_one : of_all));
    if (stop_requested) return interrupted;
  }
  if (arguments.json) {
    Json json = {{"irn", IRN_VERSION}, {"threads", all.size()}};
    json["limit"] = {{"multiply_adds_a_second", of_all.multiply_adds}, {"bytes_a_second", of_all.bytes}};
    for (const Row& r : rows) json["rows"].push_back(to_json(r));
    std::cout << json.dump(2) << "\n";
    return fine;
  }
  std::cout << fmt::format("{}: {:.3g} G multiply-adds/s in single precision, {:.3g} GB/s from memory\n\n",
                           device == Device::cpu ? counted(all.size(), "thread") : to_text(device),
                           of_all.multiply_adds / 1e9, of_all.bytes / 1e9);
  std::cout << fmt::format(layout, "job", "network", "threads", "batch", "median", "quartiles", "settled",
                           "evaluations", "of the limit");
  for (const Row& r : rows) std::cout << line(r);
  return fine;
}

}  // namespace

Run add_bench(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings.add("hidden", &arguments->sizes, "Hidden neurons of the networks to time")
      .add("device", &arguments->device, device_help)
      .add("threads", &arguments->threads, "Threads to use; 0: as many as the machine has")
      .add("seconds", &arguments->seconds, "Seconds to measure for each figure")
      .add("json", &arguments->json, "Print the result as JSON")
      .add("quiet", &arguments->quiet, "Nothing on standard error");
  arguments->settings.declare(app, "bench",
                              "Measure how fast this machine settles and trains networks, in about a minute",
                              "Examples:\n  irn bench\n  irn bench --hidden 20 --threads 1 --json");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
