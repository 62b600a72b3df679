#include "irn/gradient/off_neurons.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace irn {
namespace {

// max(1, |z|), against which residuals are measured. Side by side: each comparison waits for the one before it.
template <class T>
T size_of(std::span<const T> state) {
  std::array<T, 8> largest;
  largest.fill(1);
  std::size_t i = 0;
  for (; i + largest.size() <= state.size(); i += largest.size())
    for (std::size_t k = 0; k < largest.size(); ++k)
      largest[k] = std::max(largest[k], std::abs(state[i + k]));
  for (; i < state.size(); ++i) largest[0] = std::max(largest[0], std::abs(state[i]));
  return *std::max_element(largest.begin(), largest.end());
}

template <class T>
void turn_off_layer(std::size_t first, std::size_t size, double tolerance, Equilibria<T>& found) {
  for (std::size_t s = 0; s < found.size(); ++s) {
    if (!found.settled(s)) continue;
    const T bound = static_cast<T>(tolerance) * size_of(found.state(s));
    T* z = found.states.data() + s * found.neurons + first;
    for (T* v = z; v < z + size; ++v)
      if (*v <= bound) *v = 0;
  }
}

}  // namespace

template <class T>
void turn_off_neurons(const Architecture& architecture, double tolerance, Equilibria<T>& found) {
  if (!architecture.recurrent()) return;
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l)
    if (const Layer& layer = architecture.layers()[l - 1]; layer.activation == Activation::relu)
      turn_off_layer(architecture.first_neuron(l), layer.size, tolerance, found);
}
template void turn_off_neurons(const Architecture&, double, Equilibria<float>&);
template void turn_off_neurons(const Architecture&, double, Equilibria<double>&);

}  // namespace irn
