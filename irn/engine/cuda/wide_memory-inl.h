// The memory of a search of one sample by products, and how much of it a solver needs.
#ifndef IRN_ENGINE_CUDA_WIDE_MEMORY_INL_H_
#define IRN_ENGINE_CUDA_WIDE_MEMORY_INL_H_

#include "irn/engine/cuda/device_text-inl.h"
//
#include "irn/engine/cuda/module.h"
#include "irn/engine/cuda/wide_shape.h"

namespace irn::cuda {

// Hands out parts of the thread's own memory, which the device arranges so that neighbouring threads read
// neighbouring numbers. A vector holds the thread's unknowns; scalars belong to the state as a whole and are
// the same in all threads that share it.
// unknowns, and numbers of the state as a whole, which are the same in all threads that share it.
template <class V>
class WideMemory {
 public:
  IRN_FN WideMemory(V* vectors, V* scalars) : vectors_(vectors), scalars_(scalars) {}
  IRN_FN V* vectors(std::size_t count, std::size_t size) { return (vectors_ += count * size) - count * size; }
  IRN_FN V* scalars(std::size_t count) { return (scalars_ += count) - count; }
  template <class Number>
  IRN_FN Number* numbers(std::size_t count) {
    static_assert(sizeof(Number) == sizeof(std::size_t));
    return reinterpret_cast<Number*>((numbers_used_ += count) - count + numbers_);
  }

 private:
  V *vectors_, *scalars_;
  std::size_t numbers_[4];  // lists for one problem
  std::size_t numbers_used_ = 0;
};

// How much of it a search needs.
template <class Options>
struct WideSizes;
template <>
struct WideSizes<Anderson> {
  static constexpr std::size_t most_memory = most_anderson_memory;  // columns
  static constexpr std::size_t vectors = 2 + 2 * most_memory + 3 + 1 + 19 + 1;
  static constexpr std::size_t scalars = 2 * most_memory * (most_memory + 1) + 16 * 16;
};
template <>
struct WideSizes<RosenbrockKrylov> {
  static constexpr std::size_t most_memory = most_krylov_memory;
  static constexpr std::size_t vectors = 4 + 4 + (2 + 8 + 3) + (4 + most_memory + 2 + 3) + 19 + 1 + 2;
  static constexpr std::size_t scalars = 4 + 2 * 4 * 5 + (most_memory + 1) * (most_memory + 3) + 16 * 16 + 8;
};

}  // namespace irn::cuda

#endif
