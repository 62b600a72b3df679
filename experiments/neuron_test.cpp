#include "experiments/small_parts_testing.h"

namespace irn::experiments {
namespace {

TEST(NeuronPart, TheExactDerivativeIsTheNumericalOne) {
  const PartReport report = report_of(neuron_part(), Protocol::quick());
  expect_drawable(report);
  EXPECT_EQ(claim(report, 1).finding, Finding::holds);
  EXPECT_LT(claim(report, 1).numbers.at("max_relative_difference_closed_form").get<double>(), 1e-9);
}

TEST(NeuronPart, StopsWhenTold) { expect_stops(neuron_part(), Protocol::quick()); }

TEST(Quantile, CountsWhatIsNotFiniteAsLargest) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({3, 1, std::nan("")}, 0.5), 3);
  EXPECT_EQ(quantile({3, 1, 2}, 1), 3);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Numbers, NullIsNotANumber) {
  const std::vector<double> values = numbers(Json::parse("[1, null, 2.5]"));
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_EQ(values[2], 2.5);
}

}  // namespace
}  // namespace irn::experiments
