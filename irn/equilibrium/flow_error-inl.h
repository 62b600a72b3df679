// How large the error of a step along the flow may be, and how long the next step.
//
// In each unknown it may not exceed `error` max(floor, |z_i|), which keeps the path in the right basin, nor a
// multiple of the residual: if the bound did not fall with the residual, the state would wander around the
// equilibrium for ever.
#if defined(IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#undef IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#else
#define IRN_EQUILIBRIUM_FLOW_ERROR_INL_H_
#endif

#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class FlowError {
 public:
  using T = typename V::Scalar;
  IRN_FN FlowError(T error, const Rules<T>& rules)
      : error_(error), floor_(rules.floor), alike_(rules.bounded && rules.floor >= T(1)) {}

  // The error of a step over its unknowns, and the size that it is relative to: error / size is the largest
  // |error_i| / max(floor, |z_i|). If no unknown can be larger than the floor, both have the same scale
  // (`alike_`), and no division is needed.
  class Estimate {
   public:
    IRN_FN explicit Estimate(const FlowError& of) : floor_(of.floor_), alike_(of.alike_), size_(of.floor_) {}
    IRN_INLINE void add(V z, V error) {
      error_ = larger_size(error_, error);
      const V own = max(V(floor_), abs(z));
      size_ = max(size_, own);
      if (!alike_) relative_ = larger_size(relative_, error / own);
    }
    // Combines the unknowns of all threads; call it after the last add().
    IRN_FN void finish() {
      error_ = largest_of_all(error_), size_ = largest_of_all(size_);
      if (!alike_) relative_ = largest_of_all(relative_);
    }
    IRN_FN V error() const { return error_; }
    IRN_FN V size() const { return alike_ ? size_ : select(relative_ > V(), error_ / relative_, size_); }

   private:
    T floor_;
    bool alike_;
    V error_, size_, relative_;
  };

  IRN_INLINE V allowed(V size, V share_of_residual) const { return min(V(error_) * size, share_of_residual); }

 private:
  T error_, floor_;
  bool alike_;
};

// The factor for the length of a step whose estimate, of third order in the length, should be `allowed`.
template <class V>
IRN_INLINE V change_of_step(V allowed, V estimate) {
  using T = typename V::Scalar;
  constexpr T safety = T(0.8), most_growth = T(6), most_shrinkage = T(0.2);
  const V ratio = allowed / max(estimate, allowed * V(T(1e-3)));
  const V factor = V(safety) * rough_cube_root(ratio);
  const V bounded = max(min(factor, V(most_growth)), V(most_shrinkage));
  return select(is_finite(estimate), bounded, V(most_shrinkage));
}

IRN_LANES_END

#endif
