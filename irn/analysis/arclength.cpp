#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "irn/analysis/arclength-inl.h"
#include "irn/base/error.h"
#include "irn/base/random.h"

namespace irn {

using Eigen::Index;
using Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// F - z and its derivatives at a point: (dF/dz - I, dF/dq) is `jacobian`, with room for one more row.
struct Curve::Linear {
  VectorXd error;
  Matrix jacobian;
};

Curve::Curve(const Family& family, const BifurcationOptions& options)
    : family_(family),
      low_(options.low),
      width_(options.high - options.low),
      n_(static_cast<Index>(family.size())),
      groups_(family.groups()),
      weight_(VectorXd::Constant(n_ + 1, 1 / double(family.size()))) {
  if (!(width_ > 0) || !std::isfinite(width_)) throw Error("the range of the parameter is empty");
  weight_(n_) = 1;
}

double Curve::product(const VectorXd& u, const VectorXd& v) const {
  return (weight_.array() * u.array() * v.array()).sum();
}
double Curve::length(const VectorXd& u) const { return std::sqrt(product(u, u)); }

Curve::Linear Curve::linearise(const VectorXd& u) const {
  const std::size_t n = family_.size();
  VectorXd value(n_), slope(n_);
  Matrix j(n_, n_);
  family_.evaluate({u.data(), n}, p_of(u), {value.data(), n}, {j.data(), n * n}, {slope.data(), n});
  Linear linear{value - u.head(n_), Matrix::Zero(n_ + 1, n_ + 1)};
  linear.jacobian.topLeftCorner(n_, n_) = j - Matrix::Identity(n_, n_);
  linear.jacobian.col(n_).head(n_) = width_ * slope;
  return linear;
}

bool Curve::correct(VectorXd& u, const VectorXd& row, const VectorXd& anchor) const {
  constexpr int most = 8;           // quadratic convergence needs four from nearby
  constexpr double enough = 1e-11;  // of the last correction, a few hundred roundings of states of order one
  for (int k = 0; k < most; ++k) {
    Linear linear = linearise(u);
    linear.jacobian.row(n_) = row.transpose();
    VectorXd rest(n_ + 1);
    rest << -linear.error, -row.dot(u - anchor);
    const VectorXd change = linear.jacobian.partialPivLu().solve(rest);
    if (!change.allFinite()) return false;
    u += change;
    if (length(change) < enough) return true;
  }
  return false;
}

std::optional<VectorXd> Curve::polish(double p, std::span<const double> z) const {
  VectorXd u(n_ + 1);
  u << Eigen::Map<const VectorXd>(z.data(), n_), q_of(p);
  const VectorXd row = VectorXd::Unit(n_ + 1, n_), start = u;
  return correct(u, row, start) ? std::optional(u) : std::nullopt;
}

namespace {

// Eigenvalues of dF/dz with real part above 1, and the imaginary part of that nearest to 1 in real part.
void judge(const Matrix& j, const std::vector<std::vector<std::size_t>>& groups, CurvePoint& point) {
  double nearest = 1;  // unknowns in no group have eigenvalue 0
  for (const std::vector<std::size_t>& group : groups) {
    const Eigen::EigenSolver<Eigen::MatrixXd> solver(j(group, group), false);
    for (const std::complex<double> value : solver.eigenvalues()) {
      if (value.real() > 0) ++point.unstable;
      if (std::abs(value.real()) >= nearest) continue;
      nearest = std::abs(value.real());
      point.frequency = std::abs(value.imag());
    }
  }
}

}  // namespace

// The tangent solves (dF/dz - I, dF/dq) t = 0, <ahead, t> = 1.
CurvePoint Curve::finish(VectorXd u, const VectorXd& ahead) const {
  CurvePoint point{std::move(u), {}};
  Linear linear = linearise(point.u);
  judge(linear.jacobian.topLeftCorner(n_, n_), groups_, point);
  linear.jacobian.row(n_) = (weight_.array() * ahead.array()).matrix().transpose();
  point.tangent = linear.jacobian.partialPivLu().solve(VectorXd::Unit(n_ + 1, n_));
  point.tangent /= length(point.tangent);
  return point;
}

// A random row: almost surely none that the tangent is orthogonal to, on a fold as little as elsewhere.
CurvePoint Curve::begin(const VectorXd& u) {
  for (Index i = 0; i < n_; ++i) {
    const double size = std::max(1.0, std::abs(u(i)));
    weight_(i) = 1 / (double(n_) * size * size);
  }
  const Stream stream(1, 0);
  VectorXd row(n_ + 1);
  for (Index i = 0; i <= n_; ++i) row(i) = stream.uniform(static_cast<std::uint64_t>(i), 0.5, 1);
  CurvePoint point = finish(u, row);
  if (point.turning()) point.tangent *= -1;
  return point;
}

std::optional<CurvePoint> Curve::step(const CurvePoint& from, double s) const {
  VectorXd u = from.u + s * from.tangent;
  const VectorXd anchor = u, row = weight_.array() * from.tangent.array();
  if (!correct(u, row, anchor)) return {};
  return finish(std::move(u), from.tangent);
}

std::optional<CurvePoint> Curve::at(double q, const CurvePoint& a, const CurvePoint& b) const {
  const double share = (q - a.u(n_)) / (b.u(n_) - a.u(n_));
  VectorXd u = a.u + share * (b.u - a.u);
  u(n_) = q;
  const VectorXd row = VectorXd::Unit(n_ + 1, n_), anchor = u;
  if (!correct(u, row, anchor)) return {};
  u(n_) = q;
  return finish(std::move(u), a.tangent);
}

}  // namespace irn
