// Training steps a second: forward, gradient, Adam, on networks already trained; the rate is so small that
// the network does not change. Batches of 6 for 5 and 20 hidden neurons (the paper's), of 256 for wider ones.
// With a certificate (step_certified) the time includes keeping it. Samples come from the generator, as in
// training; `generate` of bench_settle measures its part.
// Counters: settled (share), used (share that entered the gradient), evaluations (mean of F), operations (of
// a step, bench/limits.h), of_peak (share of the measured multiply-add peak).
#include "bench/harness.h"
#include "bench/kernels.h"
#include "bench/limits.h"
#include "irn/base/random.h"
#include "irn/train/trainer.h"

namespace irn::bench {
namespace {

constexpr std::size_t batch_size(std::size_t hidden) { return hidden <= 32 ? 6 : 256; }

struct Totals {
  double samples = 0, settled = 0, used = 0, evaluations = 0, products = 0, steps = 0;
  void add(const StepReport& r) {
    samples += double(r.samples), settled += double(r.settled), used += double(r.used);
    evaluations += r.mean_evaluations, products += r.mean_products, steps += 1;
  }
};

SettleOptions settle_options(NetworkKind kind) { return {.certified = kind == NetworkKind::certified}; }

Solver solver_in_use(const NetworkOf<float>& network, NetworkKind kind) {
  return Settler<float>(network, settle_options(kind), pool(1)).solver();
}

void step(benchmark::State& state, std::size_t hidden, NetworkKind kind, std::size_t threads) {
  Workload<float>& work = workload<float>(hidden, kind);
  Settler<float> settler(work.network, settle_options(kind), pool(threads));
  Equilibria<float> out;
  verify(work, settler, out);
  NetworkOf<float> network = work.network;
  const Recipe how = recipe(hidden, kind);
  TrainOptions options;
  options.gradient.gradient = how.gradient;
  options.optimiser = Adam{.rate = 1e-9};
  options.certify = how.certify;
  Trainer<float> trainer(network, options, pool(threads));
  const Oscillator<float> samples(test_samples(1 << 20));
  const std::size_t batch = batch_size(hidden);
  std::vector<std::uint64_t> index(batch);
  Totals totals;
  std::uint64_t first = 0;
  const Stopwatch watch(threads);
  for (auto _ : state) {
    std::iota(index.begin(), index.end(), first);
    totals.add(trainer.step(samples, index));
    first = (first + batch) % (samples.size() - batch);
  }
  const double seconds = watch.seconds();
  state.SetItemsProcessed(state.iterations());
  const double evaluations = totals.evaluations / totals.steps;
  const Work each = training_work<float>(network.architecture(), solver_in_use(network, kind), how.gradient,
                                         double(batch), evaluations, totals.products / totals.steps);
  state.counters["settled"] = totals.settled / totals.samples;
  state.counters["used"] = totals.used / totals.samples;
  state.counters["evaluations"] = evaluations;
  state.counters["operations"] = each.operations();
  const double peak = multiply_add_peak<float>() * double(threads);
  state.counters["of_peak"] = totals.steps * each.operations() / (peak * seconds);
}

void register_all() {
  for (NetworkKind kind :
       {NetworkKind::exact, NetworkKind::semi, NetworkKind::feed_forward, NetworkKind::certified})
    for (std::size_t hidden : {5, 20, 64, 256, 1024})
      for (std::size_t threads : thread_counts()) {
        const std::string job_name = "step_" + std::string(name(kind));
        const std::string title =
            label(job_name, hidden, "batch:" + std::to_string(batch_size(hidden))) + threads_label(threads);
        add(title, benchmark::kMicrosecond, threads, step, hidden, kind, threads);
      }
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
