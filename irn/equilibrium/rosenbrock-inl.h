// Linearly implicit, error-controlled steps along dz/dt = G(z) = F(z) - z, from where the launch
// (launch-inl.h) ends: the L-stable method ROS3 of order 3 with an error estimate of order 2 (Sandu et al.,
// Atmos. Environ. 31 (1997) 3459). A step takes one factorisation of M = shift I - J, J = dF/dz at z,
// shift = 1 + 1 / (gamma h), two values of G and three solves; each lane has its own h:
//   M p = G(z),   M q = G(z + p) + (c21 / h) p,   M r = G(z + p) + (c31 p + c32 q) / h
//   z+ = z + p + m2 q + m3 r,                     error estimate e1 p + e2 q + e3 r
// Newton's method followed by one simplified Newton step is the same with 1 / h = 0 and other weights:
//   M p = G(z),   M q = G(z + p),   z+ = z + p + q
// and q, which should be much shorter than p, is the estimate.
//
// A lane changes to Newton's method when its h has outgrown `newton_length`, where the flow only relaxes, or
// its residual is below `newton_residual`. If q is not short, the lane returns to the flow and tries again
// when h is four times longer. It also returns if det(I - J) < 0: Newton's method would find a saddle there,
// which repels in one direction, and the flow only passes by. The error allowed is in flow_error-inl.h.
// Convergence is judged by the rounds.
//
// Tried and left: ROS2 (one solve less) needs half as many steps again for the same fidelity to the flow.
#if defined(IRN_EQUILIBRIUM_ROSENBROCK_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#undef IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#else
#define IRN_EQUILIBRIUM_ROSENBROCK_INL_H_
#endif

#include "irn/equilibrium/flow_error-inl.h"
#include "irn/equilibrium/implicit-inl.h"

IRN_LANES_BEGIN

template <class V, class Options, class ShiftedSolve>
class RosenbrockStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr T gamma = T(0.43586652150845899941601945119356);
  static constexpr T c21 = T(-1.0156171083877702091975600115545), c31 = T(4.0759956452537699824805835358067),
                     c32 = T(9.2076794298330791242156818474003);
  static constexpr T m2 = T(6.1697947043828245592553615689730), m3 = T(-0.4277225654321857332623837380651);
  static constexpr T e1 = T(0.5), e2 = T(-2.9079558716805469821718236208017),
                     e3 = T(0.2235406989781156962736090927619);
  // Where Newton's method begins, measured on networks trained on the oscillator task. With factors the sign
  // of the determinant guards it. Products alone are no such guard, and with a shorter length it would leave
  // the basin.
  static constexpr bool guarded = ShiftedSolve::knows_determinant;
  static constexpr T newton_length = guarded ? T(1.5) : T(4), newton_residual = guarded ? T(0.1) : T(0);
  // The length with which a lane returns to the flow beside a saddle, which the flow leaves within a few
  // units of time.
  static constexpr T repelled_length = T(1);
  // How short Newton's second step must be, relative to the first and in itself.
  static constexpr T newton_contraction = T(0.25), newton_bound = T(0.03);
  // `share` is the error allowed, as a multiple of the residual. Most samples relax in about ten steps. A
  // sample that has not may be in a cycle smaller than `error`. With factors this is noticed at the end
  // (attraction-inl.h), at half the cost of a smaller share.
  static constexpr T late_residual_share = guarded ? std::numeric_limits<T>::max() : T(0.3), late = T(8);

  template <class Memory>
  IRN_FN RosenbrockStep(const Options& o, const Rules<T>& rules, Size n, Memory& memory)
      : n_(n),
        newton_(o.newton),
        share_(static_cast<T>(o.share)),
        flow_error_(static_cast<T>(o.error), rules),
        h_(memory.scalars(1)),
        newton_at_(memory.scalars(1)),
        newton_near_(memory.scalars(1)),
        age_(memory.scalars(1)),
        p_(memory.vectors(1, n)),
        q_(memory.vectors(1, n)),
        r_(memory.vectors(1, n)),
        z1_(memory.vectors(1, n)),
        linear_(o, n, memory) {}

  // 256 steps along a flow that settles slowly lower its residual. So a cycle need not be followed for the
  // thousand steps that a fast rotation may take, unless every step must follow the flow.
  IRN_FN std::size_t patience() const {
    return newton_ ? std::size_t{256} : std::numeric_limits<std::size_t>::max();
  }

  // Continues where the launch has ended, with its length of step.
  IRN_FN void reset(typename V::Mask lanes, V h) {
    *h_ = select(lanes, h, *h_);
    *newton_at_ = select(lanes, V(newton_ ? newton_length : std::numeric_limits<T>::max()), *newton_at_);
    *newton_near_ = select(lanes, V(newton_ ? newton_residual : T(0)), *newton_near_);
    *age_ = select(lanes, V(), *age_);
  }

  template <class Map>
  IRN_FN V move(Map& map, V* z, const V* f, V residual) {
    const V one(T(1)), h = *h_;
    const Mask newton = (h > *newton_at_) | (residual < *newton_near_);
    const V rate = select(newton, V(), one / h);
    map.linearise(z, f);
    linear_.prepare(map, mul_add(rate, V(T(1) / gamma), one));
    const V products = solve_stages(map, z, f, rate);
    const Mask attracts = none<V>(newton) ? V() <= V() : linear_.may_attract(map);
    finish(z, h, newton, attracts, residual);
    return products + V(T(2));
  }

 private:
  using Mask = typename V::Mask;

  template <class Map>
  IRN_FN V solve_stages(Map& map, const V* z, const V* f, V rate) {
    const Size n = n_;
    V *ps = p_, *q = q_, *r = r_, *z1 = z1_;
    flow(z, f, ps, n);
    V products = linear_.solve(map, ps);
    for (std::size_t i = 0; i < n; ++i) z1[i] = ps[i] + z[i];
    map.apply(z1, r);
    const V p_in_q = rate * V(c21), p_in_r = rate * V(c31), q_in_r = rate * V(c32);
    for (std::size_t i = 0; i < n; ++i) {
      const V g = r[i] - z1[i], p = ps[i];
      q[i] = mul_add(p_in_q, p, g);
      r[i] = mul_add(p_in_r, p, g);
    }
    products = products + linear_.solve(map, q);
    // Newton's method has no third stage: a zero right side costs no products.
    const V third = select(rate > V(), V(T(1)), V());
    for (std::size_t i = 0; i < n; ++i) r[i] = third * mul_add(q_in_r, q[i], r[i]);
    return products + linear_.solve(map, r);
  }

  IRN_FN void finish(V* z, V h, Mask newton, Mask attracts, V residual) {
    const V zero, one(T(1));
    const V q_weight = select(newton, one, V(m2)), r_weight = select(newton, zero, V(m3));
    const V p_error = select(newton, zero, V(e1)), q_error = select(newton, one, V(e2)),
            r_error = select(newton, zero, V(e3));
    const Size n = n_;
    const V *ps = p_, *qs = q_, *rs = r_;
    V *z1 = z1_, p_size;
    typename FlowError<V>::Estimate estimated(flow_error_);
    for (std::size_t i = 0; i < n; ++i) {
      const V p = ps[i], q = qs[i], r = rs[i];
      estimated.add(z[i], mul_add(p_error, p, mul_add(q_error, q, r_error * r)));
      p_size = max(p_size, abs(p));
      z1[i] = mul_add(q_weight, q, mul_add(r_weight, r, z1[i]));
    }
    estimated.finish();
    p_size = largest_of_all(p_size);
    const V estimate = estimated.error(), size = estimated.size();
    const V share = select(*age_ < V(late), V(share_), V(min_of(share_, late_residual_share)));
    const V allowed = flow_error_.allowed(size, share * residual);
    *age_ = *age_ + one;
    const V newton_allowed = min(V(newton_contraction) * p_size, V(newton_bound) * size);
    const Mask repelled = and_not(attracts, newton);
    const Mask near = estimate <= select(newton, newton_allowed, allowed);  // false where it is not finite
    const Mask good = and_not(repelled, near);
    for (std::size_t i = 0; i < n; ++i) z[i] = select(good, z1[i], z[i]);
    *h_ = select(newton, select(repelled, min(h, V(repelled_length)), h),
                 h * change_of_step(allowed, estimate));
    const Mask failed = and_not(repelled, and_not(good, newton));
    *newton_at_ = select(failed, max(*newton_at_, V(T(4)) * h), *newton_at_);
    *newton_near_ = select(and_not(good, newton), V(), *newton_near_);
  }

  IRN_FN static constexpr T min_of(T a, T b) { return b < a ? b : a; }

  [[no_unique_address]] Size n_;
  bool newton_;
  T share_;
  FlowError<V> flow_error_;
  V *h_, *newton_at_, *newton_near_, *age_, *p_, *q_, *r_, *z1_;
  ShiftedSolve linear_;
};

template <class V>
struct SolverOf<V, Rosenbrock> {
  using Step = RosenbrockStep<V, Rosenbrock, DenseShiftedSolve<V>>;
  using Phases = InOrder<LaunchPhase, StepsPhase, ConfirmationPhase>;
};
template <class V>
struct SolverOf<V, RosenbrockKrylov> {
  using Step = RosenbrockStep<V, RosenbrockKrylov, KrylovShiftedSolve<V>>;
  using Phases = InOrder<LaunchPhase, ShortcutPhase, StepsPhase, ConfirmationPhase>;
};

IRN_LANES_END

#endif
