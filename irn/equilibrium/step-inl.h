// What the steps of all solvers share: memory for their vectors, and algebra on states, which are n sets of lanes V.
//
// A solver is its options plus one step; the loop (rounds-inl.h) judges. A step is a class with
//
//   Step(const Options&, std::size_t n, Arena<V>&)
//   static constexpr bool launches     whether it begins where the launch (launch-inl.h) ends
//   static constexpr bool takes_shortcut   whether the shortcut (shortcut-inl.h) is tried before it; its options have `shortcut`
//   static constexpr bool follows_flow whether it is to end only where the flow does, and the map has factors
//   static constexpr bool leaps        whether one step may go the whole way, so that there are no residuals on it
//   void restart()                     every lane is to begin anew
//   bool open()                        whether a lane may begin anew beside older ones
//   void reset(Mask lanes)             these lanes begin anew; of a step that launches: reset(lanes, h), the launch's next h
//   Mask lost(V residual)              optional, once a round: the lanes that are to be given up
//   V move(LaneMap<V>&, V* z, const V* f, V residual)
//                                      moves z, where f = F(z); returns the evaluations it spent, lane by lane
// and StepOf<V, Options> names it.
#if defined(IRN_EQUILIBRIUM_STEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_STEP_INL_H_
#undef IRN_EQUILIBRIUM_STEP_INL_H_
#else
#define IRN_EQUILIBRIUM_STEP_INL_H_
#endif

#include <limits>
#include <vector>

#include "irn/base/aligned.h"
#include "irn/equilibrium/solver.h"
#include "irn/kernels/lanes-inl.h"
#include "irn/network/lane_map.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// Which step belongs to which options: specialised beside each step.
template <class V, class Options>
struct StepOf;

// What most steps are not, and that they keep nothing of a lane.
struct StepDefaults {
  static constexpr bool launches = false, takes_shortcut = false, follows_flow = false, leaps = false;
  template <class Mask>
  static void reset(const Mask&) {}
};
// What a step inherits whose lanes may be of any age.
struct AnyAge : StepDefaults {
  static void restart() {}
  static constexpr bool open() { return true; }
};

// Hands out the vectors of a step. They live as long as the arena; a solve allocates nothing.
template <class V>
class Arena {
 public:
  V* vectors(std::size_t count, std::size_t n) {
    parts_.emplace_back(count * n);
    return parts_.back().data();
  }

 private:
  std::vector<AlignedBuffer<V>> parts_;
};

template <class V>
HWY_INLINE V dot(const V* a, const V* b, std::size_t n) {
  V sum[4];  // side by side: each addition waits for the one before it
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) IRN_UNROLL
  for (std::size_t r = 0; r < 4; ++r) sum[r] = mul_add(a[i + r], b[i + r], sum[r]);
  for (; i < n; ++i) sum[0] = mul_add(a[i], b[i], sum[0]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
// y += s x
template <class V>
HWY_INLINE void add_scaled(V* y, V s, const V* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = mul_add(s, x[i], y[i]);
}
// How far z is from rest, f being F(z): residual = |f - z|, infinite where it is not a number, to be measured against
// size = max(1, |z|), all in the maximum norm.
template <class V>
struct Distance {
  V residual, size;
  HWY_INLINE Distance(const V* z, const V* f, std::size_t n) : size(typename V::Scalar(1)) {
    for (std::size_t i = 0; i < n; ++i) {
      residual = larger_size(residual, f[i] - z[i]);
      size = max(size, abs(z[i]));
    }
    residual = select(is_finite(residual), residual, V(std::numeric_limits<typename V::Scalar>::infinity()));
  }
};
// The lanes that have settled: residual <= tolerance max(1, |z|). A state that runs away must not settle by its size alone, nor because
// it is too large to change. One that is large for a reason had large residuals on its way: `highest` of a lane, which this keeps.
template <class V>
HWY_INLINE typename V::Mask has_settled(const Distance<V>& from_rest, typename V::Scalar tolerance,
                                        V& highest) {
  using T = typename V::Scalar;
  constexpr T far = T(100), rounding = std::numeric_limits<T>::epsilon();
  highest = max(highest, from_rest.residual);
  const V size = max(V(T(1)), min(from_rest.size, V(far) * highest));
  return is_finite(from_rest.residual) &
         (max(from_rest.residual, V(rounding) * from_rest.size) <= V(tolerance) * size);
}
// g = f - z, the right side of the flow
template <class V>
HWY_INLINE void flow(const V* z, const V* f, V* g, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) g[i] = f[i] - z[i];
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
