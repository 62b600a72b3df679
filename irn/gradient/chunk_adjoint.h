// One worker's adjoint solver: from states and loss slopes to D u, a group of samples at a time.
#pragma once

#include <memory>

#include "irn/gradient/gradient.h"
#include "irn/network/packed.h"

namespace irn {

// Row-major arrays over one group of samples: states and deltas [sample][neuron], slopes [sample][output].
template <class T>
struct AdjointTask {
  std::size_t samples = 0;
  const T* states = nullptr;
  const T* loss_slopes = nullptr;
  T* deltas = nullptr;              // D u
  double* amplification = nullptr;  // |u| / |g|; infinite where u could not be found
  double* products = nullptr;       // with A^T D, spent on u
};

template <class T>
class ChunkAdjoint {
 public:
  virtual ~ChunkAdjoint() = default;
  virtual std::size_t width() const = 0;
  virtual void solve(const AdjointTask<T>& task) = 0;  // task.samples <= width()
  // v[sample][inputs] = B^T delta
  virtual void input_gradient(const AdjointTask<T>& task, T* out) = 0;
};

// How u = g + A^T D u is solved: as a series, by a sweep back through the layers, with factors, or with products.
enum class AdjointKind : unsigned char { series, sweep, dense, krylov };
AdjointKind adjoint_kind(const Architecture& architecture, const Gradient& gradient);

template <class T>
std::unique_ptr<ChunkAdjoint<T>> make_chunk_adjoint(const PackedNetwork<T>& network,
                                                    const Gradient& gradient);

// Reverse through plain iterations. `visited` [step][sample][neuron] receives z_0 .. z_{n-1}, `deltas` the matching
// [step][sample][neuron] of D u; states the final z_n.
template <class T>
class ChunkUnrolled {
 public:
  virtual ~ChunkUnrolled() = default;
  virtual std::size_t width() const = 0;
  virtual void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, std::size_t steps,
                       T* visited, std::size_t step_stride, T* states, double* residuals) = 0;
  virtual void backward(const AdjointTask<T>& last, std::size_t steps, const T* visited,
                        std::size_t step_stride, T* deltas) = 0;
};

template <class T>
std::unique_ptr<ChunkUnrolled<T>> make_chunk_unrolled(const PackedNetwork<T>& network);

}  // namespace irn
