// What a forward pass found: a value, which a backward pass reads and never changes.
#pragma once

#include <cstdint>
#include <vector>

#include "irn/equilibrium/equilibria.h"
#include "irn/network/start_states.h"

namespace irn {

template <class T>
struct Forward {
  // States and verdicts. Of a gradient of equilibria, relu neurons that are off are exactly zero.
  Equilibria<T> equilibria;
  std::vector<T> inputs;  // [sample][input]
  std::vector<T> gates;   // [sample][neuron], where the samples have them
  std::vector<T> starts;  // where the states started: one for all samples or one a sample; empty: at rest
  std::vector<T>
      visited;  // [step][sample][neuron], of gradients that go back through the iterates: z_0 .. z_{n-1}
  std::vector<double> ends;  // of the reversible gradient: the pair of states from which it goes back
  // Of which parameters it is, a number that the gradient gives out; 0: of none.
  std::uint64_t parameters = 0;
  std::uint64_t pass = 0;  // a number of its own

  StartStates<T> start_states(std::size_t samples) const { return {starts, equilibria.neurons, samples}; }
  std::size_t size() const { return equilibria.size(); }
  bool empty() const { return parameters == 0; }
};

}  // namespace irn
