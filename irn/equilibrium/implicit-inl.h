// Linearly implicit steps of first order, with J = dF/dz at z:
//   ((1 + 1/h) I - J) d = F(z) - z,   z+ = z + d
//   newton            h = infinity from the start
//   pseudo-transient  h grows with the ratio of successive residuals; dense factorisation
//   newton-krylov     the same with GMRES
// A step that is not finite is not taken; h shrinks instead. They do not judge convergence: the rounds do.
#if defined(IRN_EQUILIBRIUM_IMPLICIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_IMPLICIT_INL_H_
#undef IRN_EQUILIBRIUM_IMPLICIT_INL_H_
#else
#define IRN_EQUILIBRIUM_IMPLICIT_INL_H_
#endif

#include "irn/equilibrium/gmres-inl.h"
#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class NewtonStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  static constexpr bool leaps = true;
  NewtonStep(const Newton&, std::size_t n, Arena<V>& arena)
      : n_(n), shift_(arena.vectors(1, 1)), d_(arena.vectors(1, n)) {
    *shift_ = V(T(1));
  }
  V move(LaneMap<V>& map, V* z, const V* f, V) {
    map.linearise(z, f);
    map.factor(*shift_);
    flow(z, f, d_, n_);
    map.solve(d_);
    add_scaled(z, V(T(1)), d_, n_);
    return V(T(1));
  }

 private:
  std::size_t n_;
  V *shift_, *d_;
};

// How (shift I - J) x = b is solved, J being the map's last linearisation: by factors,
template <class V>
class DenseShiftedSolve {
 public:
  static constexpr bool knows_determinant = true;
  template <class Options>
  DenseShiftedSolve(const Options&, std::size_t, Arena<V>&) {}
  void prepare(LaneMap<V>& map, const V& shift) { map.factor(shift); }
  V solve(LaneMap<V>& map, V* x) {  // in place; returns the products spent
    map.solve(x);
    return V();
  }
  // Whether I - J may belong to an equilibrium that attracts: its determinant is the product of 1 - mu over the
  // eigenvalues mu of J, negative if an odd number of real ones lie beyond 1. Free, with the factors at hand.
  typename V::Mask may_attract(LaneMap<V>& map) { return map.determinant_sign() > V(); }
};

template <class V>
struct ShiftedProduct {
  LaneMap<V>& map;
  V shift;
  std::size_t n;
  void operator()(const V* v, V* out) {
    map.jacobian_times(v, out);
    for (std::size_t i = 0; i < n; ++i) out[i] = mul_add(shift, v[i], -out[i]);
  }
};

// or by products alone.
template <class V>
class KrylovShiftedSolve {
 public:
  using T = typename V::Scalar;
  static constexpr bool knows_determinant = false;
  template <class Options>
  KrylovShiftedSolve(const Options& o, std::size_t n, Arena<V>& arena)
      : n_(n),
        accuracy_(static_cast<T>(o.accuracy)),
        gmres_(o.memory, n, arena),
        right_(arena.vectors(1, n)) {}
  void prepare(LaneMap<V>&, const V& shift) { shift_ = shift, sign_ = V(); }
  V solve(LaneMap<V>& map, V* x) {
    std::copy_n(x, n_, right_);
    ShiftedProduct<V> op{map, shift_, n_};
    V reached;
    const V products = gmres_.solve(op, right_, V(accuracy_), x, reached);
    sign_ = min(sign_, gmres_.determinant_sign());
    return products;
  }
  // The same of what the Krylov spaces of the last solves have seen of I - J: of an eigenvalue mu beyond 1 a solve hardly gets by.
  typename V::Mask may_attract(LaneMap<V>&) { return V() <= sign_; }

 private:
  V shift_, sign_;
  std::size_t n_;
  T accuracy_;
  Gmres<V> gmres_;
  V* right_;
};

template <class V, class Options, class ShiftedSolve>
class ContinuationStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  ContinuationStep(const Options& o, std::size_t n, Arena<V>& arena)
      : n_(n),
        start_(static_cast<T>(o.step)),
        h_(arena.vectors(1, 1)),
        previous_(arena.vectors(1, 1)),
        d_(arena.vectors(1, n)),
        linear_(o, n, arena) {}

  void reset(typename V::Mask lanes) {
    *h_ = select(lanes, V(start_), *h_);
    *previous_ = select(lanes, V(), *previous_);
  }

  V move(LaneMap<V>& map, V* z, const V* f, V residual) {
    const V h = next_length(residual);
    const V shift = V(T(1)) + V(T(1)) / h;
    map.linearise(z, f);
    flow(z, f, d_, n_);
    linear_.prepare(map, shift);
    const V products = linear_.solve(map, d_);
    V size;
    for (std::size_t i = 0; i < n_; ++i) size = larger_size(size, d_[i]);
    const auto finite = is_finite(size);
    for (std::size_t i = 0; i < n_; ++i) z[i] = select(finite, z[i] + d_[i], z[i]);
    *h_ = select(finite, h, h * V(T(0.25)));
    *previous_ = residual;
    return products + V(T(1));
  }

 private:
  // Switched evolution relaxation: h grows by |g_old| / |g_new|, at most tenfold, and shrinks by at most one half.
  V next_length(V residual) const {
    const V h = *h_, old = *previous_;
    const V ratio = max(min(old / residual, V(T(10))), V(T(0.5)));
    const V grown = min(h * ratio, V(T(1e9)));
    return select(old > V(), grown, h);
  }

  std::size_t n_;
  T start_;
  V *h_, *previous_, *d_;
  ShiftedSolve linear_;
};

template <class V>
struct StepOf<V, Newton> {
  using type = NewtonStep<V>;
};
template <class V>
struct StepOf<V, PseudoTransient> {
  using type = ContinuationStep<V, PseudoTransient, DenseShiftedSolve<V>>;
};
template <class V>
struct StepOf<V, NewtonKrylov> {
  using type = ContinuationStep<V, NewtonKrylov, KrylovShiftedSolve<V>>;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
