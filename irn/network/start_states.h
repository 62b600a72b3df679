// The start states of a batch: all at rest, z = 0; all in one state; or each in its own (for example, the
// last answer to a similar input).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "irn/base/error.h"

namespace irn {

template <class T>
class StartStates {
 public:
  StartStates() = default;  // at rest
  // `states` holds one state for all samples, or one for each, row-major [sample][neuron]; empty: at rest.
  // Borrows it.
  StartStates(std::span<const T> states, std::size_t neurons, std::size_t samples)
      : first_(states.empty() ? nullptr : states.data()),
        stride_(states.size() == neurons && samples != 1 ? 0 : neurons) {
    if (!states.empty() && states.size() != neurons && states.size() != neurons * samples)
      throw Error("start states hold " + std::to_string(states.size()) + " numbers; give " +
                  std::to_string(neurons) + ", one state for all samples, or as many for each of the " +
                  std::to_string(samples));
  }

  bool at_rest() const { return first_ == nullptr; }
  const T* of(std::size_t sample) const { return first_ + sample * stride_; }
  // The start states of the samples from this one on.
  StartStates from(std::size_t sample) const {
    StartStates rest = *this;
    if (first_) rest.first_ = of(sample);
    return rest;
  }

 private:
  const T* first_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace irn
