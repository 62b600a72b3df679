// Linearly implicit, error-controlled steps along dz/dt = G(z) = F(z) - z: the L-stable method ROS3 of order 3 with an
// error estimate of order 2 (Sandu et al., Atmos. Environ. 31 (1997) 3459). One factorisation of M = shift I - J,
// shift = 1 + 1 / (gamma h), J = dF/dz at z, two values of G and three solves a step; each lane has its own h:
//   M p = G(z),   M q = G(z + p) + (c21 / h) p,   M r = G(z + p) + (c31 p + c32 q) / h
//   z+ = z + p + m2 q + m3 r,                     error estimate e1 p + e2 q + e3 r
// Newton's method followed by one simplified Newton step is the same with 1 / h = 0 and other weights:
//   M p = G(z),   M q = G(z + p),   z+ = z + p + q,   and q, which should be much shorter than p, as the estimate.
// A lane changes over to it once its h has outgrown `newton_length`, where the flow only relaxes; if q is not short, it
// goes back to the flow and tries again when h has grown four times longer.
//
// The error may not exceed `error`, which keeps the path in the right basin, nor three times the residual: with
// a bound that did not fall with the residual the state would wander about the equilibrium for ever.
// Does not judge convergence: the driver does.
//
// Tried and left: ROS2 (one solve less) needs half as many steps again for the same fidelity to the flow.
#if defined(IRN_EQUILIBRIUM_ROSENBROCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#undef IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#else
#define IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#endif

#include "hwy/contrib/math/math-inl.h"
#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// x^(1/3) within 5 %, which is plenty for a step length: the bits of a number, read as an integer, are its logarithm.
HWY_INLINE Lanes<float> rough_cube_root(Lanes<float> x) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto bits = hn::ConvertTo(d, hn::BitCast(di, x.v));
  const auto third = hn::MulAdd(bits, hn::Set(d, 1.0f / 3), hn::Set(d, 709965728.0f));
  return Lanes<float>(hn::BitCast(d, hn::ConvertTo(di, third)));
}
HWY_INLINE Lanes<double> rough_cube_root(Lanes<double> x) {
  const hn::ScalableTag<double> d;
  return Lanes<double>(hn::Exp(d, hn::Mul(hn::Set(d, 1.0 / 3), hn::Log(d, x.v))));
}

template <class T>
class RosenbrockStep {
 public:
  static constexpr bool memoryless = true;
  static constexpr T gamma = T(0.43586652150845899941601945119356);
  static constexpr T c21 = T(-1.0156171083877702091975600115545), c31 = T(4.0759956452537699824805835358067),
                     c32 = T(9.2076794298330791242156818474003);
  static constexpr T m2 = T(6.1697947043828245592553615689730), m3 = T(-0.4277225654321857332623837380651);
  static constexpr T e1 = T(0.5), e2 = T(-2.9079558716805469821718236208017), e3 = T(0.2235406989781156962736090927619);
  // Measured on networks trained on the oscillator task: shorter and Newton's method leaves the basin, longer and steps
  // are wasted on a flow that only relaxes.
  static constexpr T newton_length = T(4);
  // How short Newton's second step must be, against its first and as such.
  static constexpr T newton_contraction = T(0.25), newton_bound = T(0.03);
  static constexpr T residual_share = T(3);
  static constexpr T safety = T(0.8), most_growth = T(6), most_shrinkage = T(0.2);

  RosenbrockStep(const Rosenbrock& o, std::size_t n, Arena<T>& arena)
      : n_(n),
        start_(static_cast<T>(o.step)),
        error_(static_cast<T>(o.error)),
        h_(arena.lanes()),
        newton_at_(arena.lanes()),
        shift_(arena.lanes()),
        p_(arena.vectors(1, n)),
        q_(arena.vectors(1, n)),
        r_(arena.vectors(1, n)),
        z1_(arena.vectors(1, n)) {}

  void reset(std::size_t lane) {
    h_[lane] = start_;
    newton_at_[lane] = newton_length;
  }

  Lanes<T> move(LaneMap<T>& map, T* z, const T* f, Lanes<T> residual) {
    const Lanes<T> one(T(1)), h = Lanes<T>::load(h_);
    const Mask newton = h > Lanes<T>::load(newton_at_);
    const Lanes<T> rate = select(newton, Lanes<T>(), one / h);
    mul_add(rate, Lanes<T>(T(1) / gamma), one).store(shift_);
    map.linearise(z, f);
    map.factor(shift_);
    solve_stages(map, z, f, rate);
    finish(z, h, newton, residual);
    return Lanes<T>(T(2));
  }

 private:
  using Mask = typename Lanes<T>::Mask;

  void solve_stages(LaneMap<T>& map, const T* z, const T* f, Lanes<T> rate) {
    flow(z, f, p_, n_);
    map.solve(p_);
    for (std::size_t i = 0; i < n_; ++i) put(z1_, i, at(p_, i) + at(z, i));
    map.apply(z1_, r_);
    const Lanes<T> p_in_q = rate * Lanes<T>(c21), p_in_r = rate * Lanes<T>(c31), q_in_r = rate * Lanes<T>(c32);
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes<T> g = at(r_, i) - at(z1_, i), p = at(p_, i);
      put(q_, i, mul_add(p_in_q, p, g));
      put(r_, i, mul_add(p_in_r, p, g));
    }
    map.solve(q_);
    for (std::size_t i = 0; i < n_; ++i) put(r_, i, mul_add(q_in_r, at(q_, i), at(r_, i)));
    map.solve(r_);
  }

  void finish(T* z, Lanes<T> h, Mask newton, Lanes<T> residual) {
    const Lanes<T> zero, one(T(1));
    const Lanes<T> q_weight = select(newton, one, Lanes<T>(m2)), r_weight = select(newton, zero, Lanes<T>(m3));
    const Lanes<T> p_error = select(newton, zero, Lanes<T>(e1)), q_error = select(newton, one, Lanes<T>(e2)),
                   r_error = select(newton, zero, Lanes<T>(e3));
    Lanes<T> estimate, p_size;
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes<T> p = at(p_, i), q = at(q_, i), r = at(r_, i);
      estimate = max(estimate, abs(mul_add(p_error, p, mul_add(q_error, q, r_error * r))));
      p_size = max(p_size, abs(p));
      put(z1_, i, mul_add(q_weight, q, mul_add(r_weight, r, at(z1_, i))));
    }
    const Lanes<T> allowed = min(Lanes<T>(error_), Lanes<T>(residual_share) * residual);
    const Lanes<T> newton_allowed = min(Lanes<T>(newton_contraction) * p_size, Lanes<T>(newton_bound));
    const Mask good = estimate <= select(newton, newton_allowed, allowed);  // false where it is not a number
    for (std::size_t i = 0; i < n_; ++i) put(z, i, select(good, at(z1_, i), at(z, i)));
    select(newton, h, h * change(allowed, estimate)).store(h_);
    const Mask failed = hn::AndNot(good, newton);
    select(failed, Lanes<T>(T(4)) * h, Lanes<T>::load(newton_at_)).store(newton_at_);
  }

  // The estimate is of third order in h.
  static Lanes<T> change(Lanes<T> allowed, Lanes<T> estimate) {
    const Lanes<T> ratio = allowed / max(estimate, allowed * Lanes<T>(T(1e-3)));
    const Lanes<T> factor = Lanes<T>(safety) * rough_cube_root(ratio);
    const Lanes<T> bounded = max(min(factor, Lanes<T>(most_growth)), Lanes<T>(most_shrinkage));
    return select(is_finite(estimate), bounded, Lanes<T>(most_shrinkage));
  }

  std::size_t n_;
  T start_, error_;
  T *h_, *newton_at_, *shift_, *p_, *q_, *r_, *z1_;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
