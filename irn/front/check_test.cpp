// The front door of irn/analysis.
#include <gtest/gtest.h>

#include "irn/irn.h"

namespace irn {
namespace {

// z = tanh(2 z + x): three equilibria near x = 0, one far from it.
Network neuron(Precision precision) {
  Network network("1-1tanh", {.precision = precision});
  const std::vector<double> parameters = {1, 2, 0};
  network.set_parameters({parameters, 3});
  return network;
}

TEST(CheckOfANetwork, IsThatOfItsCoreInEitherPrecision) {
  const std::vector<double> inputs = {3, 0.1, -2};
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const CheckReport report = check(neuron(precision), {inputs, 1}, {.closer = 1});
    ASSERT_EQ(report.samples.size(), 3u);
    EXPECT_EQ(report.summary.outcomes.settled(), 3u);
    EXPECT_EQ(report.summary.attracts, 3u);
    EXPECT_FALSE(report.network.strongest());
    ASSERT_EQ(report.closer.size(), 1u);
    EXPECT_EQ(report.closer[0].sample, 1u);
    EXPECT_EQ(report.closer[0].equilibria->equilibria.size(), 3u);
    EXPECT_TRUE(report.closer[0].fold->fold);
  }
}

TEST(CheckOfANetwork, WithoutACloserLookThereIsNone) {
  const std::vector<float> inputs = {3};
  EXPECT_TRUE(check(neuron(Precision::float32), {inputs, 1}).closer.empty());
}

TEST(CheckOfANetwork, InputsThatDoNotFitAreRefused) {
  const std::vector<float> inputs = {3, 4};
  EXPECT_THROW(check(neuron(Precision::float32), {inputs, 2}), Error);
}

}  // namespace
}  // namespace irn
