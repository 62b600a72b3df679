#include "experiments/random_network.h"
#include "experiments/small_parts_testing.h"

namespace irn::experiments {
namespace {

TEST(IterationPart, InhibitionPartsTheIterationFromTheFlow) {
  Protocol p = Protocol::quick();
  p.xor_seeds = 50;
  const PartReport report = report_of(iteration_part(), p);
  expect_drawable(report);
  const Claim& eleven = claim(report, 11);
  EXPECT_NE(eleven.finding, Finding::fails);
  EXPECT_EQ(eleven.numbers.at("inhibiting").at("plain").get<double>(), 0);
  EXPECT_EQ(eleven.numbers.at("inhibiting").at("flow").get<double>(), 1);
}

TEST(IterationPart, StopsWhenTold) { expect_stops(iteration_part(), Protocol::quick()); }

TEST(RandomNetwork, DrawsRecurrentWeightsFromTheirInterval) {
  const NetworkOf<double> network = random_network<double>("3-20", 5, {-2, -1});
  const NetworkOf<double> start(from_text<Architecture>("3-20"), Start::paper, 5);
  for (const Block& block : network.architecture().blocks())
    for (std::size_t i = block.weights; i < block.weights + block.rows * block.cols; ++i) {
      const double value = network.parameters()[i];
      if (block.forward()) {
        EXPECT_EQ(value, start.parameters()[i]);
      } else {
        EXPECT_TRUE(value >= -2 && value <= -1) << value;
      }
    }
}

}  // namespace
}  // namespace irn::experiments
