// One worker's pass through plain iterations and back, a group of samples at a time.
#pragma once

#include <memory>

#include "irn/data/samples.h"
#include "irn/gradient/chunk_adjoint.h"
#include "irn/network/start_states.h"

namespace irn {

// Row-major arrays: `visited` [step][sample][neuron] receives z_0 .. z_{n-1}, `deltas` the matching D u,
// `states` z_n. `step_stride` is the distance from one step to the next.
template <class T>
class ChunkUnrolled {
 public:
  virtual ~ChunkUnrolled() = default;
  virtual std::size_t width() const = 0;
  virtual void forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                       const StartStates<T>& starts, T* visited, std::size_t step_stride, T* states,
                       Verdict* verdicts) = 0;
  // `task` has the last states; its deltas, amplification and products are not touched.
  virtual void backward(const AdjointTask<T>& task, const T* visited, std::size_t step_stride, T* deltas) = 0;
};

template <class T>
std::unique_ptr<ChunkUnrolled<T>> make_chunk_unrolled(const PackedNetwork<T>& network, std::size_t steps,
                                                      double tolerance, std::span<const HeadRange> heads);

}  // namespace irn
