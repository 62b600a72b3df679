#include "irn/network/activation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace irn {
namespace {

// irn/gradient/activation_kernels_test.cpp compares the kernels with these.
TEST(Activation, ThePlainSlopeIsTheDerivativeOfThePlainValue) {
  for (std::size_t k = 0; k < activation_names.size(); ++k) {
    const auto f = static_cast<Activation>(k);
    for (double u = -8.05; u < 8; u += 0.1) {
      const double h = 1e-5, difference = (activate(f, u + h) - activate(f, u - h)) / (2 * h);
      EXPECT_NEAR(slope_from_value(f, activate(f, u)), difference, 1e-9) << name(f) << "(" << u << ")";
    }
  }
}

TEST(Activation, SlopesReachTheLargestAndTheSmallestAndNoneLiesBeyond) {
  for (std::size_t k = 0; k < activation_names.size(); ++k) {
    const auto f = static_cast<Activation>(k);
    double steepest = 0, flattest = 1;
    const auto look_at = [&](double u) {
      const double slope = slope_from_value(f, activate(f, u));
      steepest = std::max(steepest, slope), flattest = std::min(flattest, slope);
    };
    for (double u = -50; u <= 50; u += 0.25) look_at(u);
    for (const double far : {-1e9, 1e9}) look_at(far);  // some activations level off slowly
    EXPECT_NEAR(steepest, max_slope(f), 1e-12) << name(f);
    EXPECT_NEAR(flattest, min_slope(f), 1e-12) << name(f);
  }
}

}  // namespace
}  // namespace irn
