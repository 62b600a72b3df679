// Decompositions of dense matrices by Eigen, compiled once: a file that includes <Eigen/Eigenvalues> or
// <Eigen/SVD> itself compiles ten seconds longer. Of symmetric and Hermitian matrices only the lower half is
// read.
#pragma once

#include <Eigen/Core>

namespace irn {

// Eigenvalues in ascending order, and orthonormal eigenvectors as columns.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
struct HermitianEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXcd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& m);
HermitianEigen hermitian_eigen(const Eigen::MatrixXcd& m);
SymmetricEigen tridiagonal_eigen(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside);
// The values alone take a fraction of the time.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m);
Eigen::VectorXd hermitian_eigenvalues(const Eigen::MatrixXcd& m);

// Whether Cholesky's method succeeds, with finite numbers. It overwrites m.
bool cholesky_succeeds(Eigen::MatrixXd& m);
bool cholesky_succeeds(Eigen::MatrixXcd& m);

// Of a square matrix: singular values in descending order, their left vectors and, if asked for, their right
// ones.
struct SingularValues {
  Eigen::VectorXd values;
  Eigen::MatrixXd left, right;
};
enum class SingularVectors { left, both };
SingularValues singular_values(const Eigen::MatrixXd& m, SingularVectors vectors);

}  // namespace irn
