// What the steps of all solvers share: memory for their vectors, and algebra on states of [n][width] numbers.
//
// A solver is its options plus one step; the driver (driver-inl.h) judges. A step is a class with
//
//   Step(const Options&, std::size_t n, Arena<T>&)
//   static constexpr bool memoryless   whether lanes may be of different ages; then a settled lane is refilled
//   void reset(std::size_t lane)       the lane begins anew
//   Lanes<T> move(LaneMap<T>&, T* z, const T* f, Lanes<T> residual)
//                                      moves z, where f = F(z); returns the evaluations it spent, lane by lane
#if defined(IRN_EQUILIBRIUM_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_STEP_INL_H_
#undef IRN_EQUILIBRIUM_STEP_INL_H_
#else
#define IRN_EQUILIBRIUM_STEP_INL_H_
#endif

#include "irn/base/aligned.h"
#include "irn/equilibrium/solver.h"
#include "irn/kernels/lanes-inl.h"
#include "irn/network/lane_map.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// Hands out the vectors of a step. They live as long as the arena; a solve allocates nothing.
template <class T>
class Arena {
 public:
  T* vectors(std::size_t count, std::size_t n) {
    parts_.emplace_back(count * n * Lanes<T>::width);
    return parts_.back().data();
  }
  T* lanes() { return vectors(1, 1); }  // one number a lane

 private:
  std::vector<AlignedBuffer<T>> parts_;
};

template <class T>
HWY_INLINE Lanes<T> at(const T* v, std::size_t i) {
  return Lanes<T>::load(v + i * Lanes<T>::width);
}
template <class T>
HWY_INLINE void put(T* v, std::size_t i, Lanes<T> x) {
  x.store(v + i * Lanes<T>::width);
}
template <class T>
HWY_INLINE Lanes<T> dot(const T* a, const T* b, std::size_t n) {
  Lanes<T> sum;
  for (std::size_t i = 0; i < n; ++i) sum = mul_add(at(a, i), at(b, i), sum);
  return sum;
}
// y += s x
template <class T>
HWY_INLINE void add_scaled(T* y, Lanes<T> s, const T* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) put(y, i, mul_add(s, at(x, i), at(y, i)));
}
// g = f - z, the right side of the flow
template <class T>
HWY_INLINE void flow(const T* z, const T* f, T* g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) put(g, i, at(f, i) - at(z, i));
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
