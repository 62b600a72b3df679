// Samples that use every feature of Samples, for tests of those that wrap others.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "irn/data/samples.h"

namespace irn {

struct FullSamples final : Samples<float> {
  static constexpr std::size_t count = 3, inputs_each = 4, targets_each = 2, gates_each = 5;

  std::size_t size() const override { return count; }
  std::size_t inputs() const override { return inputs_each; }
  std::size_t targets() const override { return targets_each; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, float* out) const override {
    for (std::size_t k = 0; k < inputs_each; ++k)
      for (std::size_t lane = 0; lane < width; ++lane)
        out[k * width + lane] = lane < index.size() ? number(0, index[lane], k) : 0.0f;
  }
  void expect(std::span<const std::uint64_t> index) const override { expected += index.size(); }
  void inputs_as_rows(std::span<const std::uint64_t> index, float* out) const override {
    rows(0, index, inputs_each, out);
  }
  std::uint64_t inputs_id() const override { return id; }
  void targets_as_rows(std::span<const std::uint64_t> index, float* out) const override {
    rows(1, index, targets_each, out);
  }
  void weights(std::span<const std::uint64_t> index, float* out) const override { rows(2, index, 1, out); }
  std::size_t gates() const override { return gates_each; }
  void gates_as_rows(std::span<const std::uint64_t> index, float* out) const override {
    rows(3, index, gates_each, out);
  }

  std::uint64_t id = new_inputs_id();
  mutable std::size_t expected = 0;

 private:
  static float number(std::size_t kind, std::uint64_t sample, std::size_t k) {
    return 1 + static_cast<float>(kind) + 0.125f * static_cast<float>(sample) + 0.25f * static_cast<float>(k);
  }
  static void rows(std::size_t kind, std::span<const std::uint64_t> index, std::size_t each, float* out) {
    for (const std::uint64_t i : index)
      for (std::size_t k = 0; k < each; ++k) *out++ = number(kind, i, k);
  }
};

// Everything that samples return, in another order.
struct SamplesText {
  explicit SamplesText(const Samples<float>& samples)
      : lanes(samples.inputs() * width),
        rows(index.size() * samples.inputs()),
        targets(index.size() * samples.targets()),
        weights(index.size()),
        gates(index.size() * samples.gates()) {
    samples.inputs_as_lanes(index, width, lanes.data());
    samples.inputs_as_rows(index, rows.data());
    samples.targets_as_rows(index, targets.data());
    samples.weights(index, weights.data());
    samples.gates_as_rows(index, gates.data());
  }
  static constexpr std::size_t width = 4;
  const std::vector<std::uint64_t> index = {2, 0};
  std::vector<float> lanes, rows, targets, weights, gates;
};

enum class Changes { nothing, weights, inputs, gates };

// Expects `over`, which wraps `all`, to pass on everything but what it changes; changed inputs have no id.
inline void expect_passed_on(const Samples<float>& over, const FullSamples& all, Changes changes) {
  const SamplesText theirs(all), own(over);
  EXPECT_EQ(over.size(), all.size());
  EXPECT_EQ(own.targets, theirs.targets);
  EXPECT_EQ(own.weights == theirs.weights, changes != Changes::weights);
  EXPECT_EQ(own.rows == theirs.rows, changes != Changes::inputs);
  EXPECT_EQ(own.lanes == theirs.lanes, changes != Changes::inputs);
  EXPECT_EQ(over.inputs_id(), changes == Changes::inputs ? 0 : all.id);
  EXPECT_EQ(over.gates(), all.gates());
  EXPECT_EQ(own.gates == theirs.gates, changes != Changes::gates);
  const std::size_t before = all.expected;
  over.expect(own.index);
  EXPECT_EQ(all.expected, before + own.index.size());
}

}  // namespace irn
