#include "irn/analysis/diagonal_stability-inl.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "irn/base/decompositions-inl.h"

namespace irn {
namespace {

using Columns = Eigen::MatrixXd;

double largest(const Columns& symmetric) { return symmetric_eigenvalues(symmetric).maxCoeff(); }

// The centre for one t, from a feasible p.
class Centre {
 public:
  Centre(const Matrix& m, double t) : m_(m), t_(t) {}

  Vector find(Vector p) const {
    double value = barrier(p);
    for (int k = 0; k < 50; ++k) {
      const Vector step = newton_step(p);
      // Newton's decrement is the length of the step in the metric of the barrier; well below 1 the centre is
      // near enough.
      const double decrement = step.dot(gradient_);
      if (!(decrement > 1e-3)) break;
      double length = 1;
      Vector next;
      double there;
      do {
        next = p + length * step;
        there = barrier(next);
        length /= 2;
      } while (!(there > value) && length > 1e-10);
      if (!(there > value)) break;
      p = next, value = there;
    }
    return p;
  }

 private:
  Columns feasible(const Vector& p) const {
    Columns f = -(p.asDiagonal() * m_);
    f += f.transpose().eval();
    f.diagonal() += 2 * t_ * p;
    return f;
  }
  // Minus infinity for a p that is not feasible.
  double barrier(const Vector& p) const {
    if (p.minCoeff() <= 0 || p.maxCoeff() >= 1) return -HUGE_VAL;
    const Eigen::LLT<Columns> llt(feasible(p));
    if (llt.info() != Eigen::Success) return -HUGE_VAL;
    return 2 * llt.matrixLLT().diagonal().array().log().sum() + p.array().log().sum() +
           (1 - p.array()).log().sum();
  }
  // F = sum_i p_i (e_i g_i^T + g_i e_i^T), g_i = t e_i - (row i of M). With W = F^-1 and G = (g_i):
  //   d log det F / dp_i = 2 g_i . W e_i,    -d2 / dp_i dp_j = 2 (U o U^T + V o W),   U = G^T W,  V = G^T W G
  Vector newton_step(const Vector& p) const {
    const Eigen::Index n = p.size();
    const Columns w = feasible(p).llt().solve(Columns::Identity(n, n));
    Columns g = -m_.transpose();
    g.diagonal().array() += t_;
    const Columns u = g.transpose() * w, v = u * g;
    gradient_ = 2 * u.diagonal() + p.cwiseInverse() - (1 - p.array()).inverse().matrix();
    Columns hessian = 2 * (u.cwiseProduct(u.transpose()) + v.cwiseProduct(w));
    hessian.diagonal() += p.array().square().inverse().matrix() + (1 - p.array()).square().inverse().matrix();
    return hessian.ldlt().solve(gradient_);
  }

  const Matrix& m_;
  double t_;
  mutable Vector gradient_;
};

// Whether I - X is positive definite for every symmetric X that differs from the one given by no more than
// `error` in the spectral norm. Cholesky's method must succeed on I - X - c I, with c above its own rounding,
// (n + 2) eps trace (Rump, BIT 46 (2006) 433); twice that is used.
bool is_below_one(const Columns& x, double error) {
  if (!x.allFinite()) return false;
  const double n = double(x.rows()), eps = std::numeric_limits<double>::epsilon();
  Columns rest = -x;
  rest.diagonal().array() += 1;
  const double trace = rest.diagonal().cwiseAbs().sum();
  rest.diagonal().array() -= 2 * (error + eps * (n + 2) * (trace + 1));
  return cholesky_succeeds(rest);
}

// (D M D^-1 + its transpose) / 2.
Columns weighed(const Matrix& m, const Vector& d) {
  const Columns x = d.asDiagonal() * m * d.cwiseInverse().asDiagonal();
  return (x + x.transpose()) / 2;
}

}  // namespace

double diagonal_bound(const Matrix& m, const Vector& p) { return largest(weighed(m, p.cwiseSqrt())); }

DiagonalStability best_diagonal(const Matrix& m, double accuracy) {
  // The middle of the box, from which the barrier can go both ways.
  Vector p = Vector::Constant(m.rows(), 0.5);
  double bound = diagonal_bound(m, p);
  const double size = std::max(1e-12, m.norm());
  double t = bound + 0.1 * size;
  for (int k = 0; k < 100; ++k) {
    const Vector centre = Centre(m, t).find(p);
    const double here = diagonal_bound(m, centre);
    if (!(here < t)) break;
    p = centre;
    const double gained = std::abs(bound - here);
    bound = std::min(bound, here);
    if (k > 2 && gained <= 0.1 * accuracy * std::max(1.0, std::abs(bound)) &&
        t - here <= accuracy * std::max(1.0, std::abs(here)))
      break;
    // A tenth of the room is left, so that p is well inside the feasible set of the next t.
    t = here + 0.1 * (t - here);
  }
  return {diagonal_bound(m, p), p / p.maxCoeff()};
}

Vector rounded_weights(const Vector& p) {
  Vector rounded = p;
  for (double& value : rounded) {
    // The root is rounded to 20 binary digits, so its square, the weight, is exact with 40.
    int exponent = 0;
    const double root = std::frexp(std::sqrt(value), &exponent);
    const double short_root = std::ldexp(std::round(std::ldexp(root, 20)), exponent - 20);
    value = short_root * short_root;
  }
  return rounded;
}

// An entry (d_i m_ij / d_j + d_j m_ji / d_i) / 2 is rounded once each in m, a product, a quotient and the sum, each
// time relative to the two terms. The errors of m are weighed like m itself.
bool proves_stability(const Matrix& m, const Matrix& errors, const Vector& p) {
  if (!(p.minCoeff() > 0)) return false;
  const Vector d = p.cwiseSqrt();  // exact for rounded weights
  const Columns terms = weighed(m.cwiseAbs(), d);
  const double error = 6 * std::numeric_limits<double>::epsilon() * terms.rowwise().sum().maxCoeff() +
                       weighed(errors, d).rowwise().sum().maxCoeff();
  return is_below_one(weighed(m, d), error);
}

// |M| < 1 if I - M^T M is positive definite. An entry of the product is off by at most (n + 2) eps times the same
// product of absolute values. Errors E of M change it by at most E^T |M| + |M|^T E + E^T E.
bool proves_contraction(const Matrix& m, const Matrix& errors) {
  const Columns absolute = m.cwiseAbs();
  const Vector sums = absolute * Vector::Ones(m.cols()), off = errors * Vector::Ones(m.cols());
  const double rounded = double(m.rows() + 4) * std::numeric_limits<double>::epsilon() *
                         (absolute.transpose() * sums).maxCoeff();
  const double error = rounded + (errors.transpose() * (sums + off) + absolute.transpose() * off).maxCoeff();
  return is_below_one(m.transpose() * m, 1.01 * error);
}

}  // namespace irn
