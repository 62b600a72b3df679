#include "irn/gradient/off_neurons.h"

#include <algorithm>
#include <cmath>

namespace irn {
namespace {

template <class T>
void turn_off_layer(std::size_t first, std::size_t size, double tolerance, Equilibria<T>& found) {
  for (std::size_t s = 0; s < found.size(); ++s) {
    if (!found.settled(s)) continue;
    T largest = 1;  // max(1, |z|), against which residuals are measured
    for (const T& z : found.state(s)) largest = std::max(largest, std::abs(z));
    const T bound = static_cast<T>(tolerance) * largest;
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
