// The plain iteration and the explicit one-step methods for dz/dt = F(z) - z.
//   fixed-point  z+ = z + damping (F(z) - z), which is Euler's method with steps of that length
//   rk4          the classic tableau with a fixed step
//   rk45         Cash and Karp, error of a step of length h below `error` min(1, h) times the residual; each
//                lane has its own step
// Convergence is judged by the rounds.
#if defined(IRN_EQUILIBRIUM_EXPLICIT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#undef IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#else
#define IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class FixedPointStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN FixedPointStep(const FixedPoint& o, Size n, Memory&) : n_(n), h_(static_cast<T>(o.damping)) {}
  template <class Map>
  IRN_FN V move(Map&, V* z, const V* f, V) {
    const V h(h_);
    for (std::size_t i = 0; i < n_; ++i) z[i] = mul_add(h, f[i] - z[i], z[i]);
    return V(T(1));
  }

 private:
  [[no_unique_address]] Size n_;
  T h_;
};

template <class V>
class RungeKutta4Step : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN RungeKutta4Step(const RungeKutta4& o, Size n, Memory& memory)
      : n_(n),
        h_(static_cast<T>(o.step)),
        k_(memory.vectors(1, n)),
        stage_(memory.vectors(1, n)),
        sum_(memory.vectors(1, n)) {}
  template <class Map>
  IRN_FN V move(Map& map, V* z, const V* f, V) {
    flow(z, f, sum_, n_);
    flow(z, f, k_, n_);
    next_stage(map, z, h_ / 2, 2);
    next_stage(map, z, h_ / 2, 2);
    next_stage(map, z, h_, 1);
    add_scaled(z, V(h_ / 6), sum_, n_);
    return V(T(4));
  }

 private:
  // k = flow at z + step k; adds its weighted share to the sum.
  template <class Map>
  IRN_FN void next_stage(Map& map, const V* z, T step, T weight) {
    for (std::size_t i = 0; i < n_; ++i) stage_[i] = mul_add(V(step), k_[i], z[i]);
    map.apply(stage_, k_);
    flow(stage_, k_, k_, n_);
    add_scaled(sum_, V(weight), k_, n_);
  }
  [[no_unique_address]] Size n_;
  T h_;
  V *k_, *stage_, *sum_;
};

// Cash and Karp, ACM Trans. Math. Softw. 16 (1990) 201.
struct CashKarp {
  double stage[5][5] = {{1.0 / 5},
                        {3.0 / 40, 9.0 / 40},
                        {3.0 / 10, -9.0 / 10, 6.0 / 5},
                        {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
                        {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}};
  double fifth[6] = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771};
  double fourth[6] = {2825.0 / 27648, 0, 18575.0 / 48384, 13525.0 / 55296, 277.0 / 14336, 0.25};
};

template <class V>
class RungeKutta45Step : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN RungeKutta45Step(const RungeKutta45& o, Size n, Memory& memory)
      : n_(n),
        error_(static_cast<T>(o.error)),
        h_(memory.scalars(1)),
        stage_(memory.vectors(1, n)),
        next_(memory.vectors(1, n)) {
    for (V*& k : k_) k = memory.vectors(1, n);
  }
  IRN_FN void reset(typename V::Mask lanes) { *h_ = select(lanes, V(T(0.5)), *h_); }
  template <class Map>
  IRN_FN V move(Map& map, V* z, const V* f, V residual) {
    const V h = *h_;
    flow(z, f, k_[0], n_);
    constexpr CashKarp tableau;  // not static: device threads have no such memory
    for (std::size_t s = 0; s < 5; ++s) {
      combine(z, h, tableau.stage[s], s + 1, stage_);
      map.apply(stage_, k_[s + 1]);
      flow(stage_, k_[s + 1], k_[s + 1], n_);
    }
    combine(z, h, tableau.fifth, 6, next_);
    combine(z, h, tableau.fourth, 6, stage_);
    accept(z, h, residual);
    return V(T(6));
  }

 private:
  IRN_FN void combine(const V* z, V h, const double* weights, std::size_t count, V* out) {
    for (std::size_t i = 0; i < n_; ++i) {
      V sum;
      for (std::size_t s = 0; s < count; ++s) sum = mul_add(V(static_cast<T>(weights[s])), k_[s][i], sum);
      out[i] = mul_add(h, sum, z[i]);
    }
  }
  // h changes with the fourth root of error / estimate, by a factor of at most 4 either way.
  IRN_FN void accept(V* z, V h, V residual) {
    const V bound = V(error_) * residual * min(V(T(1)), h);
    V estimate;
    for (std::size_t i = 0; i < n_; ++i) estimate = larger_size(estimate, next_[i] - stage_[i]);
    estimate = largest_of_all(estimate);
    const V ratio = bound / max(estimate, bound * V(T(1e-4)));
    const V factor = max(min(V(T(0.9)) * sqrt(sqrt(ratio)), V(T(4))), V(T(0.25)));
    const auto good = estimate <= bound;
    for (std::size_t i = 0; i < n_; ++i) z[i] = select(good, next_[i], z[i]);
    *h_ = h * select(is_finite(estimate), factor, V(T(0.25)));
  }
  [[no_unique_address]] Size n_;
  T error_;
  V *h_, *stage_, *next_;
  V* k_[6];
};

template <class V>
struct SolverOf<V, FixedPoint> {
  using Step = FixedPointStep<V>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};
template <class V>
struct SolverOf<V, RungeKutta4> {
  using Step = RungeKutta4Step<V>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};
template <class V>
struct SolverOf<V, RungeKutta45> {
  using Step = RungeKutta45Step<V>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};

IRN_LANES_END

#endif
