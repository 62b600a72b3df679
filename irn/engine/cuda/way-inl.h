// A SearchWay made of the kernels of a way (search_kernel-inl.h).
#ifndef IRN_ENGINE_CUDA_WAY_INL_H_
#define IRN_ENGINE_CUDA_WAY_INL_H_

#include "irn/engine/cuda/search_kernel-inl.h"
#include "irn/engine/cuda/way.h"

namespace irn::cuda {

template <class Way>
class KernelWay final : public SearchWay<typename Way::T> {
 public:
  using T = typename Way::T;
  std::size_t size() const override { return Way::size; }
  VectorLayout layout(std::size_t count) const override { return Way::layout(count); }
  bool keeps_launched() const override { return true; }

  std::vector<T> arranged(const T* a, std::size_t n) const override {
    std::vector<T> all(Way::size * Way::size);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) all[Way::entry(i, j)] = a[i * n + j];
    return all;
  }

  void run(const std::vector<T>& a, const Solver& solver, const Rules<double>& rules,
           const SearchMemory<T>& memory, cudaStream_t stream) const override {
    Given<T, Way::constants> given{std::get<Rosenbrock>(solver), rules.in<T>(), {}};
    if constexpr (Way::constants > 1) std::copy(a.begin(), a.end(), given.a);
    start(launch_all<Way>, given, memory, stream);
    start(go_rounds<Way>, given, memory, stream);
    if (rules.confirm) start(confirm_all<Way>, given, memory, stream);
  }

 private:
  using Kernel = void (*)(Given<T, Way::constants>, SearchMemory<T>);
  static void start(Kernel kernel, const Given<T, Way::constants>& given, const SearchMemory<T>& memory,
                    cudaStream_t stream) {
    const std::size_t shared = Way::constants > 1 ? 0 : Way::size * Way::size * sizeof(T);
    constexpr std::size_t samples = threads_a_block / Way::V::Share::threads;
    const unsigned blocks =
        blocks_for(kernel, threads_a_block, shared, (memory.count + samples - 1) / samples);
    launch(kernel, {blocks, threads_a_block, stream, shared}, given, memory);
  }
};

}  // namespace irn::cuda

#endif
