// Equilibria a second on a CUDA device: trained networks, `auto`, single precision, default tolerance. For
// each network:
//   device    samples in the device's memory, answers left there: the kernels alone
//   host      from the host's memory and back, with all threads handing out samples
//   of which  the shares of the device's time: the launch (drives B x + b included), the rounds, and the test
//             whether equilibria attract
//   settled, evaluations, and the largest distance to the processor's answers, over samples that settle on
//   both; beyond 1e-3 these are other equilibria, near the edge of a basin
//
//   bench_cuda [--device cuda:N] [--samples N] HIDDEN ...
//   bench_cuda --generated HIDDEN ...     instead: the test of a trained network on 8 million samples that
//                                         the device draws, settles and judges itself; then the
//                                         processor's answer
//   bench_cuda --replicas N HIDDEN ...    instead: steps a second of N networks that train side by side from
//                                         their start, batches of 6, for each gradient; then samples a second
//                                         of their tests, drawn on the device
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "bench/device_search.h"
#include "bench/trained.h"
#include "irn/data/sample_table.h"
#include "irn/engine/cuda/replica_task.h"
#include "irn/engine/devices.h"
#include "irn/engine/settler.h"
#include "irn/train/evaluate.h"

namespace irn::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SampleTable<float> samples_in_memory(std::size_t count) {
  const Oscillator<float> source(test_samples(count));
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  std::vector<float> inputs(count * source.inputs());
  source.inputs_as_rows(index, inputs.data());
  return SampleTable<float>(source.inputs(), 0, std::move(inputs), {});
}

// The shortest of several runs.
template <class Run>
double shortest(const Run& run) {
  double best = run();
  for (int k = 0; k < 5; ++k) best = std::min(best, run());
  return best;
}

double device_seconds(Device device, const NetworkOf<float>& network, const Solver& solver,
                      const SampleTable<float>& samples, std::size_t count, bool confirm = true) {
  SearchOnDevice search(device, network, solver, default_tolerance<float>(), samples, count, confirm);
  return shortest([&] { return search.again(); });
}

// Shares of the launch, of the rounds after it, and of the test at the end.
struct Shares {
  double launch = 0, rounds = 0, confirmation = 0;
};
Shares shares(Device device, const NetworkOf<float>& network, const SampleTable<float>& samples,
              std::size_t count, const Solver& solver, double whole) {
  Solver launch = solver;
  std::visit(
      [](auto& options) {
        if constexpr (requires { options.launch; }) options.steps = options.launch;
      },
      launch);
  const double launched = device_seconds(device, network, launch, samples, count, false);
  const double unasked = device_seconds(device, network, solver, samples, count, false);
  return {launched / whole, (unasked - launched) / whole, (whole - unasked) / whole};
}

void run(Device device, std::size_t hidden, NetworkKind kind, std::size_t count, ThreadPool& threads) {
  const NetworkOf<float> network = trained<float>(hidden, kind);
  const SampleTable<float> samples = samples_in_memory(count);
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Settler<float> here(network, {}, threads), there(network, {.device = device}, threads);
  Equilibria<float> expected, found;
  here.settle(samples, index, expected);
  const double by_host = shortest([&] {
    const double start = now();
    there.settle(samples, index, found);
    return now() - start;
  });
  const double by_device = device_seconds(device, network, there.solver(), samples, count);
  const Shares of_which = shares(device, network, samples, count, there.solver(), by_device);
  double far = 0;
  std::size_t both = 0, elsewhere = 0;
  for (std::size_t s = 0; s < count; ++s) {
    if (!expected.settled(s) || !found.settled(s)) continue;
    ++both;
    double own = 0;
    for (std::size_t i = 0; i < found.neurons; ++i)
      own = std::max(own, std::abs(double(expected.state(s)[i]) - double(found.state(s)[i])));
    own > 1e-3 ? void(++elsewhere) : void(far = std::max(far, own));
  }
  const Summary summary = found.summary();
  std::printf(
      "%4zu hidden, %-9s device %9.2f M/s (%.2f launch, %.2f rounds, %.2f attraction)  host %8.2f M/s  "
      "settled %.6f (processor "
      "%.6f, both %.6f)  evaluations %5.1f  apart %.2g, of %zu samples at another equilibrium\n",
      hidden, std::string(name(kind)).c_str(), double(count) / by_device * 1e-6, of_which.launch,
      of_which.rounds, of_which.confirmation, double(count) / by_host * 1e-6, summary.settled_share(),
      expected.summary().settled_share(), double(both) / double(count), summary.mean_evaluations, far,
      elsewhere);
  std::fflush(stdout);
}

// Only sums are copied back. For networks of the paper's sizes.
void test_generated(Device device, std::size_t hidden, ThreadPool& threads) {
  const NetworkOf<float> network = trained<float>(hidden, NetworkKind::exact);
  constexpr std::uint64_t first = 3'200'000, count = cuda::most_replica_tests;
  const auto one = cuda::make_replicas(
      device, {.task = cuda::task_of({.train_samples = first, .test_samples = count, .hidden = hidden}),
               .numbers = {.states = {{}}, .weights = cuda::replica_weights(network), .moments = {}},
               .tests = 8});
  const double seconds = shortest([&] {
    const double start = now();
    one->test(0), one->wait();
    return now() - start;
  });
  const cuda::TestSums sums = one->tests().back();
  const double settled = double(sums.outcomes[static_cast<std::size_t>(Outcome::settled)]);
  Settler<float> here(network, {}, threads);
  const Evaluation expected = evaluate(here, Oscillator<float>({.first = first, .count = count}));
  std::printf(
      "%4zu hidden, drawn on the device: %9.2f M/s  settled %.6f (processor %.6f)  evaluations %5.1f  mean "
      "squared "
      "error %.6f (processor %.6f)\n",
      hidden, double(count) / seconds * 1e-6, settled / double(count), expected.summary.settled_share(),
      double(sums.evaluations) / double(count), sums.squared_errors() / (2 * settled), expected.loss);
  std::fflush(stdout);
}

void train_replicas(Device device, std::size_t hidden, std::size_t count) {
  constexpr std::size_t epochs = 20;
  using cuda::ReplicaGradient;
  for (const ReplicaGradient gradient : {ReplicaGradient::exact, ReplicaGradient::semi}) {
    const char* text = gradient == ReplicaGradient::exact ? "exact" : "semi";
    const cuda::ReplicaOptions options{.train_samples = 3'200'000,
                                       .test_samples = 10'000,
                                       .gradient = gradient,
                                       .hidden = hidden,
                                       .steps_per_epoch = 200};
    cuda::ReplicaNumbers numbers;
    for (std::size_t r = 0; r < count; ++r) {
      const NetworkOf<float> network(Architecture(100, {{hidden}, {2}}, Recurrence::full), Start::paper,
                                     1'000'003 + r);
      const std::vector<float> weights = cuda::replica_weights(network);
      numbers.weights.insert(numbers.weights.end(), weights.begin(), weights.end());
      numbers.states.push_back({.stream = 1000 + r, .rate = 0.01f});
    }
    const auto replicas = cuda::make_replicas(device, {.task = cuda::task_of(options),
                                                       .numbers = std::move(numbers),
                                                       .epochs = epochs + 1,
                                                       .tests = 2,
                                                       .crowded = count > 500});
    replicas->train(1), replicas->test(0), replicas->wait();  // warms up
    const double start = now();
    replicas->train(epochs), replicas->wait();
    const double trained = now() - start, steps = double(epochs * options.steps_per_epoch);
    replicas->test(0), replicas->wait();
    const double tested = now() - start - trained;
    std::printf(
        "%4zu hidden, %-9s %zu replicas: %.3g M steps/s, %.3g us a step of each; tests %.3g M samples/s\n",
        hidden, text, count, steps * double(count) / trained * 1e-6, trained / steps * 1e6,
        double(options.test_samples) * double(count) / tested * 1e-6);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace irn::bench

int main(int count, char** words) {
  using namespace irn;
  Device device{Device::Kind::cuda};
  std::size_t samples = std::size_t{1} << 20, replicas = 0;
  bool generated = false;
  std::vector<std::size_t> hidden;
  try {
    for (int k = 1; k < count; ++k) {
      const std::string_view word = words[k];
      if (word == "--device" && k + 1 < count)
        device = from_text<Device>(words[++k]);
      else if (word == "--replicas" && k + 1 < count)
        replicas = std::strtoull(words[++k], nullptr, 10);
      else if (word == "--generated")
        generated = true;
      else if (word == "--samples" && k + 1 < count)
        samples = std::strtoull(words[++k], nullptr, 10);
      else
        hidden.push_back(std::strtoull(words[k], nullptr, 10));
    }
    if (hidden.empty()) hidden = {5, 20, 64};
    check_device(device);
    for (const std::size_t h : hidden)
      if (replicas > 0) bench::train_replicas(device, h, replicas);
    if (replicas > 0) return 0;
    ThreadPool threads(0);
    for (const std::size_t h : hidden)
      if (generated) bench::test_generated(device, h, threads);
    if (generated) return 0;
    for (const std::size_t h : hidden)
      for (const auto kind :
           {bench::NetworkKind::exact, bench::NetworkKind::semi, bench::NetworkKind::certified})
        bench::run(device, h, kind, h > 48 ? samples / 8 : samples, threads);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_cuda: %s\n", error.what());
    return 2;
  }
}
