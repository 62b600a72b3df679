#include "irn/data/sample_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "irn/base/error.h"
#include "irn/data/logic_gates.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

SampleTable<float> three_rows() { return SampleTable<float>(2, 1, {1, 2, 3, 4, 5, 6}, {10, 20, 30}); }

TEST(SampleTable, GivesRowsAndLanesInAnyOrder) {
  const SampleTable<float> table = three_rows();
  const std::array<std::uint64_t, 2> index = {2, 0};
  std::array<float, 4> rows;
  table.inputs_as_rows(index, rows.data());
  EXPECT_EQ(rows, (std::array<float, 4>{5, 6, 1, 2}));
  std::array<float, 6> lanes;
  lanes.fill(99);
  table.inputs_as_lanes(index, 3, lanes.data());
  EXPECT_EQ(lanes, (std::array<float, 6>{5, 1, 0, 6, 2, 0}));
  std::array<float, 2> targets;
  table.targets_as_rows(index, targets.data());
  EXPECT_EQ(targets, (std::array<float, 2>{30, 10}));
}

TEST(SampleTable, ACopyOutlivesTheOriginal) {
  SampleTable<float> copy = three_rows();
  {
    const SampleTable<float> original = three_rows();
    copy = original;
  }
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy.input_row(1)[1], 4);
  EXPECT_EQ(copy.target_row(2)[0], 30);
}

TEST(SampleTable, BorrowsWithoutCopying) {
  const std::array<double, 4> x = {1, 2, 3, 4};
  const auto table = SampleTable<double>::borrow(2, 0, x, {});
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.input_row(1).data(), x.data() + 2);
}

TEST(SampleTable, SizesThatDoNotFitAreRefused) {
  EXPECT_THROW(SampleTable<float>(0, 1, {1}, {1}), Error);
  EXPECT_THROW(SampleTable<float>(2, 1, {}, {}), Error);
  EXPECT_THROW(SampleTable<float>(2, 1, {1, 2, 3}, {1}), Error);
  EXPECT_THROW(SampleTable<float>(2, 1, {1, 2}, {1, 2}), Error);
}

TEST(SampleTable, AValueThatIsNotFiniteIsNamedByRowAndColumn) {
  try {
    SampleTable<float>(2, 1, {1, 2, 3, std::numeric_limits<float>::quiet_NaN()}, {1, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 1, column 1"), std::string::npos) << error.what();
  }
  EXPECT_THROW(SampleTable<double>(1, 1, {1, 2}, {0, HUGE_VAL}), Error);
}

TEST(SampleTable, EverySampleWeighsOneUnlessToldOtherwise) {
  const std::array<std::uint64_t, 2> index = {2, 0};
  std::array<float, 2> weights;
  three_rows().weights(index, weights.data());
  EXPECT_EQ(weights, (std::array<float, 2>{1, 1}));
  SampleTable<float>(2, 1, {1, 2, 3, 4, 5, 6}, {10, 20, 30}, {0.5, 0, 3}).weights(index, weights.data());
  EXPECT_EQ(weights, (std::array<float, 2>{3, 0.5}));
  const std::array<float, 3> x = {1, 2, 3}, borrowed = {7, 8, 9};
  SampleTable<float>::borrow(1, 0, x, {}, borrowed).weights(index, weights.data());
  EXPECT_EQ(weights, (std::array<float, 2>{9, 7}));
}

TEST(SampleTable, AWeightThatMakesNoSenseIsRefused) {
  for (const double wrong : {-1.0, HUGE_VAL, std::nan("")})
    EXPECT_THAT(refusal([&] { SampleTable<double>(1, 0, {1, 2}, {}, {1, wrong}); }),
                testing::AllOf(testing::HasSubstr("weight of sample 1"), testing::HasSubstr("zero or more")));
  EXPECT_THAT(refusal([] { SampleTable<double>(1, 0, {1, 2}, {}, {1}); }),
              testing::HasSubstr("2 samples need as many weights"));
}

TEST(SampleTable, SamplesThatDoNotExistAreRefused) {
  const SampleTable<float> table = three_rows();
  const std::array<std::uint64_t, 1> beyond = {3};
  std::array<float, 6> out;
  EXPECT_THROW(table.inputs_as_rows(beyond, out.data()), Error);
  EXPECT_THROW(table.inputs_as_lanes(beyond, 3, out.data()), Error);
  EXPECT_THROW(table.targets_as_rows(beyond, out.data()), Error);
  EXPECT_THROW(SampleTable<float>(1, 0, {1, 2, 3}, {}, {1, 1, 1}).weights(beyond, out.data()), Error);
}

TEST(LogicGates, EveryGateHasItsTruthTable) {
  const auto answers = [](auto function) {
    unsigned table = 0;
    for (unsigned i = 0; i < 4; ++i) table |= unsigned{function(i >> 1 == 1, (i & 1) == 1)} << i;
    return table;
  };
  EXPECT_EQ(truth_table("FALSE"), answers([](bool, bool) { return false; }));
  EXPECT_EQ(truth_table("NOR"), answers([](bool a, bool b) { return !(a || b); }));
  EXPECT_EQ(truth_table("B_AND_NOT_A"), answers([](bool a, bool b) { return b && !a; }));
  EXPECT_EQ(truth_table("NOT_A"), answers([](bool a, bool) { return !a; }));
  EXPECT_EQ(truth_table("A_AND_NOT_B"), answers([](bool a, bool b) { return a && !b; }));
  EXPECT_EQ(truth_table("NOT_B"), answers([](bool, bool b) { return !b; }));
  EXPECT_EQ(truth_table("XOR"), answers([](bool a, bool b) { return a != b; }));
  EXPECT_EQ(truth_table("NAND"), answers([](bool a, bool b) { return !(a && b); }));
  EXPECT_EQ(truth_table("AND"), answers([](bool a, bool b) { return a && b; }));
  EXPECT_EQ(truth_table("XNOR"), answers([](bool a, bool b) { return a == b; }));
  EXPECT_EQ(truth_table("B"), answers([](bool, bool b) { return b; }));
  EXPECT_EQ(truth_table("A_IMPLIES_B"), answers([](bool a, bool b) { return !a || b; }));
  EXPECT_EQ(truth_table("A"), answers([](bool a, bool) { return a; }));
  EXPECT_EQ(truth_table("B_IMPLIES_A"), answers([](bool a, bool b) { return !b || a; }));
  EXPECT_EQ(truth_table("OR"), answers([](bool a, bool b) { return a || b; }));
  EXPECT_EQ(truth_table("TRUE"), answers([](bool, bool) { return true; }));
}

TEST(LogicGates, NamesTablesAndSamplesAgree) {
  for (unsigned table = 0; table < 16; ++table) {
    EXPECT_EQ(truth_table(gate_name(table)), table);
    const SampleTable<double> samples = logic_gate<double>(table);
    std::array<double, 4> answers;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(samples.input_row(i)[0] * 2 + samples.input_row(i)[1], static_cast<double>(i));
      answers[i] = samples.target_row(i)[0];
    }
    EXPECT_EQ(truth_table(std::span<const double, 4>(answers)), table);
  }
}

TEST(LogicGates, SeveralGatesAreSeveralTargets) {
  const std::array<unsigned, 2> gates = {truth_table("XOR"), truth_table("NOR")};
  const SampleTable<float> samples = logic_gates<float>(gates);
  EXPECT_EQ(samples.targets(), 2u);
  EXPECT_EQ(samples.target_row(0)[1], 1);
  EXPECT_EQ(samples.target_row(1)[0], 1);
}

TEST(LogicGates, WhatIsNoGateIsRefused) {
  EXPECT_THROW(gate_name(16), Error);
  EXPECT_THROW(truth_table("XORR"), Error);
  EXPECT_THROW(logic_gate<float>(16), Error);
}

}  // namespace
}  // namespace irn
