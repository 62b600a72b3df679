#include "irn/train/noisy_samples.h"

#include <gtest/gtest.h>

#include <cmath>

#include "irn/data/sample_table.h"

namespace irn {
namespace {

constexpr std::size_t rows = 2000, inputs = 7;

SampleTable<double> zeros() {
  return SampleTable<double>(inputs, 1, std::vector<double>(rows * inputs), std::vector<double>(rows, 3.0));
}

std::vector<std::uint64_t> all() {
  std::vector<std::uint64_t> index(rows);
  for (std::size_t i = 0; i < rows; ++i) index[i] = i;
  return index;
}

std::vector<double> drawn(double noise, std::uint64_t epoch) {
  const SampleTable<double> table = zeros();
  NoisySamples<double> samples(table, noise, 5);
  samples.set_epoch(epoch);
  std::vector<double> out(rows * inputs);
  samples.inputs_as_rows(all(), out.data());
  return out;
}

TEST(NoisySamples, HaveTheDeviationAskedForAndNoMean) {
  double sum = 0, squares = 0;
  for (const double x : drawn(0.3, 1)) sum += x, squares += x * x;
  const double n = double(rows * inputs);
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / n), 0.3, 0.005);
}

TEST(NoisySamples, DifferFromEpochToEpochAndAreTheSameWithinOne) {
  EXPECT_EQ(drawn(0.3, 1), drawn(0.3, 1));
  EXPECT_NE(drawn(0.3, 1), drawn(0.3, 2));
  EXPECT_EQ(drawn(0, 1), std::vector<double>(rows * inputs));
}

TEST(NoisySamples, AreTheSameAsLanesAndInAnyOrder) {
  const SampleTable<double> table = zeros();
  NoisySamples<double> samples(table, 0.5, 5);
  const std::vector<double> whole = drawn(0.5, 0);
  const std::vector<std::uint64_t> index = {17, 3, 1999};
  std::vector<double> lanes(inputs * 4);
  samples.inputs_as_lanes(index, 4, lanes.data());
  for (std::size_t k = 0; k < inputs; ++k) {
    for (std::size_t lane = 0; lane < index.size(); ++lane)
      EXPECT_EQ(lanes[k * 4 + lane], whole[index[lane] * inputs + k]);
    EXPECT_EQ(lanes[k * 4 + 3], 0) << "an empty lane stays empty";
  }
}

TEST(NoisySamples, LeaveTargetsAlone) {
  const SampleTable<double> table = zeros();
  NoisySamples<double> samples(table, 0.5, 5);
  std::vector<double> target(1);
  samples.targets_as_rows(std::vector<std::uint64_t>{4}, target.data());
  EXPECT_EQ(target[0], 3.0);
}

}  // namespace
}  // namespace irn
