// The text of the solvers for one thread of a device: every solver of the list, launch, shortcut, steps and confirmation, searches the
// equilibrium of one sample of a small network. That it compiles is the test; nothing is run.
#define IRN_FN __host__ __device__
#define IRN_INLINE __host__ __device__ inline
#define IRN_NOINLINE __host__ __device__
#define IRN_UNROLL _Pragma("unroll")
#include "irn/kernels/plain_lanes-inl.h"
//
#include <type_traits>

#include "irn/equilibrium/all_solvers-inl.h"
#include "irn/kernels/activation-inl.h"
#include "irn/kernels/lu-inl.h"

#ifdef HIGHWAY_HWY_BASE_H_
#error "no SIMD header of a host compiler belongs here"
#endif

namespace irn::plain {

// F(z) = f(A z + drive) for one sample, all of it in the thread's own memory.
template <class V, std::size_t n>
class ThreadMap {
 public:
  using T = typename V::Scalar;
  __device__ ThreadMap(const T* a, const T* drive) : a_(a), drive_(drive) {}
  __device__ void load(std::span<const Placed>, V* z, V* f) {
    for (std::size_t i = 0; i < n; ++i) z[i] = V();
    apply(z, f);
  }
  __device__ void load_group(std::size_t, std::size_t, V* z, V* f) { load({}, z, f); }
  __device__ void resume(std::span<const Placed>) {}
  __device__ void retire(unsigned) {}
  __device__ void apply(const V* z, V* f) const {
    for (std::size_t i = 0; i < n; ++i) {
      V sum(drive_[i]);
      for (std::size_t j = 0; j < n; ++j) sum = mul_add(V(a_[i * n + j]), z[j], sum);
      f[i] = Sigmoid<V>::value(sum);
    }
  }
  __device__ void linearise(const V*, const V* f) {
    for (std::size_t i = 0; i < n; ++i) slopes_[i] = Sigmoid<V>::slope(f[i]);
  }
  __device__ void linearise_at(std::span<const std::size_t>, const V* z) { linearise(z, z); }
  __device__ void jacobian_times(const V* v, V* out) const {
    for (std::size_t i = 0; i < n; ++i) {
      V sum;
      for (std::size_t j = 0; j < n; ++j) sum = mul_add(V(a_[i * n + j]), v[j], sum);
      out[i] = slopes_[i] * sum;
    }
  }
  __device__ V operator()(std::size_t i, std::size_t j) const {  // an entry of  shift I - D A
    return neg_mul_add(slopes_[i], V(a_[i * n + j]), i == j ? shift_ : V());
  }
  __device__ void factor(const V& shift) {
    shift_ = shift;
    plain::factor(LaneMatrix<V>{factors_, n}, *this);
  }
  __device__ void solve(V* x) { plain::solve<V, false>(LaneMatrix<V>{factors_, n}, x); }
  __device__ V determinant_sign() { return plain::determinant_sign(LaneMatrix<V>{factors_, n}); }

 private:
  const T *a_, *drive_;
  V shift_, slopes_[n], factors_[n * n];
};

// Hands out parts of a piece of memory of the thread's own.
template <class V, std::size_t vectors_size, std::size_t bytes>
class ThreadMemory {
 public:
  __device__ V* vectors(std::size_t count, std::size_t size) {
    return vectors_ + (used_ += count * size) - count * size;
  }
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
  using Map = ThreadMap<V, n>;
  const std::size_t sample = blockIdx.x * blockDim.x + threadIdx.x;
  if (sample >= samples) return;
  Map map(a, drives + sample * n);
  ThreadMemory<V, 40 * n + 4096, 64 * n + 64> memory;
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
