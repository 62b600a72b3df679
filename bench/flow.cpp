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

}  // namespace

Equilibria<double> flow_limits(const Network<double>& network, std::size_t count, const FlowOptions& options,
                               ThreadPool& threads) {
  const RungeKutta4 small_steps{.step = 0.1, .steps = options.steps};
  Settler<double> settler(network, {.solver = small_steps, .tolerance = options.tolerance}, threads);
  return settler.settle(Oscillator<double>(test_samples(count)));
}

template <class T>
Agreement compare(const Equilibria<T>& found, const Equilibria<double>& flow, double distance) {
  Agreement a{.samples = flow.size()};
  for (std::size_t s = 0; s < flow.size(); ++s) {
    if (!flow.settled(s)) {
      a.falsely += found.settled(s);
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
