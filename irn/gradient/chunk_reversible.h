// One worker's way through the reversible iteration and back, a group of samples at a time.
#pragma once

#include <memory>

#include "irn/gradient/chunk_adjoint.h"

namespace irn {

// Where the (delta, state) pairs of a stretch of steps go: two a step, [2 step][sample][neuron], from one to the next `stride` numbers.
// Nowhere if null.
template <class T>
struct PairRows {
  T* deltas = nullptr;
  T* sources = nullptr;
  std::size_t stride = 0;
};

template <class T>
class ChunkReversible {
 public:
  virtual ~ChunkReversible() = default;
  virtual std::size_t width() const = 0;
  virtual std::size_t end_size() const = 0;    // numbers that forward() leaves of a group
  virtual std::size_t carry_size() const = 0;  // and that a way back takes along

  virtual void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, T* states,
                       Verdict* verdicts, double* end) = 0;
  // At the end of the iteration, with the slopes [sample][neurons of the heads].
  virtual void begin(const double* end, const T* slopes, std::size_t samples, double* carry) = 0;
  // `steps` back.
  virtual void back(const Samples<T>& inputs, std::span<const std::uint64_t> index, std::size_t steps,
                    const PairRows<T>& pairs, double* carry) = 0;
  // At the start: deltas [sample][neuron], summed over the steps, and how far y and z are from where they began.
  virtual void finish(const double* carry, std::size_t samples, T* deltas, double* errors) = 0;
};

template <class T>
std::unique_ptr<ChunkReversible<T>> make_chunk_reversible(const PackedNetwork<T>& network,
                                                          const Reversible& iteration, double tolerance,
                                                          std::span<const HeadRange> heads);

}  // namespace irn
