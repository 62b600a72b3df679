// Anderson acceleration, with g = F(z) - z and differences of the last m steps as the columns of dZ and dG:
//   gamma minimises |g - dG gamma|,   z+ = z + damping g - W gamma,   W = dZ + damping dG
// The least squares go by the normal equations: m is small, and the small ridge on their diagonal bounds the
// coefficients when old differences grow parallel.
// Columns are taken four at a time: one sum after the other would wait for the latency of its additions, and the columns
// of a group of lanes, more than the first-level cache holds, would be read more often.
// Does not judge convergence: the rounds do.
#if defined(IRN_EQUILIBRIUM_ANDERSON_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ANDERSON_INL_H_
#undef IRN_EQUILIBRIUM_ANDERSON_INL_H_
#else
#define IRN_EQUILIBRIUM_ANDERSON_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class AndersonStep : public StepDefaults {
 public:
  using T = typename V::Scalar;
  AndersonStep(const Anderson& o, std::size_t n, Arena<V>& arena)
      : n_(n),
        m_(o.memory),
        damping_(static_cast<T>(o.damping)),
        g_(arena.vectors(1, n)),
        step_(arena.vectors(1, n)),
        dg_(arena.vectors(m_, n)),
        w_(arena.vectors(m_, n)),
        gram_(arena.vectors(m_ * m_, 1)),
        work_(arena.vectors(m_ * m_, 1)),
        gamma_(arena.vectors(m_, 1)) {}
  void restart() { age_ = 0; }
  bool open() const { return m_ == 0 || age_ % m_ == 0; }
  void reset(typename V::Mask lanes) { begins_ = select(lanes, V(T(1)), begins_); }

  V move(LaneMap<V>&, V* z, const V* f, V) {
    if (m_ == 0) {
      for (std::size_t i = 0; i < n_; ++i) z[i] = mul_add(V(damping_), f[i] - z[i], z[i]);
      return V(T(1));
    }
    if (open()) forget(z, f);
    const std::size_t newest = (age_ + m_ - 1) % m_, used = std::min(age_, m_);
    remember(z, f, newest);
    if (used > 0) {
      for_columns(used, [&]<std::size_t R>(std::size_t s) { project<R>(s, newest); });
      solve_normal_equations(used);
      for_columns(used, [&]<std::size_t R>(std::size_t s) { advance<R>(s, used, z); });
    } else {
      advance<0>(0, 0, z);
    }
    ++age_;
    return V(T(1));
  }

 private:
  V* column(V* matrix, std::size_t s) const { return matrix + s * n_; }

  // Calls body<R>(s) for the columns s .. s + R - 1, R = 4 but for the last ones.
  template <class Body>
  static HWY_INLINE void for_columns(std::size_t count, const Body& body) {
    std::size_t s = 0;
    for (; s + 4 <= count; s += 4) body.template operator()<4>(s);
    if (count - s == 3) body.template operator()<3>(s);
    if (count - s == 2) body.template operator()<2>(s);
    if (count - s == 1) body.template operator()<1>(s);
  }

  // Lanes that begin have no past: all their differences are zero, and so are the coefficients of these.
  void forget(const V* z, const V* f) {
    const auto begins = begins_ > V();
    if (none<V>(begins)) return;
    for (std::size_t i = 0; i < n_; ++i) {
      step_[i] = select(begins, V(), step_[i]);
      g_[i] = select(begins, f[i] - z[i], g_[i]);
    }
    for (std::size_t k = 0; k < m_ * n_; ++k) {
      dg_[k] = select(begins, V(), dg_[k]);
      w_[k] = select(begins, V(), w_[k]);
    }
    for (std::size_t k = 0; k < m_ * m_; ++k) gram_[k] = select(begins, V(), gram_[k]);
    begins_ = V();
  }

  // g, and the newest columns of dG and W = dZ + damping dG.
  void remember(const V* z, const V* f, std::size_t newest) {
    const std::size_t n = n_;
    const V damping(damping_), *step = step_;
    V *g = g_, *dg = column(dg_, newest), *w = column(w_, newest);
    for (std::size_t i = 0; i < n; ++i) {
      const V value = f[i] - z[i], change = value - g[i];
      w[i] = mul_add(damping, change, step[i]);
      dg[i] = change;
      g[i] = value;
    }
  }

  // What the newest column adds to dG^T dG, and dG^T g.
  template <std::size_t R>
  HWY_INLINE void project(std::size_t s, std::size_t newest) {
    const V *columns = column(dg_, s), *last = column(dg_, newest), *g = g_;
    const std::size_t n = n_;
    V with_last[R], with_g[R];
    for (std::size_t i = 0; i < n; ++i) {
      IRN_UNROLL
      for (std::size_t r = 0; r < R; ++r) {
        const V entry = columns[r * n + i];
        with_last[r] = mul_add(entry, last[i], with_last[r]);
        with_g[r] = mul_add(entry, g[i], with_g[r]);
      }
    }
    for (std::size_t r = 0; r < R; ++r) {
      gram_[(s + r) * m_ + newest] = gram_[newest * m_ + s + r] = with_last[r];
      gamma_[s + r] = with_g[r];
    }
  }

  // step = damping g - W gamma, z += step: what R columns from s on add to it.
  template <std::size_t R>
  HWY_INLINE void advance(std::size_t s, std::size_t used, V* z) {
    const V *columns = column(w_, s), *g = g_, damping(damping_);
    const std::size_t n = n_;
    const bool first = s == 0, last = s + R == used;
    V *step = step_, gamma[R + 1];
    for (std::size_t r = 0; r < R; ++r) gamma[r] = gamma_[s + r];
    for (std::size_t i = 0; i < n; ++i) {
      V value = first ? damping * g[i] : step[i];
      IRN_UNROLL
      for (std::size_t r = 0; r < R; ++r) value = neg_mul_add(gamma[r], columns[r * n + i], value);
      step[i] = value;
      if (last) z[i] = z[i] + value;
    }
  }

  // (dG^T dG + ridge) gamma = dG^T g, which gamma_ holds, by Cholesky's L D L^T. The ridge scales with the precision.
  void solve_normal_equations(std::size_t used) {
    V trace;
    for (std::size_t s = 0; s < used; ++s) trace = max(trace, gram_[s * m_ + s]);
    const V ridge = mul_add(trace, V(sizeof(T) == 4 ? T(1e-6) : T(1e-13)), V(T(1e-30)));
    for (std::size_t i = 0; i < used; ++i)
      for (std::size_t j = 0; j <= i; ++j) work_[i * m_ + j] = gram_[i * m_ + j] + (i == j ? ridge : V());
    for (std::size_t k = 0; k < used; ++k) {
      const V inverse = reciprocal(max(work_[k * m_ + k], ridge));
      work_[k * m_ + k] = inverse;
      for (std::size_t i = k + 1; i < used; ++i) {
        const V l = work_[i * m_ + k] * inverse;
        for (std::size_t j = k + 1; j <= i; ++j)
          work_[i * m_ + j] = neg_mul_add(l, work_[j * m_ + k], work_[i * m_ + j]);
        gamma_[i] = neg_mul_add(l, gamma_[k], gamma_[i]);
      }
    }
    for (std::size_t k = used; k-- > 0;) {
      V sum = gamma_[k];
      for (std::size_t i = k + 1; i < used; ++i) sum = neg_mul_add(work_[i * m_ + k], gamma_[i], sum);
      gamma_[k] = sum * work_[k * m_ + k];
    }
  }

  std::size_t n_, m_;
  T damping_;
  V *g_, *step_, *dg_, *w_, *gram_, *work_, *gamma_;
  V begins_;
  std::size_t age_ = 0;  // steps since all lanes began
};

template <class V>
struct StepOf<V, Anderson> {
  using type = AndersonStep<V>;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
