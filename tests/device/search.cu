// The text of the solvers for one thread of a device: every solver of the list, launch, shortcut, steps and confirmation, searches the
// equilibrium of one sample of a small network. That it compiles is the test; nothing is run.
// Not all inlined, as for a search in registers: that would take minutes to compile.
#define IRN_FN __host__ __device__
#define IRN_INLINE __host__ __device__ inline
#define IRN_NOINLINE __host__ __device__
#define IRN_UNROLL _Pragma("unroll")
#include "irn/engine/cuda/thread_map-inl.h"
//
#include "irn/equilibrium/all_solvers-inl.h"

namespace irn::plain {

// What a driver asks for beside, of one problem that is there from the first.
template <class V, std::size_t n>
struct ListedMap : ThreadMap<V, n, SigmoidNeurons<V>> {
  using ThreadMap<V, n, SigmoidNeurons<V>>::ThreadMap;
  __device__ void load(std::span<const Placed>, V* z, V* f) {
    for (std::size_t i = 0; i < n; ++i) z[i] = V();
    this->apply(z, f);
  }
  __device__ void load_group(std::size_t, std::size_t, V* z, V* f) { load({}, z, f); }
  __device__ void resume(std::span<const Placed>) {}
  __device__ void linearise_at(std::span<const std::size_t>, const V* z) { this->linearise(z, z); }
};

// Hands out parts of a piece of memory of the thread's own.
template <class V, std::size_t vectors_size, std::size_t bytes>
class DriverMemory {
 public:
  __device__ V* vectors(std::size_t count, std::size_t size) {
    return vectors_ + (used_ += count * size) - count * size;
  }
  __device__ V* scalars(std::size_t count) { return vectors(count, 1); }
  template <class Number>
  __device__ Number* numbers(std::size_t count) {
    const std::size_t size = (count * sizeof(Number) + 15) / 16 * 16;
    return reinterpret_cast<Number*>(bytes_ + (taken_ += size) - size);
  }

 private:
  V vectors_[vectors_size];
  alignas(16) unsigned char bytes_[bytes];
  std::size_t used_ = 0, taken_ = 0;
};

template <class T, std::size_t n, class Options>
__global__ void search(Options options, T tolerance, const T* a, const T* drives, T* states,
                       Verdict* verdicts, std::size_t samples) {
  using V = One<T, std::integral_constant<std::size_t, n>>;
  using Map = ListedMap<V, n>;
  const std::size_t sample = blockIdx.x * blockDim.x + threadIdx.x;
  if (sample >= samples) return;
  V drive[n];
  for (std::size_t i = 0; i < n; ++i) drive[i] = V(drives[sample * n + i]);
  Map map({}, a, drive, {});
  DriverMemory<V, 40 * n + 4096, 64 * n + 64> memory;
  Driver<V, Options, Map> driver(options, {}, {.tolerance = tolerance, .bounded = true}, 1, memory);
  driver.run(map, 1, {states + sample * n, verdicts + sample});
}

template <class T, class... Options>
void launch(std::variant<Auto, Options...>) {
  (search<T, 7, Options><<<1, 1>>>({}, T(1e-5), nullptr, nullptr, nullptr, nullptr, 0), ...);
}
template void launch<float>(Solver);
template void launch<double>(Solver);

}  // namespace irn::plain
