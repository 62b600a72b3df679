#include "irn/analysis/linearised-inl.h"

#include <cmath>
#include <limits>

#include "irn/base/decompositions-inl.h"
#include "irn/base/random.h"

namespace irn {
namespace {

using Columns = Eigen::MatrixXd;

Columns matrix_of(const Dynamics& dynamics, const Vector& slopes) {
  const Eigen::Index n = slopes.size();
  return Columns::Identity(n, n) - Columns(slopes.asDiagonal() * dynamics.a());
}

struct TopPair {
  double value;
  Vector vector;
};

// The largest eigenvalue of a symmetric positive matrix given by its products: Lanczos' method, each vector
// orthogonalised against all before it, until the eigenvalue has settled to 10 digits.
template <class Times>
TopPair largest_eigenvalue(Eigen::Index n, const Times& times) {
  constexpr Eigen::Index between = 4;  // steps between two checks
  const Eigen::Index most = std::min<Eigen::Index>(n, 60);
  Columns basis(n, most + 1);
  Vector diagonal(most), beside(most);
  const Stream stream(1, 0);
  for (Eigen::Index i = 0; i < n; ++i) basis(i, 0) = stream.uniform(static_cast<std::uint64_t>(i), -1, 1);
  basis.col(0).normalize();
  double before = 0;
  for (Eigen::Index k = 0;;) {
    Vector v = times(basis.col(k));
    diagonal[k] = basis.col(k).dot(v);
    for (int pass = 0; pass < 2; ++pass) v -= basis.leftCols(k + 1) * (basis.leftCols(k + 1).transpose() * v);
    beside[k] = v.norm();
    const bool done = !(beside[k] > 1e-14 * std::abs(diagonal[k])) || k + 1 == most;
    basis.col(k + 1) = v / beside[k];
    if (++k; !done && k % between != 0) continue;
    const SymmetricEigen small = tridiagonal_eigen(diagonal.head(k), beside.head(k - 1));
    const double value = small.values[k - 1];
    if (done || std::abs(value - before) <= 1e-10 * value)
      return {value, basis.leftCols(k) * small.vectors.col(k - 1)};
    before = value;
  }
}

}  // namespace

Linearised::Linearised(const Dynamics& dynamics, Vector slopes)
    : dynamics_(dynamics), slopes_(std::move(slopes)), lu_(matrix_of(dynamics, slopes_)) {
  const Vector pivots = lu_.matrixLU().diagonal().cwiseAbs();
  singular_ =
      !(pivots.minCoeff() > std::numeric_limits<double>::epsilon() * std::max(1.0, pivots.maxCoeff()));
}

// The largest eigenvalue of M^-T M^-1 is 1 / value^2, and its vector is the left one.
SmallestSingular Linearised::smallest_singular() const {
  if (singular_) {
    const Columns m = matrix_of(dynamics_, slopes_);
    if (!m.allFinite()) return {std::numeric_limits<double>::quiet_NaN(), {}, {}};
    const auto [values, left, right] = singular_values(m, SingularVectors::both);
    const Eigen::Index last = m.rows() - 1;
    return {values[last], values_of(left.col(last)), values_of(right.col(last))};
  }
  const auto times = [&](const Vector& v) -> Vector { return lu_.transpose().solve(Vector(lu_.solve(v))); };
  const TopPair top = largest_eigenvalue(slopes_.size(), times);
  const Vector left = top.vector.normalized(), right = lu_.solve(left);
  return {1 / right.norm(), values_of(left), values_of(right.normalized())};
}

Sensitivity Linearised::sensitivity() const {
  const Architecture& architecture = dynamics_.architecture();
  const Eigen::Index outputs = index_of(architecture.outputs()), inputs = index_of(architecture.inputs());
  Sensitivity result{architecture.outputs(), architecture.inputs(), {}, HUGE_VAL, 0, HUGE_VAL};
  if (singular_) return result;
  Columns g = Columns::Zero(slopes_.size(), outputs);
  g.bottomRows(outputs).setIdentity();
  const Columns u = lu_.transpose().solve(g);  // one column for each output
  Matrix slopes(outputs, inputs);
  for (Eigen::Index k = 0; k < outputs; ++k)
    slopes.row(k) = dynamics_.b_transposed_times(slopes_.cwiseProduct(u.col(k))).transpose();
  result.slopes.assign(slopes.data(), slopes.data() + slopes.size());
  // The largest eigenvalue of the smaller of the two products is the square of the norm.
  const Columns square =
      outputs <= inputs ? Columns(slopes * slopes.transpose()) : Columns(slopes.transpose() * slopes);
  result.norm = std::sqrt(std::max(0.0, symmetric_eigenvalues(square).maxCoeff()));
  Eigen::Index input = 0;
  slopes.colwise().squaredNorm().maxCoeff(&input);
  result.input = static_cast<std::size_t>(input);
  // |u| / |g| is largest where g has the signs of the row of u with the largest sum.
  result.amplification = u.cwiseAbs().rowwise().sum().maxCoeff();
  return result;
}

}  // namespace irn
