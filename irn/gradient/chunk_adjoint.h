// One worker's adjoint solver: computes D u from states and loss slopes, a group of samples at a time.
#pragma once

#include <memory>

#include "irn/gradient/adjoint_trust.h"
#include "irn/gradient/gradient.h"
#include "irn/network/packed.h"

namespace irn {

// Row-major arrays over one group of samples: states and deltas [sample][neuron], slopes [sample][neurons of
// the heads].
template <class T>
struct AdjointTask {
  std::size_t samples = 0;
  const T* states = nullptr;
  const T* slopes = nullptr;
  const T* gates = nullptr;  // [sample][neuron], or none (data/samples.h)
  T* deltas = nullptr;       // D u
  // |u| / |g|; infinite where I - D A is singular, NaN where g is not finite.
  double* amplification = nullptr;
  // |g + A^T D u - u| / |g| in the 2-norm, where u was found by products; else 0.
  double* miss = nullptr;
  double* products = nullptr;  // with A^T D, spent on u
};

template <class T>
class ChunkAdjoint {
 public:
  virtual ~ChunkAdjoint() = default;
  virtual std::size_t width() const = 0;
  virtual void solve(const AdjointTask<T>& task) = 0;  // task.samples <= width()
};

// How u = g + A^T D u is solved: as a series, by a sweep back through the layers, by factors, or by products.
enum class AdjointKind : unsigned char { series, sweep, dense, krylov };
// For the gradients at an equilibrium.
AdjointKind adjoint_kind(const Architecture& architecture, const Gradient& gradient);

// `heads` must outlive the solver. `tolerance` is the tolerance of the states; the accuracy of u follows from
// it.
template <class T>
std::unique_ptr<ChunkAdjoint<T>> make_chunk_adjoint(const PackedNetwork<T>& network, const Gradient& gradient,
                                                    std::span<const HeadRange> heads, double tolerance);

// dx = B^T delta: rows [sample][neuron] to rows [sample][input].
template <class T>
class ChunkInputGradient {
 public:
  virtual ~ChunkInputGradient() = default;
  virtual std::size_t width() const = 0;
  virtual void multiply(std::size_t samples, const T* deltas, T* out) = 0;  // samples <= width()
};
template <class T>
std::unique_ptr<ChunkInputGradient<T>> make_chunk_input_gradient(const PackedNetwork<T>& network);

}  // namespace irn
