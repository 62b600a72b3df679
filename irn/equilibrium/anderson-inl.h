// Anderson acceleration, with g = F(z) - z and differences of the last m steps as the columns of dZ and dG:
//   gamma minimises |g - dG gamma|,   z+ = z + damping g - W gamma,   W = dZ + damping dG
// The least squares are solved by the normal equations: m is small, and the small ridge on their diagonal
// bounds the coefficients when old differences become nearly parallel.
//
// A lane may begin at any time beside older ones. Columns are taken from the newest to the oldest, and the
// lane's own are the newest, so its result does not depend on where in the ring of columns it began. The
// other columns are left over from the lane's last problem and have coefficients of zero, so they must be
// finite (reset sees to it).
//
// Columns are taken four at a time: single sums would wait for each other's additions, and the columns of a
// group of lanes, more than the first-level cache holds, would be read more often. Convergence is judged by
// the rounds.
#if defined(IRN_EQUILIBRIUM_ANDERSON_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ANDERSON_INL_H_
#undef IRN_EQUILIBRIUM_ANDERSON_INL_H_
#else
#define IRN_EQUILIBRIUM_ANDERSON_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class AndersonStep : public AnyAge {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  using Mask = typename V::Mask;
  template <class Memory>
  IRN_FN AndersonStep(const Anderson& o, Size n, Memory& memory)
      : n_(n),
        m_(o.memory),
        damping_(static_cast<T>(o.damping)),
        g_(memory.vectors(1, n)),
        step_(memory.vectors(1, n)),
        dg_(memory.vectors(m_, n)),
        w_(memory.vectors(m_, n)),
        gram_(memory.scalars(m_ * m_)),
        work_(memory.scalars(m_ * m_)),
        gamma_(memory.scalars(m_)),
        projected_(memory.scalars(m_)) {}

  // Clears the columns of a problem that left the range of numbers: 0 times such a number is not 0.
  IRN_FN void reset(Mask lanes) {
    age_ = select(lanes, V(), age_);
    V squares;
    for (std::size_t s = 0; s < m_; ++s) squares = squares + gram_[s * m_ + s];
    const Mask broken = and_not(is_finite(squares), lanes);
    if (!none<V>(broken)) clear(broken);
  }

  template <class Map>
  IRN_FN V move(Map&, V* z, const V* f, V) {
    if (m_ == 0) {
      for (std::size_t i = 0; i < n_; ++i) z[i] = mul_add(V(damping_), f[i] - z[i], z[i]);
      return V(T(1));
    }
    newest_ = (newest_ + 1) % m_;
    for_columns([&]<std::size_t R>(std::size_t c) { c == 0 ? remember<R>(z, f) : project<R>(c); });
    solve_normal_equations();
    for_columns([&]<std::size_t R>(std::size_t c) { advance<R>(c, z); });
    age_ = age_ + V(T(1));
    return V(T(1));
  }

 private:
  IRN_FN V* column(V* matrix, std::size_t place) const { return matrix + place * n_; }
  // The position of the c-th last difference.
  IRN_FN std::size_t place(std::size_t c) const { return (newest_ + m_ - c) % m_; }
  // The lanes that have a c-th last difference of their own.
  IRN_FN Mask valid(std::size_t c) const { return V(static_cast<T>(c)) < age_; }

  // Calls body<R>(c) for the R columns from the c-th last on; R = 4 except at the end.
  template <class Body>
  IRN_INLINE void for_columns(const Body& body) const {
    std::size_t c = 0;
    for (; c + 4 <= m_; c += 4) body.template operator()<4>(c);
    if (m_ - c == 3) body.template operator()<3>(c);
    if (m_ - c == 2) body.template operator()<2>(c);
    if (m_ - c == 1) body.template operator()<1>(c);
  }

  IRN_FN void clear(Mask lanes) {
    for (std::size_t k = 0; k < m_ * n_; ++k) {
      dg_[k] = select(lanes, V(), dg_[k]);
      w_[k] = select(lanes, V(), w_[k]);
    }
    for (std::size_t k = 0; k < m_ * m_; ++k) gram_[k] = select(lanes, V(), gram_[k]);
  }

  // Inner products of R columns of dG, from the c-th last on, with the newest column and with g.
  template <std::size_t R>
  struct Products {
    V with_newest[R], with_g[R];
    IRN_INLINE Products() {}  // written out: a default one is compiled for the plainest target
    IRN_INLINE void add(std::size_t r, V entry, V newest, V g) {
      with_newest[r] = mul_add(entry, newest, with_newest[r]);
      with_g[r] = mul_add(entry, g, with_g[r]);
    }
  };
  template <std::size_t R>
  IRN_FN void keep(const Products<R>& products, std::size_t c) {
    for (std::size_t r = 0; r < R; ++r) {
      const std::size_t at = place(c + r);
      gram_[at * m_ + newest_] = gram_[newest_ * m_ + at] = sum_of_all(products.with_newest[r]);
      projected_[at] = sum_of_all(products.with_g[r]);
    }
  }

  // Computes g, the newest columns of dG and W = dZ + damping dG (zero in lanes that have just begun), and
  // the products of the last R columns.
  template <std::size_t R>
  IRN_FN void remember(const V* z, const V* f) {
    const Size n = n_;
    const V damping(damping_), *step = step_, *columns[R];
    const Mask old = valid(0);
    V *g = g_, *dg = column(dg_, newest_), *w = column(w_, newest_);
    for (std::size_t r = 0; r < R; ++r) columns[r] = column(dg_, place(r));
    Products<R> products;
    for (std::size_t i = 0; i < n; ++i) {
      const V value = f[i] - z[i], change = select(old, value - g[i], V());
      w[i] = mul_add(damping, change, select(old, step[i], V()));
      dg[i] = change;
      g[i] = value;
      products.add(0, change, change, value);
      IRN_UNROLL
      for (std::size_t r = 1; r < R; ++r) products.add(r, columns[r][i], change, value);
    }
    keep(products, 0);
  }
  // Adds the products of older columns.
  template <std::size_t R>
  IRN_FN void project(std::size_t c) {
    const Size n = n_;
    const V *newest = column(dg_, newest_), *g = g_, *columns[R];
    for (std::size_t r = 0; r < R; ++r) columns[r] = column(dg_, place(c + r));
    Products<R> products;
    for (std::size_t i = 0; i < n; ++i) IRN_UNROLL
    for (std::size_t r = 0; r < R; ++r) products.add(r, columns[r][i], newest[i], g[i]);
    keep(products, c);
  }

  // Adds what R columns, from the c-th last on, contribute to step = damping g - W gamma, z += step.
  template <std::size_t R>
  IRN_INLINE void advance(std::size_t c, V* z) {
    const V *columns[R], *g = g_, damping(damping_);
    const Size n = n_;
    const bool first = c == 0, last = c + R == m_;
    V *step = step_, gamma[R];
    for (std::size_t r = 0; r < R; ++r) columns[r] = column(w_, place(c + r)), gamma[r] = gamma_[c + r];
    for (std::size_t i = 0; i < n; ++i) {
      V value = first ? damping * g[i] : step[i];
      IRN_UNROLL
      for (std::size_t r = 0; r < R; ++r) value = neg_mul_add(gamma[r], columns[r][i], value);
      step[i] = value;
      if (last) z[i] = z[i] + value;
    }
  }

  // (dG^T dG + ridge) gamma = dG^T g by Cholesky's L D L^T, from the newest column to the oldest. The ridge
  // scales with the precision.
  IRN_FN void solve_normal_equations() {
    V trace;
    for (std::size_t c = 0; c < m_; ++c)
      for (std::size_t d = 0; d <= c; ++d)
        work_[c * m_ + d] = select(valid(c), gram_[place(c) * m_ + place(d)], V());
    for (std::size_t c = 0; c < m_; ++c) {
      gamma_[c] = select(valid(c), projected_[place(c)], V());
      trace = max(trace, work_[c * m_ + c]);
    }
    const V ridge = mul_add(trace, V(sizeof(T) == 4 ? T(1e-6) : T(1e-13)), V(T(1e-30)));
    for (std::size_t k = 0; k < m_; ++k) {
      const V inverse = reciprocal(max(work_[k * m_ + k] + ridge, ridge));
      work_[k * m_ + k] = inverse;
      for (std::size_t i = k + 1; i < m_; ++i) {
        const V l = work_[i * m_ + k] * inverse;
        for (std::size_t j = k + 1; j <= i; ++j)
          work_[i * m_ + j] = neg_mul_add(l, work_[j * m_ + k], work_[i * m_ + j]);
        gamma_[i] = neg_mul_add(l, gamma_[k], gamma_[i]);
      }
    }
    for (std::size_t k = m_; k-- > 0;) {
      V sum = gamma_[k];
      for (std::size_t i = k + 1; i < m_; ++i) sum = neg_mul_add(work_[i * m_ + k], gamma_[i], sum);
      gamma_[k] = sum * work_[k * m_ + k];
    }
  }

  [[no_unique_address]] Size n_;
  std::size_t m_;
  T damping_;
  V *g_, *step_, *dg_, *w_, *gram_, *work_, *gamma_, *projected_;
  V age_;                   // how many differences of its own a lane has
  std::size_t newest_ = 0;  // position of the newest column; the one before it precedes it in the ring
};

template <class V>
struct SolverOf<V, Anderson> {
  using Step = AndersonStep<V>;
  using Phases = InOrder<StepsPhase, ConfirmationPhase>;
};

IRN_LANES_END

#endif
