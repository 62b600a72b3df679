#include "experiments/studies.h"

#include "experiments/convolution/study.h"
#include "experiments/depth/study.h"
#include "experiments/settling/study.h"

namespace irn::experiments {

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {settling_study(), convolution_study(), depth_study()};
  return all;
}

}  // namespace irn::experiments
