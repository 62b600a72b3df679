// Linearly implicit steps of first order, with J = dF/dz at z:
//   ((1 + 1/h) I - J) d = F(z) - z,   z+ = z + d
//   newton            h = infinity from the start
//   pseudo-transient  h grows with the ratio of successive residuals; dense factorisation
//   newton-krylov     the same with GMRES
// A step that is not finite is not taken; h shrinks instead. They do not judge convergence: the driver does.
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

template <class T>
class NewtonStep {
 public:
  static constexpr bool memoryless = true;
  NewtonStep(const Newton&, std::size_t n, Arena<T>& arena) : n_(n), shift_(arena.lanes()), d_(arena.vectors(1, n)) {
    Lanes<T>(T(1)).store(shift_);
  }
  void reset(std::size_t) {}
  Lanes<T> move(LaneMap<T>& map, T* z, const T* f, Lanes<T>) {
    map.linearise(z, f);
    map.factor(shift_);
    flow(z, f, d_, n_);
    map.solve(d_);
    add_scaled(z, Lanes<T>(T(1)), d_, n_);
    return Lanes<T>(T(1));
  }

 private:
  std::size_t n_;
  T *shift_, *d_;
};

// How ((1 + 1/h) I - J) d = g is solved: by factors,
template <class T>
class DenseShiftedSolve {
 public:
  DenseShiftedSolve(const PseudoTransient&, std::size_t n, Arena<T>&) : n_(n) {}
  Lanes<T> solve(LaneMap<T>& map, const T* shift, const T* g, T* d) {
    map.factor(shift);
    for (std::size_t i = 0; i < n_; ++i) put(d, i, at(g, i));
    map.solve(d);
    return Lanes<T>();
  }

 private:
  std::size_t n_;
};

template <class T>
struct ShiftedProduct {
  LaneMap<T>& map;
  Lanes<T> shift;
  std::size_t n;
  void operator()(const T* v, T* out) {
    map.jacobian_times(v, out);
    for (std::size_t i = 0; i < n; ++i) put(out, i, mul_add(shift, at(v, i), -at(out, i)));
  }
};

// or by products alone.
template <class T>
class KrylovShiftedSolve {
 public:
  KrylovShiftedSolve(const NewtonKrylov& o, std::size_t n, Arena<T>& arena)
      : n_(n), accuracy_(static_cast<T>(o.accuracy)), gmres_(o.memory, n, arena) {}
  Lanes<T> solve(LaneMap<T>& map, const T* shift, const T* g, T* d) {
    ShiftedProduct<T> op{map, Lanes<T>::load(shift), n_};
    Lanes<T> reached;
    return gmres_.solve(op, g, accuracy_, d, reached);
  }

 private:
  std::size_t n_;
  T accuracy_;
  Gmres<T> gmres_;
};

template <class T, class Options, class ShiftedSolve>
class ContinuationStep {
 public:
  static constexpr bool memoryless = true;
  ContinuationStep(const Options& o, std::size_t n, Arena<T>& arena)
      : n_(n),
        start_(static_cast<T>(o.step)),
        h_(arena.lanes()),
        previous_(arena.lanes()),
        shift_(arena.lanes()),
        g_(arena.vectors(1, n)),
        d_(arena.vectors(1, n)),
        linear_(o, n, arena) {}

  void reset(std::size_t lane) {
    h_[lane] = start_;
    previous_[lane] = T(0);
  }

  Lanes<T> move(LaneMap<T>& map, T* z, const T* f, Lanes<T> residual) {
    const Lanes<T> h = next_length(residual);
    (Lanes<T>(T(1)) + Lanes<T>(T(1)) / h).store(shift_);
    map.linearise(z, f);
    flow(z, f, g_, n_);
    const Lanes<T> products = linear_.solve(map, shift_, g_, d_);
    Lanes<T> size;
    for (std::size_t i = 0; i < n_; ++i) size = max(size, abs(at(d_, i)));
    const auto finite = is_finite(size);
    for (std::size_t i = 0; i < n_; ++i) put(z, i, select(finite, at(z, i) + at(d_, i), at(z, i)));
    select(finite, h, h * Lanes<T>(T(0.25))).store(h_);
    residual.store(previous_);
    return products + Lanes<T>(T(1));
  }

 private:
  // Switched evolution relaxation: h grows by |g_old| / |g_new|, at most tenfold, and shrinks by at most one half.
  Lanes<T> next_length(Lanes<T> residual) const {
    const Lanes<T> h = Lanes<T>::load(h_), old = Lanes<T>::load(previous_);
    const Lanes<T> ratio = max(min(old / residual, Lanes<T>(T(10))), Lanes<T>(T(0.5)));
    const Lanes<T> grown = min(h * ratio, Lanes<T>(T(1e9)));
    return select(old > Lanes<T>(), grown, h);
  }

  std::size_t n_;
  T start_;
  T *h_, *previous_, *shift_, *g_, *d_;
  ShiftedSolve linear_;
};

template <class T>
using PseudoTransientStep = ContinuationStep<T, PseudoTransient, DenseShiftedSolve<T>>;
template <class T>
using NewtonKrylovStep = ContinuationStep<T, NewtonKrylov, KrylovShiftedSolve<T>>;

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
