// The result of a forward pass: a value that a backward pass reads and never changes.
#pragma once

#include <cstdint>
#include <vector>

#include "irn/equilibrium/equilibria.h"
#include "irn/network/start_states.h"

namespace irn {

template <class T>
struct Forward {
  // States and verdicts. For gradients at an equilibrium, relu neurons that are off are exactly zero.
  Equilibria<T> equilibria;
  std::vector<T> inputs;  // [sample][input]
  std::vector<T> gates;   // [sample][neuron], if the samples have gates
  std::vector<T> starts;  // where the states started: one for all samples or one for each; empty: at rest
  // [step][sample][neuron], z_0 .. z_{n-1}, for gradients that go back through the iterates.
  std::vector<T> visited;
  std::vector<double> ends;  // for the reversible gradient: the pair of states from which it goes back
  // An id of the parameters, given out by the gradient; 0 if there are none.
  std::uint64_t parameters = 0;
  std::uint64_t pass = 0;  // an id of this pass

  StartStates<T> start_states(std::size_t samples) const { return {starts, equilibria.neurons, samples}; }
  std::size_t size() const { return equilibria.size(); }
  bool empty() const { return parameters == 0; }
};

}  // namespace irn
