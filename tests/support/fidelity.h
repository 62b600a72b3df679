// Does a search end where the flow does? Networks with wild dynamics: several equilibria, cycles, long
// transients. Plain code follows their flow from rest.
#pragma once

#include "tests/support/settle_samples.h"

namespace irn {

// Counts over the samples. A flow that is neither at rest nor clearly in motion after 2000 units of time is
// not counted.
struct Fidelity {
  std::size_t flow_settles = 0, same = 0, elsewhere = 0;
  // The flow is nowhere near rest; `invented`: yet the search says settled.
  std::size_t flow_moves = 0, invented = 0;
};

// settle(network, samples) returns the equilibria; `near`: how far they may be from the flow's end.
template <class T, class Settle>
Fidelity fidelity_on_strong_networks(const Settle& settle, double near) {
  Fidelity counts;
  for (const char* text : {"4-5-2", "4-6tanh"})
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const NetworkOf<T> network = random_network<T>(from_text<Architecture>(text), seed, 5);
      const SampleTable<T> samples = random_samples<T>(4, 20, seed);
      const PlainNetwork plain(network);
      const Equilibria<T> found = settle(network, samples);
      for (std::size_t s = 0; s < samples.size(); ++s) {
        const Eigen::VectorXd x = as_vector(samples.input_row(s)),
                              want = plain.flow_limit(x, 0.1, 20'000, 1e-11);
        const double residual = plain.residual(want, x);
        const bool rests = residual <= 1e-11, moves = residual > 1e-6;
        const bool there = (as_vector(found.state(s)) - want).cwiseAbs().maxCoeff() <= near;
        counts.flow_settles += rests;
        counts.flow_moves += moves;
        counts.same += found.settled(s) && rests && there;
        counts.elsewhere += found.settled(s) && rests && !there;
        counts.invented += found.settled(s) && moves;
      }
    }
  return counts;
}

}  // namespace irn
