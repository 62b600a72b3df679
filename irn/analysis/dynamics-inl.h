// A network in plain double arithmetic, for all analysis of its states: F(z) = f(A z + c), c = B x + b. A is
// a matrix up to dense_analysis_limit neurons; beyond, it stays in blocks. All functions are const and may be
// called by many threads at once. Finding equilibria is left to the solvers.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <span>
#include <vector>

#include "irn/analysis/network_problem.h"
#include "irn/network/loops.h"

namespace irn {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

inline Eigen::Index index_of(std::size_t n) { return static_cast<Eigen::Index>(n); }
template <class T>
Vector vector_of(std::span<const T> values) {
  return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>>(values.data(), index_of(values.size()))
      .template cast<double>();
}
inline std::span<const double> span_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
inline std::vector<double> values_of(const Vector& v) { return {v.begin(), v.end()}; }

class Dynamics {
 public:
  template <class T>
  explicit Dynamics(const NetworkOf<T>& network);

  const Architecture& architecture() const { return architecture_; }
  std::size_t neurons() const { return architecture_.neurons(); }
  bool dense() const { return neurons() <= dense_analysis_limit; }
  const Matrix& a() const { return a_; }  // if dense()
  std::span<const double> numbers() const { return numbers_; }

  Vector drive(const Vector& x) const;  // c = B x + b
  Vector activated(Vector u) const;     // f(u)
  Vector map(const Vector& z, const Vector& c) const { return activated(a_times(z) + c); }
  Vector slopes(const Vector& value) const;  // f' where f has the value `value`
  Matrix jacobian(const Vector& slopes) const { return slopes.asDiagonal() * a_; }  // if dense()
  // The slopes at a state: f' where f has the value F(z).
  Vector slopes_at(const Vector& z, const Vector& c) const { return slopes(map(z, c)); }

  Vector a_times(const Vector& v) const;
  Vector a_transposed_times(const Vector& v) const;
  Vector b_times(const Vector& x) const { return product(x, true, false); }
  Vector b_transposed_times(const Vector& v) const { return product(v, true, true); }

  // The neurons of each loop, in the order of the loop.
  const std::vector<std::vector<Eigen::Index>>& loops() const { return loops_; }
  // A over the neurons of a loop, times v; only the loop's own blocks.
  Vector loop_times(std::size_t loop, const Vector& v) const;

 private:
  Vector product(const Vector& v, bool input, bool transposed) const;

  Architecture architecture_;
  std::vector<double> numbers_;  // all parameters
  std::vector<Activation> f_;
  Matrix a_;
  std::vector<Loop> layers_of_loops_;
  std::vector<std::vector<Eigen::Index>> loops_;
};

// Throws irn::Error unless these sizes fit the network.
void check_state(const Dynamics& dynamics, std::size_t inputs, std::size_t neurons);
// Throws irn::Error unless dense(); its message names `what` as the analysis that needs matrices.
void check_dense(const Dynamics& dynamics, const char* what);

}  // namespace irn
