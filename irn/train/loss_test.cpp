#include "irn/train/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "irn/base/options_text.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// |y - t|^4, for outputs that have a target.
CustomLoss fourth_power() {
  return {"fourth power", [](auto y, auto t, auto slopes) {
            double sum = 0;
            for (std::size_t k = 0; k < t.size(); ++k) {
              sum += std::pow(y[k] - t[k], 4);
              slopes[k] = 4 * std::pow(y[k] - t[k], 3);
            }
            return sum;
          }};
}

// Every named loss at its default, and a program's own.
std::vector<Loss> all_losses() {
  std::vector<Loss> all = {fourth_power(), HuberLoss{.delta = 0.2}, CrossEntropy{.smoothing = 0.3}};
  for_each_choice<NamedLoss>([&](const auto& loss) { all.push_back(loss); });
  return all;
}

template <class T>
double value(const Loss& loss, std::span<const T> y, std::span<const T> t) {
  return loss_and_slopes<T>(loss, y, t, {});
}

TEST(Loss, SlopesAgreeWithFiniteDifferences) {
  const std::array<double, 4> at = {0.3, -1.7, 2.2, 0.4};
  const std::array<double, 3> t = {0, 1, 0};  // one output is free
  for (const Loss& loss : all_losses()) {
    std::array<double, 4> slopes = {9, 9, 9, 9};
    const double there = loss_and_slopes<double>(loss, at, t, slopes);
    EXPECT_EQ(there, value<double>(loss, at, t)) << name_of(loss);
    for (std::size_t k = 0; k < at.size(); ++k) {
      constexpr double h = 1e-5;
      std::array<double, 4> up = at, down = at;
      up[k] += h, down[k] -= h;
      EXPECT_NEAR(slopes[k], (value<double>(loss, up, t) - value<double>(loss, down, t)) / (2 * h), 1e-8)
          << name_of(loss) << ", output " << k;
    }
    EXPECT_EQ(slopes[3], 0) << name_of(loss);
  }
}

TEST(Loss, SmoothingIsTheCrossEntropyOfSoftenedTargets) {
  const std::array<double, 3> y = {0.3, -1.7, 2.2}, t = {0, 1, 0}, soft = {0.05, 0.9, 0.05};
  EXPECT_NEAR(value<double>(CrossEntropy{.smoothing = 0.15}, y, t), value<double>(CrossEntropy{}, y, soft),
              1e-15);
  EXPECT_EQ(to_text(from_text<Loss>("cross-entropy:smoothing=0.1")), "cross-entropy:smoothing=0.1");
  for (const char* text : {"cross-entropy:smoothing=1", "cross-entropy:smoothing=-0.1",
                           "cross-entropy:smooth=0.1", "cross-entropy:smoothing=nan"})
    EXPECT_THROW(from_text<Loss>(text), Error) << text;
}

TEST(Loss, IsTheSameInBothPrecisions) {
  const std::array<double, 3> y = {0.5, -1.75, 2.25}, t = {0, 0, 1};
  const std::array<float, 3> y_float = {0.5, -1.75, 2.25}, t_float = {0, 0, 1};
  for (const Loss& loss : all_losses()) {
    std::array<double, 3> slopes;
    std::array<float, 3> slopes_float;
    EXPECT_EQ(loss_and_slopes<double>(loss, y, t, slopes),
              loss_and_slopes<float>(loss, y_float, t_float, slopes_float));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(float(slopes[k]), slopes_float[k]) << name_of(loss);
  }
}

TEST(Loss, HasTheValuesOfItsFormula) {
  const std::array<double, 2> y = {3, 0.5}, t = {1, 0};
  EXPECT_EQ(value<double>(SquaredLoss{}, y, t), (4 + 0.25) / 2);
  EXPECT_EQ(value<double>(AbsoluteLoss{}, y, t), (2 + 0.5) / 2);
  EXPECT_EQ(value<double>(HuberLoss{}, y, t), (1.5 + 0.125) / 2);
  EXPECT_EQ(value<double>(HuberLoss{.delta = 10}, y, t), value<double>(SquaredLoss{}, y, t) / 2);
  EXPECT_NEAR(value<double>(CrossEntropy{}, y, t), std::log1p(std::exp(-2.5)), 1e-15);
  EXPECT_EQ(value<double>(fourth_power(), y, t), 16 + 0.0625);
}

// The bits of the original formula, operation by operation.
TEST(Loss, SquaresHaveTheirBits) {
  const std::array<float, 3> y = {0.1f, -1.3f, 0.7f}, t = {0.31f, 0.9f, -0.33f};
  std::array<float, 3> slopes;
  const double found = loss_and_slopes<float>(SquaredLoss{}, y, t, slopes);
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const float error = y[k] - t[k];
    sum += double(error) * double(error);
    EXPECT_EQ(slopes[k], float(2) / float(3) * error);
  }
  EXPECT_EQ(found, sum / 3);
}

TEST(Loss, CrossEntropyDoesNotOverflow) {
  const std::array<float, 2> y = {3e38f, -3e38f}, t = {1, 0};
  std::array<float, 2> slopes;
  EXPECT_EQ(loss_and_slopes<float>(CrossEntropy{}, y, t, slopes), 0);
  EXPECT_EQ(slopes, (std::array<float, 2>{0, 0}));
}

TEST(Loss, EveryNamedOneHasATextThatReadsBack) {
  for_each_choice<NamedLoss>([](const auto& loss) {
    EXPECT_EQ(to_text(Loss(loss)), loss.name);
    EXPECT_EQ(to_full_text(from_text<Loss>(loss.name)), to_full_text(Loss(loss)));
    EXPECT_EQ(name_of(loss), loss.name);
  });
  EXPECT_EQ(to_text(from_text<Loss>("huber:delta=0.5")), "huber:delta=0.5");
  EXPECT_EQ(to_full_text(Loss(HuberLoss{})), "huber:delta=1");
}

TEST(Loss, WhatMakesNoSenseIsRefused) {
  EXPECT_THAT(refusal([] { from_text<Loss>("hubert"); }),
              AllOf(HasSubstr("\"huber\""), HasSubstr("squared")));
  EXPECT_THAT(refusal([] { from_text<Loss>("squared:delta=1"); }), HasSubstr("takes no settings"));
  for (const char* delta : {"0", "-1"})
    EXPECT_THAT(refusal([&] { from_text<Loss>(std::string("huber:delta=") + delta); }),
                HasSubstr("delta must be above zero"));
  for (const double delta : {HUGE_VAL, std::nan("")})
    EXPECT_THAT(refusal([&] { check_loss(HuberLoss{.delta = delta}); }), HasSubstr("finite"));
  EXPECT_THAT(refusal([] { check_loss(CustomLoss{"mine", {}}); }), HasSubstr("'mine' has no function"));
}

TEST(Loss, OfAProgramHasANameAndNoText) {
  EXPECT_EQ(name_of(fourth_power()), "fourth power");
  EXPECT_THAT(refusal([] { to_text(Loss(fourth_power())); }),
              AllOf(HasSubstr("'fourth power'"), HasSubstr("no text")));
  EXPECT_NE(refusal([] { from_text<Loss>("fourth power"); }), "");
}

}  // namespace
}  // namespace irn
