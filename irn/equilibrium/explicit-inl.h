// The plain iteration and the explicit one-step methods for dz/dt = F(z) - z.
//   fixed-point  z+ = z + damping (F(z) - z)
//   euler        z+ = z + h (F(z) - z)
//   rk4          the classic tableau with a fixed step
//   rk45         Cash and Karp, error per step below `error` times the residual; each lane has its own step
// They do not judge convergence: the rounds do.
#if defined(IRN_EQUILIBRIUM_EXPLICIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#undef IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#else
#define IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class RelaxStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  RelaxStep(const FixedPoint& o, std::size_t n, Arena<V>&) : n_(n), h_(static_cast<T>(o.damping)) {}
  RelaxStep(const Euler& o, std::size_t n, Arena<V>&) : n_(n), h_(static_cast<T>(o.step)) {}
  V move(LaneMap<V>&, V* z, const V* f, V) {
    const V h(h_);
    for (std::size_t i = 0; i < n_; ++i) z[i] = mul_add(h, f[i] - z[i], z[i]);
    return V(T(1));
  }

 private:
  std::size_t n_;
  T h_;
};

template <class V>
class RungeKutta4Step : public AnyAge {
 public:
  using T = typename V::Scalar;
  RungeKutta4Step(const RungeKutta4& o, std::size_t n, Arena<V>& arena)
      : n_(n),
        h_(static_cast<T>(o.step)),
        k_(arena.vectors(1, n)),
        stage_(arena.vectors(1, n)),
        sum_(arena.vectors(1, n)) {}
  V move(LaneMap<V>& map, V* z, const V* f, V) {
    flow(z, f, sum_, n_);
    flow(z, f, k_, n_);
    next_stage(map, z, h_ / 2, 2);
    next_stage(map, z, h_ / 2, 2);
    next_stage(map, z, h_, 1);
    add_scaled(z, V(h_ / 6), sum_, n_);
    return V(T(4));
  }

 private:
  // k = flow at z + step k, and its weighted share of the sum.
  void next_stage(LaneMap<V>& map, const V* z, T step, T weight) {
    for (std::size_t i = 0; i < n_; ++i) stage_[i] = mul_add(V(step), k_[i], z[i]);
    map.apply(stage_, k_);
    flow(stage_, k_, k_, n_);
    add_scaled(sum_, V(weight), k_, n_);
  }
  std::size_t n_;
  T h_;
  V *k_, *stage_, *sum_;
};

// Cash and Karp, ACM Trans. Math. Softw. 16 (1990) 201.
inline constexpr double cash_karp_stage[5][5] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {3.0 / 10, -9.0 / 10, 6.0 / 5},
    {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
    {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}};
inline constexpr double cash_karp_fifth[6] = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771};
inline constexpr double cash_karp_fourth[6] = {2825.0 / 27648, 0,   18575.0 / 48384, 13525.0 / 55296,
                                               277.0 / 14336,  0.25};

template <class V>
class RungeKutta45Step : public AnyAge {
 public:
  using T = typename V::Scalar;
  RungeKutta45Step(const RungeKutta45& o, std::size_t n, Arena<V>& arena)
      : n_(n),
        error_(static_cast<T>(o.error)),
        h_(arena.vectors(1, 1)),
        stage_(arena.vectors(1, n)),
        next_(arena.vectors(1, n)) {
    for (V*& k : k_) k = arena.vectors(1, n);
  }
  void reset(typename V::Mask lanes) { *h_ = select(lanes, V(T(0.5)), *h_); }
  V move(LaneMap<V>& map, V* z, const V* f, V residual) {
    const V h = *h_;
    flow(z, f, k_[0], n_);
    for (std::size_t s = 0; s < 5; ++s) {
      combine(z, h, cash_karp_stage[s], s + 1, stage_);
      map.apply(stage_, k_[s + 1]);
      flow(stage_, k_[s + 1], k_[s + 1], n_);
    }
    combine(z, h, cash_karp_fifth, 6, next_);
    combine(z, h, cash_karp_fourth, 6, stage_);
    accept(z, h, residual);
    return V(T(6));
  }

 private:
  void combine(const V* z, V h, const double* weights, std::size_t count, V* out) {
    for (std::size_t i = 0; i < n_; ++i) {
      V sum;
      for (std::size_t s = 0; s < count; ++s) sum = mul_add(V(static_cast<T>(weights[s])), k_[s][i], sum);
      out[i] = mul_add(h, sum, z[i]);
    }
  }
  // h grows or shrinks with the fourth root of error / estimate, by at most 4 either way.
  void accept(V* z, V h, V residual) {
    const V bound = V(error_) * residual;
    V estimate;
    for (std::size_t i = 0; i < n_; ++i) estimate = larger_size(estimate, next_[i] - stage_[i]);
    const V ratio = bound / max(estimate, bound * V(T(1e-4)));
    const V factor = max(min(V(T(0.9)) * sqrt(sqrt(ratio)), V(T(4))), V(T(0.25)));
    const auto good = estimate <= bound;
    for (std::size_t i = 0; i < n_; ++i) z[i] = select(good, next_[i], z[i]);
    *h_ = h * select(is_finite(estimate), factor, V(T(0.25)));
  }
  std::size_t n_;
  T error_;
  V *h_, *stage_, *next_;
  V* k_[6];
};

template <class V>
struct StepOf<V, FixedPoint> {
  using type = RelaxStep<V>;
};
template <class V>
struct StepOf<V, Euler> {
  using type = RelaxStep<V>;
};
template <class V>
struct StepOf<V, RungeKutta4> {
  using type = RungeKutta4Step<V>;
};
template <class V>
struct StepOf<V, RungeKutta45> {
  using type = RungeKutta45Step<V>;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
