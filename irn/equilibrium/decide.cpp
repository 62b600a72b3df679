#include "irn/equilibrium/decide.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <vector>

namespace irn {

struct EigenvalueJudge::Inside {
  explicit Inside(std::size_t n) : numbers(n * n), matrix(n, n), solver(Eigen::Index(n)) {}
  std::vector<double> numbers;
  Eigen::MatrixXd matrix;
  Eigen::EigenSolver<Eigen::MatrixXd> solver;
};

EigenvalueJudge::EigenvalueJudge(std::size_t n) : inside_(std::make_unique<Inside>(n)) {}
EigenvalueJudge::~EigenvalueJudge() = default;
EigenvalueJudge::EigenvalueJudge(EigenvalueJudge&&) noexcept = default;

std::span<double> EigenvalueJudge::jacobian() { return inside_->numbers; }

void EigenvalueJudge::decide(double accuracy, Verdict& verdict) {
  auto& [numbers, matrix, solver] = *inside_;
  const Eigen::Index n = matrix.rows();
  matrix = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      numbers.data(), n, n);
  verdict.stability = Stability::undecided;
  if (matrix.allFinite() && solver.compute(matrix, false).info() == Eigen::Success) {
    const auto& values = solver.eigenvalues();
    const std::complex<double>* rightmost = std::max_element(
        values.data(), values.data() + n, [](const auto& a, const auto& b) { return a.real() < b.real(); });
    const double rate = rightmost->real() - 1, doubt = accuracy * std::max(1.0, matrix.norm());
    verdict.rate = static_cast<float>(rate);
    verdict.turn = static_cast<float>(std::abs(rightmost->imag()));
    if (rate < -doubt) verdict.stability = Stability::attracts;
    if (rate > doubt) verdict.stability = Stability::repels;
  }
  verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
}

}  // namespace irn
