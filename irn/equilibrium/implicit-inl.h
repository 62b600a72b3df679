// Linearly implicit steps of first order, with J = dF/dz at z:
//   ((1 + 1/h) I - J) d = F(z) - z,   z+ = z + d
//   newton            h = infinity from the start
//   pseudo-transient  h grows with the ratio of successive residuals; dense factorisation
//   newton-krylov     the same with GMRES
// A step that is not finite is not taken; h shrinks instead. Convergence is judged by the rounds.
#if defined(IRN_EQUILIBRIUM_IMPLICIT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_IMPLICIT_INL_H_
#undef IRN_EQUILIBRIUM_IMPLICIT_INL_H_
#else
#define IRN_EQUILIBRIUM_IMPLICIT_INL_H_
#endif

#include "irn/equilibrium/gmres-inl.h"
#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class NewtonStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr bool leaps = true;
  template <class Memory>
  IRN_FN NewtonStep(const Newton&, Size n, Memory& memory)
      : n_(n), shift_(memory.scalars(1)), d_(memory.vectors(1, n)) {
    *shift_ = V(T(1));
  }
  template <class Map>
  IRN_FN V move(Map& map, V* z, const V* f, V) {
    map.linearise(z, f);
    map.factor(*shift_);
    flow(z, f, d_, n_);
    map.solve(d_);
    add_scaled(z, V(T(1)), d_, n_);
    return V(T(1));
  }

 private:
  [[no_unique_address]] Size n_;
  V *shift_, *d_;
};

// Solves (shift I - J) x = b by factors, where J is the map's last linearisation.
template <class V>
class DenseShiftedSolve {
 public:
  static constexpr bool knows_determinant = true;
  template <class Options, class Memory>
  IRN_FN DenseShiftedSolve(const Options&, std::size_t, Memory&) {}
  template <class Map>
  IRN_FN void prepare(Map& map, const V& shift) {
    map.factor(shift);
  }
  template <class Map>
  IRN_FN V solve(Map& map, V* x) {  // in place; returns the products spent
    map.solve(x);
    return V();
  }
  // Whether I - J may belong to an equilibrium that attracts. Its determinant is the product of 1 - mu over
  // the eigenvalues mu of J, negative if an odd number of real ones are beyond 1. Free, with the factors at
  // hand.
  template <class Map>
  IRN_FN typename V::Mask may_attract(Map& map) {
    return map.determinant_sign() > V();
  }
};

template <class V, class Map>
struct ShiftedProduct {
  Map& map;
  V shift;
  std::size_t n;
  IRN_FN void operator()(const V* v, V* out) {
    map.jacobian_times(v, out);
    for (std::size_t i = 0; i < n; ++i) out[i] = mul_add(shift, v[i], -out[i]);
  }
};

// The same by products alone.
template <class V>
class KrylovShiftedSolve {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr bool knows_determinant = false;
  template <class Options, class Memory>
  IRN_FN KrylovShiftedSolve(const Options& o, Size n, Memory& memory)
      : n_(n),
        accuracy_(static_cast<T>(o.accuracy)),
        gmres_(o.memory, n, memory),
        right_(memory.vectors(1, n)) {}
  template <class Map>
  IRN_FN void prepare(Map&, const V& shift) {
    shift_ = shift, sign_ = V();
  }
  template <class Map>
  IRN_FN V solve(Map& map, V* x) {
    copy<V>(x, n_, right_);
    ShiftedProduct<V, Map> op{map, shift_, n_};
    V reached;
    const V products = gmres_.solve(op, right_, V(accuracy_), x, reached);
    sign_ = min(sign_, gmres_.determinant_sign());
    return products;
  }
  // The same for the part of I - J seen by the Krylov spaces of the last solves: a solve hardly ever misses
  // an eigenvalue mu beyond 1.
  template <class Map>
  IRN_FN typename V::Mask may_attract(Map&) {
    return V() <= sign_;
  }

 private:
  V shift_, sign_;
  [[no_unique_address]] Size n_;
  T accuracy_;
  Gmres<V> gmres_;
  V* right_;
};

template <class V, class Options, class ShiftedSolve>
class ContinuationStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN ContinuationStep(const Options& o, Size n, Memory& memory)
      : n_(n),
        start_(static_cast<T>(o.step)),
        h_(memory.scalars(1)),
        previous_(memory.scalars(1)),
        d_(memory.vectors(1, n)),
        linear_(o, n, memory) {}

  IRN_FN void reset(typename V::Mask lanes) {
    *h_ = select(lanes, V(start_), *h_);
    *previous_ = select(lanes, V(), *previous_);
  }

  template <class Map>
  IRN_FN V move(Map& map, V* z, const V* f, V residual) {
    const V h = next_length(residual);
    const V shift = V(T(1)) + V(T(1)) / h;
    map.linearise(z, f);
    flow(z, f, d_, n_);
    linear_.prepare(map, shift);
    const V products = linear_.solve(map, d_);
    V size;
    for (std::size_t i = 0; i < n_; ++i) size = larger_size(size, d_[i]);
    const auto finite = is_finite(largest_of_all(size));
    for (std::size_t i = 0; i < n_; ++i) z[i] = select(finite, z[i] + d_[i], z[i]);
    *h_ = select(finite, h, h * V(T(0.25)));
    *previous_ = residual;
    return products + V(T(1));
  }

 private:
  // Switched evolution relaxation: h grows by |g_old| / |g_new|, at most tenfold, and shrinks by at most one
  // half.
  IRN_FN V next_length(V residual) const {
    const V h = *h_, old = *previous_;
    const V ratio = max(min(old / residual, V(T(10))), V(T(0.5)));
    const V grown = min(h * ratio, V(T(1e9)));
    return select(old > V(), grown, h);
  }

  [[no_unique_address]] Size n_;
  T start_;
  V *h_, *previous_, *d_;
  ShiftedSolve linear_;
};

template <class V>
struct SolverOf<V, Newton> {
  using Step = NewtonStep<V>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};
template <class V>
struct SolverOf<V, PseudoTransient> {
  using Step = ContinuationStep<V, PseudoTransient, DenseShiftedSolve<V>>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};
template <class V>
struct SolverOf<V, NewtonKrylov> {
  using Step = ContinuationStep<V, NewtonKrylov, KrylovShiftedSolve<V>>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};

IRN_LANES_END

#endif
