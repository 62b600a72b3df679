// Anderson acceleration, with g = F(z) - z and differences of the last m steps as the columns of dZ and dG:
//   gamma minimises |g - dG gamma|,   z+ = z + damping g - (dZ + damping dG) gamma
// The least squares go by the normal equations: m is small, and the small ridge on their diagonal bounds the
// coefficients when old differences grow parallel.
// Does not judge convergence: the driver does.
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
class AndersonStep {
 public:
  using T = typename V::Scalar;
  static constexpr bool memoryless = false;
  static constexpr bool launches = false;
  static constexpr bool follows_flow = false;
  AndersonStep(const Anderson& o, std::size_t n, Arena<V>& arena)
      : n_(n),
        m_(o.memory),
        damping_(static_cast<T>(o.damping)),
        g_(arena.vectors(1, n)),
        old_z_(arena.vectors(1, n)),
        old_g_(arena.vectors(1, n)),
        dz_(arena.vectors(m_, n)),
        dg_(arena.vectors(m_, n)),
        gram_(arena.vectors(m_ * m_, 1)),
        work_(arena.vectors(m_ * m_, 1)),
        gamma_(arena.vectors(m_, 1)) {}
  void reset(std::size_t) { age_ = 0; }  // all lanes begin together

  V move(LaneMap<V>&, V* z, const V* f, V) {
    flow(z, f, g_, n_);
    if (age_ > 0 && m_ > 0) remember(z);
    for (std::size_t i = 0; i < n_; ++i) old_z_[i] = z[i], old_g_[i] = g_[i];
    const std::size_t used = age_ < m_ ? age_ : m_;
    if (used > 0) solve_normal_equations(used);
    add_scaled(z, V(damping_), g_, n_);
    for (std::size_t s = 0; s < used; ++s) {
      const V gamma = gamma_[s];
      add_scaled(z, -gamma, column(dz_, s), n_);
      add_scaled(z, V(-damping_) * gamma, column(dg_, s), n_);
    }
    ++age_;
    return V(T(1));
  }

 private:
  V* column(V* matrix, std::size_t s) const { return matrix + s * n_; }

  void remember(const V* z) {
    const std::size_t slot = (age_ - 1) % m_, used = age_ < m_ ? age_ : m_;
    flow(old_z_, z, column(dz_, slot), n_);
    flow(old_g_, g_, column(dg_, slot), n_);
    for (std::size_t s = 0; s < used; ++s) {
      const V product = dot(column(dg_, s), column(dg_, slot), n_);
      gram_[s * m_ + slot] = product;
      gram_[slot * m_ + s] = product;
    }
  }

  // (dG^T dG + ridge) gamma = dG^T g by Cholesky's L D L^T. The ridge scales with the precision.
  void solve_normal_equations(std::size_t used) {
    V trace;
    for (std::size_t s = 0; s < used; ++s) trace = max(trace, gram_[s * m_ + s]);
    const V ridge = mul_add(trace, V(sizeof(T) == 4 ? T(1e-6) : T(1e-13)), V(T(1e-30)));
    for (std::size_t i = 0; i < used; ++i) {
      gamma_[i] = dot(column(dg_, i), g_, n_);
      for (std::size_t j = 0; j <= i; ++j) work_[i * m_ + j] = gram_[i * m_ + j] + (i == j ? ridge : V());
    }
    for (std::size_t k = 0; k < used; ++k) {
      const V pivot = max(work_[k * m_ + k], ridge);
      for (std::size_t i = k + 1; i < used; ++i) {
        const V l = work_[i * m_ + k] / pivot;
        for (std::size_t j = k + 1; j <= i; ++j)
          work_[i * m_ + j] = neg_mul_add(l, work_[j * m_ + k], work_[i * m_ + j]);
        gamma_[i] = neg_mul_add(l, gamma_[k], gamma_[i]);
      }
    }
    for (std::size_t k = used; k-- > 0;) {
      const V pivot = max(work_[k * m_ + k], ridge);
      V sum = gamma_[k];
      for (std::size_t i = k + 1; i < used; ++i) sum = neg_mul_add(work_[i * m_ + k], gamma_[i], sum);
      gamma_[k] = sum / pivot;
    }
  }

  std::size_t n_, m_;
  T damping_;
  V *g_, *old_z_, *old_g_, *dz_, *dg_, *gram_, *work_, *gamma_;
  std::size_t age_ = 0;
};

template <class V>
struct StepOf<V, Anderson> {
  using type = AndersonStep<V>;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
