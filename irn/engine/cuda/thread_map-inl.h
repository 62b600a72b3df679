// F(z) = f(A z + drive) for one sample in one thread of a device: A is shared by all threads, everything else
// is the thread's own.
//
// The size of a state is V::Size: if the compiler knows it, loops are unrolled and the arrays are in
// registers. Also compiled for the host, where tests compare it with the network's own map.
#ifndef IRN_ENGINE_CUDA_THREAD_MAP_INL_H_
#define IRN_ENGINE_CUDA_THREAD_MAP_INL_H_

#include "irn/engine/cuda/device_text-inl.h"
//
#include <type_traits>

#include "irn/kernels/activation-inl.h"
#include "irn/kernels/lu-inl.h"
#include "irn/network/activation.h"

namespace irn::plain {

// All neurons are sigmoid.
template <class V>
struct SigmoidNeurons {
  IRN_INLINE V value(std::size_t, V u) const { return Sigmoid<V>::value(u); }
  IRN_INLINE V slope(std::size_t, V f) const { return Sigmoid<V>::slope(f); }
};
// Each neuron has its own kind.
template <class V>
class MixedNeurons {
 public:
  IRN_FN explicit MixedNeurons(const Activation* kinds) : kinds_(kinds) {}
  IRN_INLINE V value(std::size_t i, V u) const {
    return with(kinds_[i], [&](auto f) { return decltype(f)::value(u); });
  }
  IRN_INLINE V slope(std::size_t i, V value) const {
    return with(kinds_[i], [&](auto f) { return decltype(f)::slope(value); });
  }

 private:
  template <class Do>
  IRN_INLINE static V with(Activation kind, const Do& what) {
    switch (kind) {
      case Activation::sigmoid:
        return what(Sigmoid<V>{});
      case Activation::tanh:
        return what(Tanh<V>{});
      case Activation::relu:
        return what(Relu<V>{});
      case Activation::softplus:
        return what(Softplus<V>{});
      case Activation::identity:
        break;
    }
    return what(Identity<V>{});
  }

  const Activation* kinds_;
};

template <class V, std::size_t most, class Neurons>
class ThreadMap {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  // `a` is row-major n x n; `drive` holds B x + b, n numbers of this thread.
  IRN_FN ThreadMap(Size n, const T* a, const V* drive, const Neurons& neurons)
      : n_(n), a_(a), drive_(drive), neurons_(neurons) {}

  IRN_FN void apply(const V* z, V* f) const {
    const Size n = n_;
    for (std::size_t i = 0; i < n; ++i) {
      V sum = drive_[i];
      for (std::size_t j = 0; j < n; ++j) sum = mul_add(V(a_[i * n + j]), z[j], sum);
      f[i] = neurons_.value(i, sum);
    }
  }
  IRN_FN void retire(unsigned) {}
  IRN_FN void linearise(const V*, const V* f) {
    for (std::size_t i = 0; i < n_; ++i) slopes_[i] = neurons_.slope(i, f[i]);
  }
  IRN_FN void jacobian_times(const V* v, V* out) const {
    const Size n = n_;
    for (std::size_t i = 0; i < n; ++i) {
      V sum;
      for (std::size_t j = 0; j < n; ++j) sum = mul_add(V(a_[i * n + j]), v[j], sum);
      out[i] = slopes_[i] * sum;
    }
  }
  IRN_INLINE V operator()(std::size_t i, std::size_t j) const {  // an entry of  shift I - D A
    return neg_mul_add(slopes_[i], V(a_[i * n_ + j]), i == j ? shift_ : V());
  }
  IRN_FN void factor(const V& shift) {
    shift_ = shift;
    plain::factor(LaneMatrix<V>{factors_, n_}, *this);
  }
  IRN_FN void solve(V* x) { plain::solve<V, false>(LaneMatrix<V>{factors_, n_}, x); }
  IRN_FN void solve_transposed(V* x) { plain::solve<V, true>(LaneMatrix<V>{factors_, n_}, x); }
  IRN_INLINE V slope(std::size_t i) const { return slopes_[i]; }
  IRN_FN V determinant_sign() { return plain::determinant_sign(LaneMatrix<V>{factors_, n_}); }

 private:
  [[no_unique_address]] Size n_;
  const T* a_;
  const V* drive_;
  Neurons neurons_;
  V shift_, slopes_[most], factors_[most * most];
};

// The memory that a search asks for. Vectors whose size the compiler knows have an array of their own: if
// they shared one with vectors that are indexed at run time, they could not be in registers.
template <class V, std::size_t most>
class ThreadMemory {
 public:
  IRN_FN ThreadMemory() {}
  template <std::size_t n>
  IRN_FN V* vectors(std::size_t count, std::integral_constant<std::size_t, n>) {
    return known(count * n);
  }
  IRN_FN V* vectors(std::size_t count, std::size_t size) { return other(count * size); }
  IRN_FN V* scalars(std::size_t count) { return count == 1 ? known(1) : other(count); }

 private:
  // Vectors: the step has 4 and its four numbers, the judge 1, the launch 4, the confirmation 4; its powers
  // are two matrices.
  static constexpr std::size_t vectors_of_search = 13;
  static constexpr bool is_known = !std::is_same_v<typename V::Size, std::size_t>;

  IRN_FN V* other(std::size_t size) {
    others_used_ += size;
    return others_ + others_used_ - size;
  }
  IRN_FN V* known(std::size_t size) {
    known_used_ += size;
    return known_ + known_used_ - size;
  }
  V known_[(is_known ? vectors_of_search * most : 0) + 4];
  union {  // not initialised: these are in the thread's memory, and few searches write to them
    V others_[(is_known ? 1 : vectors_of_search) * most + 2 * most * most * V::Share::threads];
  };
  std::size_t known_used_ = 0, others_used_ = 0;
};

}  // namespace irn::plain

#endif
