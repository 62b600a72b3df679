// Equilibria a second, from raw inputs in memory: `auto` on trained networks, at the default tolerance.
//   settle         networks trained with the exact gradient
//   settle_semi    with the semi-gradient
//   sweep          without recurrence
//   generate       the oscillator generator alone, for callers that settle straight from it;
//                  generate_plain is one without SIMD
// Counters: settled (share), agrees (share of the checked samples with a flow limit that are within 1e-4 of
// it in float, 1e-6 in double), evaluations (mean of F), loss (mean squared error on test samples: 0.083 for
// a network that has learnt nothing), operations (of a sample, bench/limits.h), of_peak (share of the
// measured multiply-add peak).
#include "bench/harness.h"
#include "bench/kernels.h"
#include "bench/limits.h"
#include "bench/plain_oscillator.h"
#include "irn/train/evaluate.h"

namespace irn::bench {
namespace {

template <class T>
void settle(benchmark::State& state, std::size_t hidden, NetworkKind kind, std::size_t threads) {
  Workload<T>& work = workload<T>(hidden, kind);
  Settler<T> settler(work.network, {}, pool(threads));
  Equilibria<T> out;
  const Agreement agreement = verify(work, settler, out);
  const Stopwatch watch(threads);
  for (auto _ : state) settler.settle(work.samples, work.index, out);
  const double seconds = watch.seconds();
  const double items = double(state.iterations()) * double(work.index.size());
  state.SetItemsProcessed(std::int64_t(items));
  const Summary summary = out.summary();
  const Work each = settle_work<T>(work.network.architecture(), settler.solver(), summary.mean_evaluations);
  state.counters["settled"] = summary.settled_share();
  state.counters["agrees"] = agreement.share();
  state.counters["evaluations"] = summary.mean_evaluations;
  state.counters["loss"] = evaluate(settler, work.samples).loss;
  state.counters["operations"] = each.operations();
  const double peak = multiply_add_peak<T>() * double(threads);
  state.counters["of_peak"] = items * each.operations() / (peak * seconds);
}

template <class T>
void generate(benchmark::State& state) {
  const Oscillator<T> source(test_samples(4096));
  const std::size_t width = 16;
  std::vector<std::uint64_t> index(width);
  std::vector<T> out(source.inputs() * width);
  std::uint64_t first = 0;
  for (auto _ : state) {
    std::iota(index.begin(), index.end(), first);
    source.inputs_as_lanes(index, width, out.data());
    benchmark::DoNotOptimize(out.data());
    first = (first + width) % source.size();
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(width));
}

template <class T>
void generate_plain(benchmark::State& state) {
  const OscillatorOptions options = test_samples(4096);
  const std::size_t width = 16;
  std::vector<T> out(options.points * width), want(out.size());
  const Oscillator<T> source(options);
  std::vector<std::uint64_t> index(width);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  source.inputs_as_lanes(index, width, want.data());
  for (std::size_t i = 0; i < width; ++i) plain_trajectory<T>(options, i, width, out.data() + i);
  for (std::size_t k = 0; k < out.size(); ++k)
    if (!(std::abs(out[k] - want[k]) < 1e-4)) state.SkipWithError("not the same trajectories");
  std::uint64_t first = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < width; ++i) plain_trajectory<T>(options, first + i, width, out.data() + i);
    benchmark::DoNotOptimize(out.data());
    first = (first + width) % options.count;
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t(width));
}

template <class T>
void register_type() {
  constexpr std::array<std::string_view, 3> jobs = {"settle", "settle_semi", "sweep"};
  for (NetworkKind kind : {NetworkKind::exact, NetworkKind::semi, NetworkKind::feed_forward})
    for (std::size_t hidden : {5, 20, 64, 256, 1024})
      for (std::size_t threads : thread_counts()) {
        const std::string name =
            label(jobs[std::size_t(kind)], hidden, type_name<T>) + threads_label(threads);
        add(name, benchmark::kMillisecond, threads, settle<T>, hidden, kind, threads);
      }
  const std::string name = "generate/" + std::string(type_name<T>);
  add(name, benchmark::kNanosecond, 1, generate<T>);
  add("generate_plain/" + std::string(type_name<T>), benchmark::kNanosecond, 1, generate_plain<T>);
}

void register_all() {
  register_type<float>();
  register_type<double>();
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
