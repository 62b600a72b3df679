// For tests: goes through the instruction sets that this machine can run and the kernels were compiled for.
//   for_each_target([](const char* name) { ... });
#pragma once

#include "irn/kernels/targets.h"
// targets.h disables targets, so it must come before Highway.
#include "hwy/targets.h"

namespace irn::kernels {

// Targets that the dispatcher can choose on this machine, best first, as Highway's bits.
inline std::int64_t testable_targets() { return hwy::SupportedTargets() & HWY_TARGETS; }

template <class Check>
void for_each_target(Check&& check) {
  for (std::int64_t left = testable_targets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    hwy::SetSupportedTargetsForTest(target);
    check(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace irn::kernels
