#include "irn/analysis/contraction.h"

#include <cmath>

#include "irn/network/loops.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

struct RowSums {
  std::vector<double> signed_diagonal,
      absolute;  // s_i and sum_j |a_ij|, over those neurons j that i feeds back to
};

std::vector<std::size_t> blocks_on_loops(const Architecture& architecture) {
  std::vector<std::size_t> blocks;
  for (const Loop& loop : loops(architecture))
    blocks.insert(blocks.end(), loop.blocks.begin(), loop.blocks.end());
  return blocks;
}

template <class T>
RowSums row_sums(const NetworkOf<T>& network) {
  const Architecture& architecture = network.architecture();
  RowSums sums{std::vector<double>(architecture.neurons()), std::vector<double>(architecture.neurons())};
  for (const std::size_t index : blocks_on_loops(architecture)) {
    const Block& b = architecture.blocks()[index];
    const RowBounds rows = row_bounds(b, network.parameters().data() + b.weights);
    for (std::size_t i = 0; i < b.rows; ++i) {
      // A lateral block has the neuron's own weight on its diagonal, which counts with its sign.
      const double own = rows.diagonal[i];
      sums.signed_diagonal[b.row + i] += rows.others[i] + (b.from == b.to ? own : std::abs(own));
      sums.absolute[b.row + i] += rows.others[i] + std::abs(own);
    }
  }
  return sums;
}

void raise(ContractionBound& largest, const ContractionBound& candidate) {
  if (largest.layer == 0 || candidate.bound > largest.bound) largest = candidate;
}

}  // namespace

template <class T>
Contraction contraction(const NetworkOf<T>& network) {
  const Architecture& architecture = network.architecture();
  const RowSums sums = row_sums(network);
  Contraction result{.layers = std::vector<LayerContraction>(architecture.layers().size()),
                     .recurrent = architecture.recurrent()};
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) {
    const auto& [size, f, shape] = architecture.layers()[l - 1];
    LayerContraction& layer = result.layers[l - 1];
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t row = architecture.first_neuron(l) + i;
      const double s = sums.signed_diagonal[row];
      raise(layer.flow, {(s > 0 ? max_slope(f) : min_slope(f)) * s + 0.0, l, i});  // + 0.0: no minus zero
      raise(layer.iteration, {max_slope(f) * sums.absolute[row], l, i});
    }
    raise(result.flow, layer.flow);
    raise(result.iteration, layer.iteration);
  }
  return result;
}

template Contraction contraction(const NetworkOf<float>&);
template Contraction contraction(const NetworkOf<double>&);

}  // namespace irn
