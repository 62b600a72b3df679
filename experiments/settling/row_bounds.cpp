#include "experiments/settling/row_bounds.h"

#include <cmath>

#include "irn/network/loops.h"

namespace irn::experiments {
namespace {

// a_ii + sum_{j != i} |a_ij| of one neuron, over the blocks of its loop.
template <class T>
double row_sum(const NetworkOf<T>& network, const Loop& loop, std::size_t neuron) {
  double sum = 0;
  for (const std::size_t index : loop.blocks) {
    const Block& b = network.architecture().blocks()[index];
    if (neuron < b.row || neuron >= b.row + b.rows) continue;
    const T* row = network.parameters().data() + b.weights + (neuron - b.row) * b.cols;
    for (std::size_t j = 0; j < b.cols; ++j)
      sum += b.col + j == neuron ? double(row[j]) : std::abs(double(row[j]));
  }
  return sum;
}

template <class T>
void scale_row(NetworkOf<T>& network, const Loop& loop, std::size_t neuron, double factor) {
  for (const std::size_t index : loop.blocks) {
    const Block& b = network.architecture().blocks()[index];
    if (neuron < b.row || neuron >= b.row + b.rows) continue;
    T* row = network.parameters().data() + b.weights + (neuron - b.row) * b.cols;
    for (std::size_t j = 0; j < b.cols; ++j) row[j] = static_cast<T>(double(row[j]) * factor);
  }
}

}  // namespace

template <class T>
bool bound_rows(NetworkOf<T>& network, double bound) {
  bool changed = false;
  const Architecture& architecture = network.architecture();
  for (const Loop& loop : loops(architecture))
    for (const std::size_t layer : loop.layers) {
      const double most = bound / max_slope(architecture.layers()[layer - 1].activation);
      for (std::size_t i = 0; i < architecture.layers()[layer - 1].size; ++i) {
        const std::size_t neuron = architecture.first_neuron(layer) + i;
        const double sum = row_sum(network, loop, neuron);
        if (sum <= most) continue;
        scale_row(network, loop, neuron, most / sum);
        changed = true;
      }
    }
  return changed;
}

template bool bound_rows(NetworkOf<float>&, double);
template bool bound_rows(NetworkOf<double>&, double);

}  // namespace irn::experiments
