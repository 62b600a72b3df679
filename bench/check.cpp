// Samples a second that irn::check examines: verdict, all eigenvalues, smallest singular value, sensitivity
// (irn/analysis/check.h), on trained networks. Its certificates, one for each network, are timed separately.
// Counters: settled (share), attracts (share of the settled).
#include "irn/analysis/check.h"
#include "bench/harness.h"

namespace irn::bench {
namespace {

constexpr std::size_t samples_checked = 2048;

void check(benchmark::State& state, std::size_t hidden, std::size_t threads) {
  const NetworkOf<float> network = trained<float>(hidden, NetworkKind::exact);
  const SampleTable<float> samples = rows_in_memory<float>(samples_checked);
  const CheckOptions options{.certificates = {.optimised = 0}};
  Check found = irn::check(network, samples, options, pool(threads));
  // Every settled state attracts; otherwise either the search or the check is wrong.
  if (found.summary.doubtful > 0) throw Error("settled samples that do not attract; nothing timed");
  const Stopwatch watch(threads);
  for (auto _ : state) found = irn::check(network, samples, options, pool(threads));
  const double items = double(state.iterations()) * double(samples_checked);
  state.counters["samples_per_second"] = items / watch.seconds();
  state.counters["settled"] = found.summary.outcomes.settled_share();
  state.counters["attracts"] = double(found.summary.attracts) / double(found.summary.outcomes.settled());
}

void certify(benchmark::State& state, std::size_t hidden) {
  const NetworkOf<float> network = trained<float>(hidden, NetworkKind::exact);
  Certificates found = certificates(network);
  if (found[CertificateKind::diagonal_stability].bound > found.plain_bound)
    throw Error("the best weights are worse than the plain ones; nothing timed");
  for (auto _ : state) found = certificates(network);
  state.counters["bound"] = found[CertificateKind::diagonal_stability].bound;
  state.counters["plain_bound"] = found.plain_bound;
}

void register_all() {
  for (const std::size_t hidden : {5, 20, 46})
    for (const std::size_t threads : thread_counts())
      add(label("check", hidden, "float") + threads_label(threads), benchmark::kMillisecond, threads, check,
          hidden, threads);
  for (const std::size_t hidden : {5, 20, 46})
    add(label("certificates", hidden, "float"), benchmark::kMillisecond, 1, certify, hidden);
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
