// Shared by the benchmark programs: how they start, which threads they use, and a checked workload.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "bench/flow.h"
#include "bench/trained.h"
#include "irn/base/error.h"
#include "irn/data/sample_table.h"

namespace irn::bench {

// main() of a Google Benchmark program. A wrong command line, a failed check or a filter without a match
// prints one line on stderr and returns a status above zero.
int run(int argc, char** argv, void (*register_all)());

// One thread, and all of the machine.
std::vector<std::size_t> thread_counts();
ThreadPool& pool(std::size_t threads);  // started once, kept

template <class T>
constexpr std::string_view type_name = sizeof(T) == 4 ? "float" : "double";

inline std::string label(std::string_view job, std::size_t hidden, std::string_view rest) {
  return std::string(job) + "/hidden:" + std::to_string(hidden) + "/" + std::string(rest);
}
inline std::string threads_label(std::size_t threads) { return "/threads:" + std::to_string(threads); }

// Seconds of work: processor time for one thread, so that a busy machine does not count against it; wall time
// for several, where waiting for each other is part of what is measured.
class Stopwatch {
 public:
  explicit Stopwatch(std::size_t threads) : wall_(threads > 1), start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  double now() const;
  bool wall_;
  double start_;
};

// Registers a benchmark whose rates use the same clock.
template <class Function, class... Arguments>
void add(const std::string& title, benchmark::TimeUnit unit, std::size_t threads, Function&& function,
         Arguments&&... arguments) {
  auto* made = benchmark::RegisterBenchmark(title.c_str(), function, arguments...)->Unit(unit);
  if (threads > 1) made->UseRealTime();
}

// Enough samples for some milliseconds of work; those of the smallest network exceed the third-level cache.
constexpr std::size_t sample_count(std::size_t hidden) {
  return hidden <= 8 ? 131'072 : hidden <= 32 ? 32'768 : hidden <= 128 ? 8192 : hidden <= 512 ? 2048 : 512;
}

// A trained network, raw inputs in memory, row by row, and the flow limits of the first samples.
template <class T>
struct Workload {
  NetworkOf<T> network;
  SampleTable<T> samples;
  std::vector<std::uint64_t> index;
  Equilibria<double> flow;
};

template <class T>
SampleTable<T> rows_in_memory(std::size_t count) {
  const Oscillator<T> source(test_samples(count));
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  std::vector<T> inputs(count * source.inputs()), targets(count * source.targets());
  source.inputs_as_rows(index, inputs.data());
  source.targets_as_rows(index, targets.data());
  return SampleTable<T>(source.inputs(), source.targets(), std::move(inputs), std::move(targets));
}

// Made once in each program: training and flow limits are not timed, and not computed twice.
template <class T>
Workload<T>& workload(std::size_t hidden, NetworkKind kind) {
  static std::map<std::pair<std::size_t, NetworkKind>, std::unique_ptr<Workload<T>>> made_before;
  std::unique_ptr<Workload<T>>& made = made_before[{hidden, kind}];
  if (made) return *made;
  const std::size_t count = sample_count(hidden), checked = hidden <= 128 ? 512 : 64;
  made = std::make_unique<Workload<T>>(trained<T>(hidden, kind), rows_in_memory<T>(count),
                                       std::vector<std::uint64_t>(count));
  std::iota(made->index.begin(), made->index.end(), std::uint64_t{0});
  if (kind != NetworkKind::feed_forward)
    made->flow = flow_limits(trained<double>(hidden, kind), checked,
                             {.tolerance = 1e-10, .steps = hidden <= 128 ? 20'000u : 3000u}, pool(0));
  else
    made->flow = Settler<double>(trained<double>(hidden, kind), {}, pool(0))
                     .settle(Oscillator<double>(test_samples(checked)));
  return *made;
}

// How near an answer at the default tolerance should be to the flow limit: the limit of the counter `agrees`.
template <class T>
constexpr double agreement_distance = sizeof(T) == 4 ? 1e-4 : 1e-6;
// Farther away, it counts as another answer (verify()). Ten times wider than `agrees`, because a tolerance
// bounds the residual and not the distance: on the network of 64 hidden neurons trained with the
// semi-gradient, slow modes carry 6 of 511 answers in float past 1e-4 (rosenbrock: 9), and none past 1e-3.
template <class T>
constexpr double wrong_distance = 10 * agreement_distance<T>;

// Ends the program before anything is timed unless the answers are right. One in a hundred may differ: the
// semi-gradient makes networks with several equilibria, and not even rosenbrock follows every flow to its
// own.
template <class T>
Agreement verify(const Workload<T>& work, Settler<T>& settler, Equilibria<T>& out) {
  settler.settle(work.samples, work.index, out);
  const Agreement a = compare(out, work.flow, wrong_distance<T>);
  if (a.with_limit * 2 >= a.samples && a.share() >= 0.99)
    return compare(out, work.flow, agreement_distance<T>);
  throw Error("wrong answers, nothing timed: " + to_text(work.network.architecture()) + " in " +
              std::string(type_name<T>) + " agrees with the flow on " + std::to_string(a.agree) + " of " +
              std::to_string(a.with_limit) + " samples (" + std::to_string(a.samples) + " tried)");
}

}  // namespace irn::bench
