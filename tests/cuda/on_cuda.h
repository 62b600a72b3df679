// Tests that need a CUDA device, and what they compare.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "irn/base/threads.h"
#include "irn/engine/devices.h"
#include "irn/equilibrium/equilibria.h"
#include "tests/support/refusal.h"

namespace irn {

inline constexpr Device cuda{Device::Kind::cuda};

// Passed over where there is none.
class OnCuda : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = refusal([] { check_device(cuda); });
    if (!why.empty()) GTEST_SKIP() << why;
  }
  ThreadPool threads_{4};
};

// Of samples that both settle, how far apart the states are at most; and how many verdicts differ.
struct Apart {
  double states = 0;
  std::size_t verdicts = 0, both = 0;
};
template <class T>
Apart apart(const Equilibria<T>& a, const Equilibria<T>& b) {
  Apart found;
  for (std::size_t s = 0; s < a.size(); ++s) {
    found.verdicts += a.verdicts[s].outcome != b.verdicts[s].outcome;
    if (!a.settled(s) || !b.settled(s)) continue;
    ++found.both;
    double far = 0;
    for (std::size_t i = 0; i < a.neurons; ++i)
      far = std::max(far, std::abs(double(a.state(s)[i]) - double(b.state(s)[i])));
    found.states = std::max(found.states, far);
  }
  return found;
}

}  // namespace irn
