// One worker's pass through the reversible iteration and back, a group of samples at a time.
#pragma once

#include <memory>

#include "irn/data/samples.h"
#include "irn/gradient/chunk_adjoint.h"
#include "irn/network/start_states.h"

namespace irn {

// Where the (delta, state) pairs of a stretch of steps are stored, two pairs a step:
// [2 step][sample][neuron], `stride` numbers from one to the next. If null, they are not stored.
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
  virtual std::size_t end_size() const = 0;    // numbers that forward() leaves for a group
  virtual std::size_t carry_size() const = 0;  // numbers that a pass back carries along

  virtual void forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                       const StartStates<T>& starts, T* states, Verdict* verdicts, double* end) = 0;
  // Starts the pass back at the end of the iteration, from the slopes [sample][neurons of the heads].
  virtual void begin(const double* end, const T* slopes, std::size_t samples, double* carry) = 0;
  // Goes back by `steps` steps.
  virtual void back(const Samples<T>& inputs, std::span<const std::uint64_t> index, std::size_t steps,
                    const PairRows<T>& pairs, double* carry) = 0;
  // Ends the pass back at the start: deltas [sample][neuron], summed over the steps, and how far y and z are
  // from where they began.
  virtual void finish(const double* carry, const StartStates<T>& starts, std::size_t samples, T* deltas,
                      double* errors) = 0;
};

template <class T>
std::unique_ptr<ChunkReversible<T>> make_chunk_reversible(const PackedNetwork<T>& network,
                                                          const Reversible& iteration, double tolerance,
                                                          std::span<const HeadRange> heads);

}  // namespace irn
