#include "irn/gradient/off_neurons.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace irn {
namespace {

// max(1, |z|), against which residuals are measured; in parts side by side, which do not wait for each other.
template <class T>
T largest_of(std::span<const T> state) {
  T parts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::size_t i = 0;
  for (; i + 8 <= state.size(); i += 8)
    for (std::size_t k = 0; k < 8; ++k) parts[k] = std::max(parts[k], std::abs(state[i + k]));
  for (; i < state.size(); ++i) parts[0] = std::max(parts[0], std::abs(state[i]));
  return *std::max_element(parts, parts + 8);
}

template <class T>
void turn_off(const Architecture& architecture, T tolerance, std::span<T> state) {
  const T bound = tolerance * largest_of<T>(state);
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) {
    const Layer& layer = architecture.layers()[l - 1];
    if (layer.activation != Activation::relu) continue;
    T* z = state.data() + architecture.first_neuron(l);
    for (std::size_t i = 0; i < layer.size; ++i) z[i] = z[i] <= bound ? T(0) : z[i];
  }
}

}  // namespace

template <class T>
void turn_off_neurons(const Architecture& architecture, double tolerance, Equilibria<T>& found,
                      ThreadPool& threads) {
  const auto is_relu = [](const Layer& layer) { return layer.activation == Activation::relu; };
  if (!architecture.recurrent() || std::ranges::none_of(architecture.layers(), is_relu)) return;
  const std::size_t n = found.neurons;
  for_ranges(&threads, found.size(), numbers_worth_a_thread / n + 1,
             [&](std::size_t first, std::size_t count) {
               for (std::size_t s = first; s < first + count; ++s)
                 if (found.settled(s))
                   turn_off<T>(architecture, static_cast<T>(tolerance), {&found.states[s * n], n});
             });
}
template void turn_off_neurons(const Architecture&, double, Equilibria<float>&, ThreadPool&);
template void turn_off_neurons(const Architecture&, double, Equilibria<double>&, ThreadPool&);

}  // namespace irn
