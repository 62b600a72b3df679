#include "irn/gradient/off_neurons.h"

#include <algorithm>
#include <span>

namespace irn {
namespace {

template <class T>
void turn_off(const Architecture& architecture, T bound, std::span<T> state) {
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) {
    const Layer& layer = architecture.layers()[l - 1];
    if (layer.activation != Activation::relu) continue;
    T* z = state.data() + architecture.first_neuron(l);
    for (std::size_t i = 0; i < layer.size; ++i) z[i] = z[i] <= bound ? T(0) : z[i];
  }
}

}  // namespace

template <class T>
void turn_off_neurons(const Architecture& architecture, double bound, Equilibria<T>& found,
                      ThreadPool& threads) {
  const auto is_relu = [](const Layer& layer) { return layer.activation == Activation::relu; };
  if (!architecture.recurrent() || std::ranges::none_of(architecture.layers(), is_relu)) return;
  const std::size_t n = found.neurons;
  for_ranges(&threads, found.size(), numbers_worth_a_thread / n + 1,
             [&](std::size_t first, std::size_t count) {
               for (std::size_t s = first; s < first + count; ++s)
                 if (found.settled(s))
                   turn_off<T>(architecture, static_cast<T>(bound), {&found.states[s * n], n});
             });
}
template void turn_off_neurons(const Architecture&, double, Equilibria<float>&, ThreadPool&);
template void turn_off_neurons(const Architecture&, double, Equilibria<double>&, ThreadPool&);

}  // namespace irn
