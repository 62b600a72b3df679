// Broyden's first ("good") method for G(z) = z - F(z) = 0 with limited memory, starting from the identity.
// Only the steps s_0, s_1, ... are kept; the inverse is applied as a product of rank-one factors
//   H_{k+1} = (I + s_{k+1} s_k^T / |s_k|^2) H_k
// (Kelley, Iterative Methods for Linear and Nonlinear Equations, 7.3). After `memory` steps it forgets
// everything and starts again. Convergence is judged by the rounds.
#if defined(IRN_EQUILIBRIUM_BROYDEN_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_BROYDEN_INL_H_
#undef IRN_EQUILIBRIUM_BROYDEN_INL_H_
#else
#define IRN_EQUILIBRIUM_BROYDEN_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class BroydenStep : public StepDefaults {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN BroydenStep(const Broyden& o, Size n, Memory& memory)
      : n_(n), m_(o.memory), steps_(memory.vectors(m_ + 1, n)), squares_(memory.scalars(m_ + 1)) {}
  IRN_FN void restart() { kept_ = 0; }
  IRN_FN bool open() const { return kept_ == 0 || kept_ > m_; }

  template <class Map>
  IRN_FN V move(Map&, V* z, const V* f, V) {
    if (kept_ > m_) kept_ = 0;
    V* s = step(kept_);
    flow(z, f, s, n_);  // -G
    for (std::size_t j = 0; j + 1 < kept_; ++j)
      add_scaled(s, dot(step(j), s, n_) / squares_[j], step(j + 1), n_);
    if (kept_ > 0) close(s);
    squares_[kept_] = max(dot(s, s, n_), V(std::numeric_limits<T>::min()));
    add_scaled(z, V(T(1)), s, n_);
    ++kept_;
    return V(T(1));
  }

 private:
  // s = s / (1 - s_k^T s / |s_k|^2): the newest factor contains s itself. A denominator near zero would throw
  // the state away; its size is kept at a tenth or more.
  IRN_FN void close(V* s) {
    const V share = dot(step(kept_ - 1), s, n_) / squares_[kept_ - 1];
    const V raw = V(T(1)) - share, least(T(0.1));
    const V safe = select(abs(raw) < least, select(raw < V(), -least, least), raw);
    for (std::size_t i = 0; i < n_; ++i) s[i] = s[i] / safe;
  }
  IRN_FN V* step(std::size_t k) const { return steps_ + k * n_; }

  [[no_unique_address]] Size n_;
  std::size_t m_;
  V *steps_, *squares_;
  std::size_t kept_ = 0;
};

template <class V>
struct SolverOf<V, Broyden> {
  using Step = BroydenStep<V>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};

IRN_LANES_END

#endif
