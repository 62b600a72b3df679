// What a flow does that has not come to rest: told from points of it that follow each other (settling_path.h).
#pragma once

#include <vector>

#include <Eigen/Core>

#include "irn/analysis/settling_path.h"

namespace irn {

struct PathPoint {
  double t = 0;
  Eigen::VectorXd z, slope;  // slope = F(z) - z
  double residual() const { return slope.cwiseAbs().maxCoeff(); }
};

class PathWatch {
 public:
  explicit PathWatch(std::size_t most) : most_(most < 16 ? 16 : most) {}
  void add(const PathPoint& point) { points_.push_back(point); }
  bool full() const { return points_.size() >= most_; }
  void judge(double tolerance, SettlingPath& path) const;

 private:
  // The largest residual of the second half of the time over that of the first.
  double fall() const;
  bool drifts() const;
  void find_widest(SettlingPath& path) const;
  // Where the widest neuron passes the middle of its range upwards.
  std::vector<PathPoint> section(Eigen::Index neuron) const;
  // The time after which the state is back; 0 if it is not.
  double period(const std::vector<PathPoint>& section, double amplitude) const;

  std::size_t most_;
  std::vector<PathPoint> points_;
};

}  // namespace irn
