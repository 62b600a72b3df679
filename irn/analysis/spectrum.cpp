#include "irn/analysis/spectrum-inl.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/base/random.h"

namespace irn {
namespace {

using Columns = Eigen::MatrixXd;  // the layout that Eigen's factorisations prefer
using AllEigenvalues = Eigen::EigenSolver<Columns>;

Eigen::Index rightmost(const Eigen::VectorXcd& values) {
  Eigen::Index best = 0;
  for (Eigen::Index k = 1; k < values.size(); ++k)
    if (lies_right_of(values[k], values[best])) best = k;
  return best;
}

// The rounding of the QR steps equals a change of the matrix by about eps |M|. Its effect on an eigenvalue
// depends on the condition, which is seldom above a thousand.
double rounding(double norm) { return 1e3 * std::numeric_limits<double>::epsilon() * norm; }

// An orthonormal basis of v, M v, M^2 v, ... column by column, and H with M V = V H + a remainder in the last
// column.
struct Krylov {
  Columns basis, h;
  Eigen::Index size = 0;
  bool invariant = false;  // nothing remains: the eigenvalues of H are eigenvalues of the matrix

  Krylov(Eigen::Index n, Eigen::Index most) : basis(n, most + 1), h(Columns::Zero(most + 1, most)) {
    const Stream stream(1, 0);
    for (Eigen::Index i = 0; i < n; ++i) basis(i, 0) = stream.uniform(static_cast<std::uint64_t>(i), -1, 1);
    basis.col(0).normalize();
  }
  void extend(const Times& times) {
    Vector v = times(basis.col(size));
    const double before = v.norm();
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough
      const Vector part = basis.leftCols(size + 1).transpose() * v;
      h.col(size).head(size + 1) += part;
      v -= basis.leftCols(size + 1) * part;
    }
    const double rest = h(size + 1, size) = v.norm();
    invariant = rest <= 10 * std::numeric_limits<double>::epsilon() * before;
    if (!invariant) basis.col(size + 1) = v / rest;
    ++size;
  }
};

}  // namespace

bool lies_right_of(const std::complex<double>& a, const std::complex<double>& b) {
  return a.real() != b.real() ? a.real() > b.real() : a.imag() > b.imag();
}

Spectrum dense_spectrum(const Matrix& matrix, bool mode) {
  if (!matrix.allFinite()) return {{HUGE_VAL}, HUGE_VAL};
  const AllEigenvalues solver(Columns(matrix), mode);
  if (solver.info() != Eigen::Success) return {{HUGE_VAL}, HUGE_VAL};
  const Eigen::VectorXcd& values = solver.eigenvalues();
  Spectrum result{{values.begin(), values.end()}, rounding(matrix.norm())};
  if (mode) {
    const Eigen::VectorXcd v = solver.eigenvectors().col(rightmost(values)).normalized();
    result.mode.assign(v.begin(), v.end());
  }
  return result;
}

Spectrum arnoldi_spectrum(Eigen::Index n, const Times& times, std::size_t vectors, double accuracy,
                          bool mode) {
  const Eigen::Index most = std::min(n, index_of(vectors));
  constexpr Eigen::Index between = 10;  // steps between two computations of the eigenvalues of H
  Krylov krylov(n, most);
  for (;;) {
    krylov.extend(times);
    const Eigen::Index k = krylov.size;
    if (!krylov.h.col(k - 1).allFinite()) return {{HUGE_VAL}, HUGE_VAL};
    if (k % between != 0 && k < most && !krylov.invariant) continue;
    const AllEigenvalues solver(Columns(krylov.h.topLeftCorner(k, k)));
    const Eigen::VectorXcd& values = solver.eigenvalues();
    const Eigen::VectorXcd y = solver.eigenvectors().col(rightmost(values)).normalized();
    const double largest = values.cwiseAbs().maxCoeff();
    const double residual = krylov.invariant || k == n ? 0 : krylov.h(k, k - 1) * std::abs(y[k - 1]);
    if (residual > accuracy * largest && k < most) continue;
    Spectrum result{{values.begin(), values.end()}, residual + rounding(largest), k == n};
    if (mode) {
      const Eigen::VectorXcd v = krylov.basis.leftCols(k).cast<std::complex<double>>() * y;
      result.mode.assign(v.begin(), v.end());
    }
    return result;
  }
}

}  // namespace irn
