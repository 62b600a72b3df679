#include "experiments/small_parts_testing.h"

namespace irn::experiments {
namespace {

TEST(IteratedPart, ConvergesToTheExactGradientWhereTheIterationConverges) {
  const PartReport report = report_of(iterated_part(), Protocol::quick());
  expect_drawable(report);
  const Claim& ten = claim(report, 10);
  EXPECT_EQ(ten.finding, Finding::holds);
  EXPECT_GT(ten.numbers.at("converging").get<int>(), 50);
  EXPECT_NEAR(ten.numbers.at("median_rate_over_radius").get<double>(), 1, 0.1);
  EXPECT_GT(ten.numbers.at("inhibiting_least_difference").get<double>(), 1e-2);
}

TEST(IteratedPart, StopsWhenTold) { expect_stops(iterated_part(), Protocol::quick()); }

}  // namespace
}  // namespace irn::experiments
