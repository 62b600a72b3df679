// GMRES for one linear system a lane, all lanes in step:  minimise |b - Op x| over the Krylov space of b.
//
// A lane that has reached its accuracy is frozen: later basis vectors are zero in it, so its answer does not depend on
// how long its neighbours take. Does not restart; the caller lives with the accuracy that `memory` vectors give.
#if defined(IRN_EQUILIBRIUM_GMRES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_GMRES_INL_H_
#undef IRN_EQUILIBRIUM_GMRES_INL_H_
#else
#define IRN_EQUILIBRIUM_GMRES_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class T>
class Gmres {
 public:
  Gmres(std::size_t memory, std::size_t n, Arena<T>& arena)
      : n_(n),
        m_(memory < n ? memory : n),
        basis_(arena.vectors(m_ + 1, n)),
        h_(arena.vectors((m_ + 1) * m_, 1)),
        cosine_(arena.vectors(m_, 1)),
        sine_(arena.vectors(m_, 1)),
        rest_(arena.vectors(m_ + 1, 1)) {}

  // x = Op^-1 b to |b - Op x| <= accuracy |b| (2-norm), lane by lane. Op is a function object (v, out). Returns the
  // products spent, a lane; `reached` receives the relative residual.
  template <class Op>
  Lanes<T> solve(Op& op, const T* b, T accuracy, T* x, Lanes<T>& reached) {
    const Lanes<T> size = sqrt(dot(b, b, n_));
    const Lanes<T> goal = size * Lanes<T>(accuracy);
    put(rest_, 0, size);
    scale(b, inverse_or_zero(size), basis(0));
    Lanes<T> products, remaining = size;
    std::size_t k = 0;
    for (; k < m_; ++k) {
      const auto open = remaining > goal;
      if (none<T>(open)) break;
      op(basis(k), basis(k + 1));
      products = products + select(open, Lanes<T>(T(1)), Lanes<T>());
      orthogonalise(k, open);
      rotate(k, open);
      remaining = select(open, abs(at(rest_, k + 1)), remaining);
    }
    back_substitute(k, x);
    reached = select(size > Lanes<T>(), remaining / size, Lanes<T>());
    return products;
  }

 private:
  T* basis(std::size_t k) const { return basis_ + k * n_ * Lanes<T>::width; }
  std::size_t entry(std::size_t row, std::size_t col) const { return col * (m_ + 1) + row; }
  static Lanes<T> inverse_or_zero(Lanes<T> x) {
    return select(x > Lanes<T>(std::numeric_limits<T>::min()), Lanes<T>(T(1)) / x, Lanes<T>());
  }
  void scale(const T* v, Lanes<T> s, T* out) {
    for (std::size_t i = 0; i < n_; ++i) put(out, i, s * at(v, i));
  }

  // Modified Gram-Schmidt; closed lanes get zeros.
  void orthogonalise(std::size_t k, typename Lanes<T>::Mask open) {
    T* v = basis(k + 1);
    for (std::size_t i = 0; i < n_; ++i) put(v, i, select(open, at(v, i), Lanes<T>()));
    for (std::size_t j = 0; j <= k; ++j) {
      const Lanes<T> share = dot(basis(j), v, n_);
      put(h_, entry(j, k), share);
      add_scaled(v, -share, basis(j), n_);
    }
    const Lanes<T> size = sqrt(dot(v, v, n_));
    put(h_, entry(k + 1, k), size);
    scale(v, inverse_or_zero(size), v);
  }

  // Givens rotations keep the Hessenberg matrix triangular; rest_ is the rotated right side.
  void rotate(std::size_t k, typename Lanes<T>::Mask open) {
    for (std::size_t j = 0; j < k; ++j) {
      const Lanes<T> c = at(cosine_, j), s = at(sine_, j), a = at(h_, entry(j, k)), b = at(h_, entry(j + 1, k));
      put(h_, entry(j, k), mul_add(c, a, s * b));
      put(h_, entry(j + 1, k), neg_mul_add(s, a, c * b));
    }
    const Lanes<T> a = at(h_, entry(k, k)), b = at(h_, entry(k + 1, k));
    const Lanes<T> size = sqrt(mul_add(a, a, b * b)), inverse = inverse_or_zero(size);
    put(cosine_, k, a * inverse);
    put(sine_, k, b * inverse);
    put(h_, entry(k, k), size);
    const Lanes<T> rest = select(open, at(rest_, k), Lanes<T>());
    put(rest_, k, a * inverse * rest);
    put(rest_, k + 1, -(b * inverse * rest));
  }

  void back_substitute(std::size_t k, T* x) {
    for (std::size_t j = k; j-- > 0;) {
      Lanes<T> sum = at(rest_, j);
      for (std::size_t i = j + 1; i < k; ++i) sum = neg_mul_add(at(h_, entry(j, i)), at(rest_, i), sum);
      put(rest_, j, sum * inverse_or_zero(at(h_, entry(j, j))));
    }
    for (std::size_t i = 0; i < n_; ++i) put(x, i, Lanes<T>());
    for (std::size_t j = 0; j < k; ++j) add_scaled(x, at(rest_, j), basis(j), n_);
  }

  std::size_t n_, m_;
  T *basis_, *h_, *cosine_, *sine_, *rest_;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
