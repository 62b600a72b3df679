// The plain iteration and the explicit one-step methods for dz/dt = F(z) - z.
//   fixed-point  z+ = z + damping (F(z) - z)
//   euler        z+ = z + h (F(z) - z)
//   rk4          the classic tableau with a fixed step
//   rk45         Cash and Karp, error per step below `error` times the residual; each lane has its own step
// They do not judge convergence: the driver does.
#if defined(IRN_EQUILIBRIUM_EXPLICIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#undef IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#else
#define IRN_EQUILIBRIUM_EXPLICIT_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class T>
class RelaxStep {
 public:
  static constexpr bool memoryless = true;
  RelaxStep(const FixedPoint& o, std::size_t n, Arena<T>&) : n_(n), h_(static_cast<T>(o.damping)) {}
  RelaxStep(const Euler& o, std::size_t n, Arena<T>&) : n_(n), h_(static_cast<T>(o.step)) {}
  void reset(std::size_t) {}
  Lanes<T> move(LaneMap<T>&, T* z, const T* f, Lanes<T>) {
    const Lanes<T> h(h_);
    for (std::size_t i = 0; i < n_; ++i) put(z, i, mul_add(h, at(f, i) - at(z, i), at(z, i)));
    return Lanes<T>(T(1));
  }

 private:
  std::size_t n_;
  T h_;
};

template <class T>
class RungeKutta4Step {
 public:
  static constexpr bool memoryless = true;
  RungeKutta4Step(const RungeKutta4& o, std::size_t n, Arena<T>& arena)
      : n_(n), h_(static_cast<T>(o.step)), k_(arena.vectors(1, n)), stage_(arena.vectors(1, n)), sum_(arena.vectors(1, n)) {}
  void reset(std::size_t) {}
  Lanes<T> move(LaneMap<T>& map, T* z, const T* f, Lanes<T>) {
    flow(z, f, sum_, n_);
    flow(z, f, k_, n_);
    next_stage(map, z, h_ / 2, 2);
    next_stage(map, z, h_ / 2, 2);
    next_stage(map, z, h_, 1);
    add_scaled(z, Lanes<T>(h_ / 6), sum_, n_);
    return Lanes<T>(T(4));
  }

 private:
  // k = flow at z + step k, and its weighted share of the sum.
  void next_stage(LaneMap<T>& map, const T* z, T step, T weight) {
    for (std::size_t i = 0; i < n_; ++i) put(stage_, i, mul_add(Lanes<T>(step), at(k_, i), at(z, i)));
    map.apply(stage_, k_);
    flow(stage_, k_, k_, n_);
    add_scaled(sum_, Lanes<T>(weight), k_, n_);
  }
  std::size_t n_;
  T h_;
  T *k_, *stage_, *sum_;
};

// Cash and Karp, ACM Trans. Math. Softw. 16 (1990) 201.
inline constexpr double cash_karp_stage[5][5] = {{1.0 / 5},
                                                 {3.0 / 40, 9.0 / 40},
                                                 {3.0 / 10, -9.0 / 10, 6.0 / 5},
                                                 {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
                                                 {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}};
inline constexpr double cash_karp_fifth[6] = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771};
inline constexpr double cash_karp_fourth[6] = {2825.0 / 27648, 0, 18575.0 / 48384, 13525.0 / 55296, 277.0 / 14336, 0.25};

template <class T>
class RungeKutta45Step {
 public:
  static constexpr bool memoryless = true;
  RungeKutta45Step(const RungeKutta45& o, std::size_t n, Arena<T>& arena)
      : n_(n), error_(static_cast<T>(o.error)), h_(arena.lanes()), stage_(arena.vectors(1, n)), next_(arena.vectors(1, n)) {
    for (T*& k : k_) k = arena.vectors(1, n);
  }
  void reset(std::size_t lane) { h_[lane] = T(0.5); }
  Lanes<T> move(LaneMap<T>& map, T* z, const T* f, Lanes<T> residual) {
    const Lanes<T> h = Lanes<T>::load(h_);
    flow(z, f, k_[0], n_);
    for (std::size_t s = 0; s < 5; ++s) {
      combine(z, h, cash_karp_stage[s], s + 1, stage_);
      map.apply(stage_, k_[s + 1]);
      flow(stage_, k_[s + 1], k_[s + 1], n_);
    }
    combine(z, h, cash_karp_fifth, 6, next_);
    combine(z, h, cash_karp_fourth, 6, stage_);
    accept(z, h, residual);
    return Lanes<T>(T(6));
  }

 private:
  void combine(const T* z, Lanes<T> h, const double* weights, std::size_t count, T* out) {
    for (std::size_t i = 0; i < n_; ++i) {
      Lanes<T> sum;
      for (std::size_t s = 0; s < count; ++s) sum = mul_add(Lanes<T>(static_cast<T>(weights[s])), at(k_[s], i), sum);
      put(out, i, mul_add(h, sum, at(z, i)));
    }
  }
  // h grows or shrinks with the fourth root of error / estimate, by at most 4 either way.
  void accept(T* z, Lanes<T> h, Lanes<T> residual) {
    const Lanes<T> bound = Lanes<T>(error_) * residual;
    Lanes<T> estimate;
    for (std::size_t i = 0; i < n_; ++i) estimate = max(estimate, abs(at(next_, i) - at(stage_, i)));
    const Lanes<T> ratio = bound / max(estimate, bound * Lanes<T>(T(1e-4)));
    const Lanes<T> factor = max(min(Lanes<T>(T(0.9)) * sqrt(sqrt(ratio)), Lanes<T>(T(4))), Lanes<T>(T(0.25)));
    const auto good = estimate <= bound;
    for (std::size_t i = 0; i < n_; ++i) put(z, i, select(good, at(next_, i), at(z, i)));
    (h * select(is_finite(estimate), factor, Lanes<T>(T(0.25)))).store(h_);
  }
  std::size_t n_;
  T error_;
  T *h_, *stage_, *next_;
  T* k_[6];
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
