// Small problems whose answers are known without the library, for irn doctor.
#pragma once

#include <string>
#include <vector>

#include "irn/base/device.h"

namespace irn::app {

struct SelfTest {
  std::string name;  // "settling"
  bool passed = false;
  std::string found;  // the result beside the expected one; if the test did not run, why
  bool ran = true;    // it ran to its end; otherwise nothing is known of the answers
};

// Takes some milliseconds. A test that throws counts as not run.
std::vector<SelfTest> self_tests(std::size_t threads);
// Compares what a device settles with the processor.
SelfTest self_test_on(Device device);

}  // namespace irn::app
