#include "irn/base/decompositions-inl.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace irn {

using Eigen::EigenvaluesOnly;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::SelfAdjointEigenSolver;
using Eigen::VectorXd;

SymmetricEigen symmetric_eigen(const MatrixXd& m) {
  const SelfAdjointEigenSolver<MatrixXd> solver(m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
HermitianEigen hermitian_eigen(const MatrixXcd& m) {
  const SelfAdjointEigenSolver<MatrixXcd> solver(m);
  return {solver.eigenvalues(), solver.eigenvectors()};
}
SymmetricEigen tridiagonal_eigen(const VectorXd& diagonal, const VectorXd& beside) {
  SelfAdjointEigenSolver<MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, beside);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd symmetric_eigenvalues(const MatrixXd& m) {
  return SelfAdjointEigenSolver<MatrixXd>(m, EigenvaluesOnly).eigenvalues();
}
VectorXd hermitian_eigenvalues(const MatrixXcd& m) {
  return SelfAdjointEigenSolver<MatrixXcd>(m, EigenvaluesOnly).eigenvalues();
}

namespace {

// Eigen stops at a pivot at or below zero, which NaN is not.
template <class M>
bool succeeds(M& m) {
  return Eigen::LLT<Eigen::Ref<M>>(m).info() == Eigen::Success && m.diagonal().allFinite();
}

}  // namespace

bool cholesky_succeeds(MatrixXd& m) { return succeeds(m); }
bool cholesky_succeeds(MatrixXcd& m) { return succeeds(m); }

SingularValues singular_values(const MatrixXd& m, SingularVectors vectors) {
  const bool both = vectors == SingularVectors::both;
  const Eigen::BDCSVD<MatrixXd> svd(m, Eigen::ComputeThinU | (both ? Eigen::ComputeThinV : 0));
  return {svd.singularValues(), svd.matrixU(), both ? svd.matrixV() : MatrixXd()};
}

}  // namespace irn
