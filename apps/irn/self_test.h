// Small problems whose answers are known without the library, for irn doctor.
#pragma once

#include <string>
#include <vector>

#include "irn/base/device.h"

namespace irn::app {

struct SelfTest {
  std::string name;  // "settling"
  bool passed = false;
  std::string found;  // what was found, beside what should have been; of a test that did not run: why
  bool ran = true;    // to its end: else nothing is known of the answers
};

// Takes some milliseconds; a test that throws has not run.
std::vector<SelfTest> self_tests(std::size_t threads);
// What a device settles, beside the processor.
SelfTest self_test_on(Device device);

}  // namespace irn::app
