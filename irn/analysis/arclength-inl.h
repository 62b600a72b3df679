// Points of the curve F(z, p) - z = 0 and steps along it: what bifurcation.h is made of.
//
// A point is u = (z, q) with q = (p - low) / (high - low). The metric is <u, v> = sum_i w_i z_i z'_i + q q', with w_i = 1 / (n size_i^2), where
// size_i is the neuron's size at the start, at least 1.
#pragma once

#include <optional>
#include <span>

#include <Eigen/Core>

#include "irn/analysis/bifurcation.h"

namespace irn {

struct CurvePoint {
  Eigen::VectorXd u;        // z, then q
  Eigen::VectorXd tangent;  // of length 1 in the metric
  std::size_t unstable = 0;
  double frequency = 0;  // |Im| of the eigenvalue nearest to the edge
  bool turning() const { return tangent(tangent.size() - 1) < 0; }  // q falls
};

class Curve {
 public:
  Curve(const Family& family, const BifurcationOptions& options);

  // The equilibrium at p near z; nothing if Newton's method finds none.
  std::optional<Eigen::VectorXd> polish(double p, std::span<const double> z) const;
  // The first point, its tangent on the side where q rises (or either, where it does not change). Sets the metric.
  CurvePoint begin(const Eigen::VectorXd& u);
  // The point a step of length s further on, its tangent pointing ahead; nothing if Newton's method does not get there.
  std::optional<CurvePoint> step(const CurvePoint& from, double s) const;
  // The equilibrium at q between two neighbours, as a point of the curve.
  std::optional<CurvePoint> at(double q, const CurvePoint& a, const CurvePoint& b) const;

  double length(const Eigen::VectorXd& u) const;
  double product(const Eigen::VectorXd& u, const Eigen::VectorXd& v) const;
  double p_of(const Eigen::VectorXd& u) const { return low_ + width_ * u(n_); }
  double q_of(double p) const { return (p - low_) / width_; }

 private:
  struct Linear;
  Linear linearise(const Eigen::VectorXd& u) const;
  // Newton's method on F - z = 0 and <row, u - anchor> = 0; true if it converged.
  bool correct(Eigen::VectorXd& u, const Eigen::VectorXd& row, const Eigen::VectorXd& anchor) const;
  CurvePoint finish(Eigen::VectorXd u, const Eigen::VectorXd& ahead) const;

  const Family& family_;
  double low_, width_;
  Eigen::Index n_;
  std::vector<std::vector<std::size_t>> groups_;
  Eigen::VectorXd weight_;
};

}  // namespace irn
