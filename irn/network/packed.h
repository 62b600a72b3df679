// A network's matrices, packed for the product kernel.
//
// Rows that read the same ranges of the vector (and, in A, share an activation) form one group, so the
// paper's network of 5 + 2 sigmoid neurons is a single product of 7 rows. Groups are in the order of the
// layers: A's groups in order make a forward sweep, those of `a_forward_transposed` in reverse a backward
// sweep. Dense blocks become panels. All others become chains of factors, which are added to their group's
// rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "irn/base/threads.h"
#include "irn/kernels/panels.h"
#include "irn/network/network.h"
#include "irn/network/stages.h"

namespace irn {

// A block that is not dense: its factors, the first to be applied first; for a transposed product their
// transposes in reverse order.
template <class T>
struct PackedChain {
  struct Link {
    Factor factor;
    bool transposed = false;
    std::size_t numbers_at = 0;  // the place of its numbers in the parameter vector, to repack after a step
    Panels<T> panels = {};       // of a matrix
    PackedConvolution<T> convolution = {};
    std::vector<T> numbers = {};  // of other factors
  };
  std::size_t row = 0, col = 0;  // the first row, counted in the group; the first entry of the vector
  std::vector<Link> links;
  std::shared_ptr<const OwnOperator> own = nullptr;  // keeps the operator of a factor alive
};

template <class T>
struct RowGroup {
  std::size_t first = 0;  // row of the first neuron (or input) of the group
  Activation activation = Activation::identity;
  Panels<T> panels;
  // The place of each of the group's matrices in the parameter vector, to repack after a step.
  struct Piece {
    std::size_t row, rows, column, cols, weights, row_stride, col_stride;
  };
  std::vector<Piece> pieces;
  std::vector<PackedChain<T>> chains;
};

// The parts of A for a search over the core (stages.h). Rows and columns of the core are counted from its
// first neuron, all others as in A.
template <class T>
struct PackedStages {
  std::size_t first = 0, neurons = 0;  // of the core
  std::vector<RowGroup<T>> before, into_core, core, behind;
  // For the backward pass, if A^T was asked for: rows of the layers behind; of the core, reading those behind
  // it and itself; of the layers before.
  std::vector<RowGroup<T>> behind_transposed, core_from_behind, core_transposed, before_transposed;
};

// What is packed besides A and B; each costs a copy after every step.
struct PackedNeeds {
  bool dense_a = false, dense_b = false, a_transposed = false, a_forward_transposed = false,
       b_transposed = false;
};

template <class T>
class PackedNetwork {
 public:
  explicit PackedNetwork(const NetworkOf<T>& network, PackedNeeds needs = {});
  // Call it after the parameters have changed. Allocates nothing.
  void repack(const NetworkOf<T>& network, ThreadPool* threads = nullptr);

  const Architecture& architecture() const { return architecture_; }
  std::size_t neurons() const { return architecture_.neurons(); }

  std::vector<RowGroup<T>> a, b;  // z -> A z,  x -> B x
  // Empty unless asked for.
  std::vector<RowGroup<T>> a_transposed, a_forward_transposed, b_transposed;
  std::optional<PackedStages<T>> stages;  // if a search over the core is worth it
  std::vector<T> dense_a, dense_b;        // neurons x neurons and neurons x inputs, absent blocks zero
  std::vector<T> numbers;  // all parameters, for gradients of blocks that are not dense; empty if all are
  std::vector<T> bias;
  bool recurrent = false;
  std::uint64_t revision = 0;  // how often it was packed

 private:
  Architecture architecture_;
};

// Up to this number of neurons, the exact adjoint is solved by a dense factorisation for each sample, beyond
// it by products. The limit is higher than that of the solvers (equilibrium/solver.h): the adjoint needs one
// factorisation where a search needs four, and an accuracy at which GMRES takes more products.
inline constexpr std::size_t dense_adjoint_limit = 80;

extern template class PackedNetwork<float>;
extern template class PackedNetwork<double>;

}  // namespace irn
