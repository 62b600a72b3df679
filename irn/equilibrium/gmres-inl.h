// GMRES for one linear system in each lane, all lanes in step:  minimise |b - Op x| over the Krylov space of
// b.
//
// A lane that has reached its accuracy is frozen: later basis vectors are zero in it, so its answer does not
// depend on how long its neighbours take. Does not restart; the caller accepts the accuracy that `most`
// vectors give.
#if defined(IRN_EQUILIBRIUM_GMRES_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_GMRES_INL_H_
#undef IRN_EQUILIBRIUM_GMRES_INL_H_
#else
#define IRN_EQUILIBRIUM_GMRES_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class Gmres {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN Gmres(std::size_t most, Size n, Memory& memory)
      : n_(n),
        m_(most < unknowns<V>(n) ? most : unknowns<V>(n)),
        basis_(memory.vectors(m_ + 1, n)),
        h_(memory.scalars((m_ + 1) * m_)),
        cosine_(memory.scalars(m_)),
        sine_(memory.scalars(m_)),
        rest_(memory.scalars(m_ + 1)) {}

  // For each lane of the last solve: the sign of the determinant of Op on the Krylov space, as a positive or
  // negative number; zero if no product was needed. The rotations leave it in the pivot that the last of them
  // removed.
  IRN_FN V determinant_sign() const { return pivot_; }

  // x = Op^-1 b to |b - Op x| <= accuracy |b| (2-norm), lane by lane. Op is a function object (v, out).
  // Returns the products spent in each lane; `reached` receives the relative residual.
  template <class Op>
  IRN_NOINLINE V solve(Op& op, const V* b, V accuracy, V* x, V& reached) {
    const V size = sqrt(dot(b, b, n_));
    const V goal = size * accuracy;
    rest_[0] = size;
    pivot_ = V();
    scale(b, inverse_or_zero(size), basis(0));
    V products, remaining = size;
    std::size_t k = 0;
    for (; k < m_; ++k) {
      const auto open = remaining > goal;
      if (none<V>(open)) break;
      V* v = basis(k);  // a lane that is done asks for nothing
      for (std::size_t i = 0; i < n_; ++i) v[i] = select(open, v[i], V());
      op(v, basis(k + 1));
      products = products + select(open, V(T(1)), V());
      orthogonalise(k, open);
      rotate(k, open);
      remaining = select(open, abs(rest_[k + 1]), remaining);
    }
    back_substitute(k, x);
    reached = select(size > V(), remaining / size, V());
    return products;
  }

 private:
  IRN_FN V* basis(std::size_t k) const { return basis_ + k * n_; }
  IRN_FN std::size_t entry(std::size_t row, std::size_t col) const { return col * (m_ + 1) + row; }
  static IRN_FN V inverse_or_zero(V x) {
    return select(x > V(std::numeric_limits<T>::min()), V(T(1)) / x, V());
  }
  IRN_FN void scale(const V* v, V s, V* out) {
    for (std::size_t i = 0; i < n_; ++i) out[i] = s * v[i];
  }

  // Modified Gram-Schmidt; closed lanes get zeros.
  IRN_FN void orthogonalise(std::size_t k, typename V::Mask open) {
    V* v = basis(k + 1);
    for (std::size_t i = 0; i < n_; ++i) v[i] = select(open, v[i], V());
    for (std::size_t j = 0; j <= k; ++j) {
      const V share = dot(basis(j), v, n_);
      h_[entry(j, k)] = share;
      add_scaled(v, -share, basis(j), n_);
    }
    const V size = sqrt(dot(v, v, n_));
    h_[entry(k + 1, k)] = size;
    scale(v, inverse_or_zero(size), v);
  }

  // Givens rotations keep the Hessenberg matrix triangular; rest_ is the rotated right side.
  IRN_FN void rotate(std::size_t k, typename V::Mask open) {
    for (std::size_t j = 0; j < k; ++j) {
      const V c = cosine_[j], s = sine_[j], a = h_[entry(j, k)], b = h_[entry(j + 1, k)];
      h_[entry(j, k)] = mul_add(c, a, s * b);
      h_[entry(j + 1, k)] = neg_mul_add(s, a, c * b);
    }
    const V a = h_[entry(k, k)], b = h_[entry(k + 1, k)];
    const V size = sqrt(mul_add(a, a, b * b)), inverse = inverse_or_zero(size);
    pivot_ = select(open, a, pivot_);
    cosine_[k] = a * inverse;
    sine_[k] = b * inverse;
    h_[entry(k, k)] = size;
    const V rest = select(open, rest_[k], V());
    rest_[k] = a * inverse * rest;
    rest_[k + 1] = -(b * inverse * rest);
  }

  IRN_FN void back_substitute(std::size_t k, V* x) {
    for (std::size_t j = k; j-- > 0;) {
      V sum = rest_[j];
      for (std::size_t i = j + 1; i < k; ++i) sum = neg_mul_add(h_[entry(j, i)], rest_[i], sum);
      rest_[j] = sum * inverse_or_zero(h_[entry(j, j)]);
    }
    for (std::size_t i = 0; i < n_; ++i) x[i] = V();
    for (std::size_t j = 0; j < k; ++j) add_scaled(x, rest_[j], basis(j), n_);
  }

  V pivot_;
  [[no_unique_address]] Size n_;
  std::size_t m_;
  V *basis_, *h_, *cosine_, *sine_, *rest_;
};

IRN_LANES_END

#endif
