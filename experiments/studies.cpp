#include "experiments/studies.h"

#include "experiments/settling/study.h"

namespace irn::experiments {

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {settling_study()};
  return all;
}

}  // namespace irn::experiments
