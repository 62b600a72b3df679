// A network at one state: I - D A is factored once, for everything that its inverse tells.
#pragma once

#include "irn/analysis/dynamics-inl.h"
#include "irn/analysis/fold_distance.h"
#include "irn/analysis/sensitivity.h"

namespace irn {

class Linearised {
 public:
  // `slopes`: D. Refers to the dynamics, which must be dense().
  Linearised(const Dynamics& dynamics, Vector slopes);

  bool singular() const { return singular_; }  // to working accuracy: there is no inverse
  SmallestSingular smallest_singular() const;
  Sensitivity sensitivity() const;

 private:
  using Columns = Eigen::MatrixXd;
  const Dynamics& dynamics_;
  Vector slopes_;
  Eigen::PartialPivLU<Columns> lu_;
  bool singular_ = false;
};

}  // namespace irn
