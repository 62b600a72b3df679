#include "irn/analysis/contraction.h"

#include <cmath>

#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

using Reach = std::vector<std::vector<char>>;  // [from][to]: whether there is a way, of one block or more

void visit_from(const Architecture& architecture, std::size_t layer, std::vector<char>& reached) {
  std::vector<std::size_t> waiting = {layer};
  while (!waiting.empty()) {
    const std::size_t from = waiting.back();
    waiting.pop_back();
    for (const Block& b : architecture.blocks())
      if (b.from == from && !reached[b.to]) {
        reached[b.to] = 1;
        waiting.push_back(b.to);
      }
  }
}

Reach reach(const Architecture& architecture) {
  const std::size_t nodes = architecture.layers().size() + 1;
  Reach result(nodes, std::vector<char>(nodes));
  for (std::size_t layer = 1; layer < nodes; ++layer) visit_from(architecture, layer, result[layer]);
  return result;
}

struct RowSums {
  std::vector<double> signed_diagonal,
      absolute;  // s_i and sum_j |a_ij|, over the neurons j that i feeds back to
};

template <class T>
RowSums row_sums(const NetworkOf<T>& network) {
  const Architecture& architecture = network.architecture();
  RowSums sums{std::vector<double>(architecture.neurons()), std::vector<double>(architecture.neurons())};
  const Reach back = reach(architecture);
  for (const Block& b : architecture.blocks()) {
    if (b.from_input() || !back[b.to][b.from]) continue;
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
    const auto [size, f] = architecture.layers()[l - 1];
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
