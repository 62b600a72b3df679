// The answer by definition: the state that dz/dt = F(z) - z reaches from rest, by small steps of the classic
// Runge-Kutta method in double. Slow on purpose; every faster solver is compared with it.
#pragma once

#include <algorithm>

#include "irn/engine/settler.h"

namespace irn::bench {

struct FlowOptions {
  double tolerance = 1e-12;
  std::size_t steps = 20'000;        // of 0.1
  std::size_t more_steps = 600'000;  // for the few that have not settled by then
};

// Samples that do not settle have no flow limit; for those still slow at the end it is unknown whether they
// have one.
Equilibria<double> flow_limits(const NetworkOf<double>& network, const Samples<double>& samples,
                               const FlowOptions& options, ThreadPool& threads);
// For the oscillator's test samples 0 .. count - 1.
Equilibria<double> flow_limits(const NetworkOf<double>& network, std::size_t count,
                               const FlowOptions& options, ThreadPool& threads);

struct Agreement {
  std::size_t samples = 0;
  std::size_t with_limit = 0;  // samples whose flow settles; of these,
  std::size_t agree = 0;       //   settled within `distance` of the limit
  std::size_t wrong = 0;       //   settled elsewhere
  std::size_t missed = 0;      //   not settled, and reported as such
  std::size_t falsely = 0;     // settled although the flow does not
  double worst = 0;            // largest distance among those that agree
  Agreement& operator+=(const Agreement& other) {
    samples += other.samples, with_limit += other.with_limit, agree += other.agree, wrong += other.wrong;
    missed += other.missed, falsely += other.falsely, worst = std::max(worst, other.worst);
    return *this;
  }
  double share() const { return with_limit == 0 ? 1.0 : double(agree) / double(with_limit); }
};

// The first samples of `found`, as many as `flow` has.
template <class T>
Agreement compare(const Equilibria<T>& found, const Equilibria<double>& flow, double distance);

}  // namespace irn::bench
