// Broyden's first ("good") method for G(z) = z - F(z) = 0 with limited memory, starting from the identity.
// Only the steps s_0, s_1, ... are kept; the inverse is applied as a product of rank-one factors
//   H_{k+1} = (I + s_{k+1} s_k^T / |s_k|^2) H_k      (Kelley, Iterative Methods for Linear and Nonlinear Equations, 7.3)
// After `memory` steps it forgets and starts again. Does not judge convergence: the driver does.
#if defined(IRN_EQUILIBRIUM_BROYDEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_BROYDEN_INL_H_
#undef IRN_EQUILIBRIUM_BROYDEN_INL_H_
#else
#define IRN_EQUILIBRIUM_BROYDEN_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class T>
class BroydenStep {
 public:
  static constexpr bool memoryless = false;
  BroydenStep(const Broyden& o, std::size_t n, Arena<T>& arena)
      : n_(n), m_(o.memory), steps_(arena.vectors(m_ + 1, n)), squares_(arena.vectors(m_ + 1, 1)) {}
  void reset(std::size_t) { kept_ = 0; }  // all lanes begin together

  Lanes<T> move(LaneMap<T>&, T* z, const T* f, Lanes<T>) {
    if (kept_ > m_) kept_ = 0;
    T* s = step(kept_);
    flow(z, f, s, n_);  // -G
    for (std::size_t j = 0; j + 1 < kept_; ++j) add_scaled(s, dot(step(j), s, n_) / at(squares_, j), step(j + 1), n_);
    if (kept_ > 0) close(s);
    put(squares_, kept_, max(dot(s, s, n_), Lanes<T>(std::numeric_limits<T>::min())));
    add_scaled(z, Lanes<T>(T(1)), s, n_);
    ++kept_;
    return Lanes<T>(T(1));
  }

 private:
  // s = s / (1 - s_k^T s / |s_k|^2): the newest factor holds s itself. A denominator near zero would throw the state
  // away; it is kept at least a tenth in size.
  void close(T* s) {
    const Lanes<T> share = dot(step(kept_ - 1), s, n_) / at(squares_, kept_ - 1);
    const Lanes<T> raw = Lanes<T>(T(1)) - share, least(T(0.1));
    const Lanes<T> safe = select(abs(raw) < least, select(raw < Lanes<T>(), -least, least), raw);
    for (std::size_t i = 0; i < n_; ++i) put(s, i, at(s, i) / safe);
  }
  T* step(std::size_t k) const { return steps_ + k * n_ * Lanes<T>::width; }

  std::size_t n_, m_;
  T *steps_, *squares_;
  std::size_t kept_ = 0;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
