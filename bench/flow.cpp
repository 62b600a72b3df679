#include "bench/flow.h"

#include <algorithm>
#include <cmath>

#include "bench/trained.h"

namespace irn::bench {
namespace {

template <class T>
double distance_between(std::span<const T> found, std::span<const double> limit) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(double(found[i]) - limit[i]));
  return largest;
}

// Samples that have not settled get many times as many steps: a spiral may close in slowly.
void go_on(Settler<double>& settler, const Samples<double>& samples, Equilibria<double>& flow) {
  std::vector<std::uint64_t> open;
  for (std::size_t s = 0; s < flow.size(); ++s)
    if (!flow.settled(s)) open.push_back(s);
  Equilibria<double> later;
  settler.settle(samples, open, later);
  for (std::size_t k = 0; k < open.size(); ++k) {
    flow.verdicts[open[k]] = later.verdicts[k];
    std::ranges::copy(later.state(k),
                      flow.states.begin() + static_cast<std::ptrdiff_t>(open[k] * flow.neurons));
  }
}

}  // namespace

Equilibria<double> flow_limits(const NetworkOf<double>& network, std::size_t count,
                               const FlowOptions& options, ThreadPool& threads) {
  return flow_limits(network, Oscillator<double>(test_samples(count)), options, threads);
}

Equilibria<double> flow_limits(const NetworkOf<double>& network, const Samples<double>& samples,
                               const FlowOptions& options, ThreadPool& threads) {
  const auto small_steps = [&](std::size_t steps) {
    const RungeKutta4 solver{.step = 0.1, .steps = steps};
    return Settler<double>(network, {.solver = solver, .tolerance = options.tolerance}, threads);
  };
  Equilibria<double> flow = small_steps(options.steps).settle(samples);
  Settler<double> patient = small_steps(options.more_steps);
  go_on(patient, samples, flow);
  return flow;
}

template <class T>
Agreement compare(const Equilibria<T>& found, const Equilibria<double>& flow, double distance) {
  Agreement a{.samples = flow.size()};
  for (std::size_t s = 0; s < flow.size(); ++s) {
    if (!flow.settled(s)) {
      a.falsely += found.settled(s) && flow.verdicts[s].outcome != Outcome::slow;
      continue;
    }
    ++a.with_limit;
    const double apart = distance_between(found.state(s), flow.state(s));
    const bool same = found.settled(s) && apart <= distance;
    a.agree += same;
    a.missed += !found.settled(s);
    a.wrong += found.settled(s) && !same;
    if (same) a.worst = std::max(a.worst, apart);
  }
  return a;
}
template Agreement compare(const Equilibria<float>&, const Equilibria<double>&, double);
template Agreement compare(const Equilibria<double>&, const Equilibria<double>&, double);

}  // namespace irn::bench
