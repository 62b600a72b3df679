// ROS2 along dz/dt = G(z) = F(z) - z, gamma = 1 - 1/sqrt 2 (L-stable; Verwer et al., SIAM J. Sci. Comput. 20 (1999) 1456):
//   (I - gamma h G') k1 = G(z),   (I - gamma h G') k2 = G(z + h k1) - 2 k1,   z+ = z + h (3 k1 + k2) / 2
// with the error estimate h (k1 + k2) / 2, the distance to the first-order step z + h k1. Each lane has its own h.
//
// I - gamma h G' = gamma h ((1 + 1/(gamma h)) I - J), so one factorisation of `shift I - J` serves both stages:
//   p = (shift I - J)^-1 G(z),                  z1 = z + a p        a = 1 / gamma
//   q = (shift I - J)^-1 (G(z1) - c p),         z+ = z1 + e         c = 2 / (gamma h)
//   e = (p + q) / (2 gamma)
// Newton's method with a second, simplified step is the same with shift = 1, a = 1, c = 0, e = q. A lane changes over
// once its h has grown past `newton_length`, where the flow only relaxes, and goes back if the second step
// is not much shorter than the first. Accepted or not, |e| is what decides: it is small in both.
// Does not judge convergence: the driver does.
#if defined(IRN_EQUILIBRIUM_ROSENBROCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#undef IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#else
#define IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class T>
class RosenbrockStep {
 public:
  static constexpr bool memoryless = true;
  static constexpr T gamma = T(0.29289321881345248);
  // From here on the step is many time constants long and the state within `error` of where the flow relaxes to.
  static constexpr T newton_length = T(8);
  // Newton's second step must be this much shorter than its first; else the lane returns to the flow.
  static constexpr T newton_contraction = T(0.25);

  RosenbrockStep(const Rosenbrock& o, std::size_t n, Arena<T>& arena)
      : n_(n),
        start_(static_cast<T>(o.step)),
        error_(static_cast<T>(o.error)),
        h_(arena.lanes()),
        shift_(arena.lanes()),
        p_(arena.vectors(1, n)),
        q_(arena.vectors(1, n)),
        z1_(arena.vectors(1, n)) {}

  void reset(std::size_t lane) { h_[lane] = start_; }

  Lanes<T> move(LaneMap<T>& map, T* z, const T* f, Lanes<T>) {
    const Lanes<T> one(T(1)), h = Lanes<T>::load(h_);
    const auto newton = h > Lanes<T>(newton_length);
    const Lanes<T> rate = one / (Lanes<T>(gamma) * h);
    select(newton, one, one + rate).store(shift_);
    map.linearise(z, f);
    map.factor(shift_);
    flow(z, f, p_, n_);
    map.solve(p_);

    const Lanes<T> a = select(newton, one, Lanes<T>(T(1) / gamma));
    for (std::size_t i = 0; i < n_; ++i) put(z1_, i, mul_add(a, at(p_, i), at(z, i)));
    map.apply(z1_, q_);
    const Lanes<T> c = select(newton, Lanes<T>(), Lanes<T>(T(2)) * rate);
    for (std::size_t i = 0; i < n_; ++i) put(q_, i, neg_mul_add(c, at(p_, i), at(q_, i) - at(z1_, i)));
    map.solve(q_);
    finish(z, h, newton);
    return Lanes<T>(T(2));
  }

 private:
  void finish(T* z, Lanes<T> h, typename Lanes<T>::Mask newton) {
    const Lanes<T> half(T(0.5) / gamma);
    const Lanes<T> of_p = select(newton, Lanes<T>(), half), of_q = select(newton, Lanes<T>(T(1)), half);
    Lanes<T> e_size, p_size;
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes<T> p = at(p_, i), e = mul_add(of_p, p, of_q * at(q_, i));
      put(q_, i, e);
      e_size = max(e_size, abs(e));
      p_size = max(p_size, abs(p));
    }
    const Lanes<T> bound = select(newton, min(Lanes<T>(newton_contraction) * p_size, Lanes<T>(error_)), Lanes<T>(error_));
    const auto good = e_size <= bound;  // false where e is not a number
    for (std::size_t i = 0; i < n_; ++i) put(z, i, select(good, at(z1_, i) + at(q_, i), at(z, i)));
    // The estimate is of second order in h. A lane that Newton's method failed goes back to where steps are safe.
    const Lanes<T> ratio = Lanes<T>(error_) / max(e_size, Lanes<T>(error_ * T(1e-4)));
    const Lanes<T> factor = max(min(Lanes<T>(T(0.9)) * sqrt(ratio), Lanes<T>(T(6))), Lanes<T>(T(0.2)));
    const Lanes<T> next = h * select(is_finite(e_size), factor, Lanes<T>(T(0.2)));
    const Lanes<T> back = select(good, h, Lanes<T>(T(1)));
    select(newton, back, next).store(h_);
  }

  std::size_t n_;
  T start_, error_;
  T *h_, *shift_, *p_, *q_, *z1_;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
