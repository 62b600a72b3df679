#include "irn/optim/optimiser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

// The gradient of sum_i c_i (p_i - i)^2 / 2 with curvatures over three orders of magnitude.
template <class T>
std::vector<T> bowl(const std::vector<T>& p) {
  std::vector<T> g(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    g[i] = static_cast<T>(std::pow(10.0, static_cast<double>(i % 4) - 2)) * (p[i] - static_cast<T>(i));
  return g;
}

// Kingma and Ba's algorithm as printed, in double.
struct PlainAdam {
  Adam o;
  double weight_decay = 0;
  std::vector<double> m, v;
  int t = 0;
  void step(std::vector<double>& p, const std::vector<double>& g) {
    m.resize(p.size());
    v.resize(p.size());
    ++t;
    for (std::size_t i = 0; i < p.size(); ++i) {
      m[i] = o.beta1 * m[i] + (1 - o.beta1) * g[i];
      v[i] = o.beta2 * v[i] + (1 - o.beta2) * g[i] * g[i];
      const double m_hat = m[i] / (1 - std::pow(o.beta1, t)), v_hat = v[i] / (1 - std::pow(o.beta2, t));
      p[i] = p[i] - o.rate * weight_decay * p[i] - o.rate * m_hat / (std::sqrt(v_hat) + o.epsilon);
    }
  }
};

template <class T>
double distance_from_plain_adam(const OptimiserOptions& options, double weight_decay) {
  PlainAdam plain{{}, weight_decay, {}, {}};
  std::vector<double> q(37, 3.0);
  std::vector<T> p(37, T(3));
  OptimiserOf<T> optimiser(options, p.size());
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    plain.step(q, bowl(q));
    EXPECT_EQ(optimiser.step(p, bowl(p)), StepOutcome::applied);
    for (std::size_t k = 0; k < p.size(); ++k)
      worst = std::max(worst, std::abs(static_cast<double>(p[k]) - q[k]));
  }
  return worst;
}

TEST(Optimiser, ThreadsChangeNoBit) {
  constexpr std::size_t size = 200'003;  // several ranges, none a whole number of vectors
  ThreadPool threads(3);
  std::vector<std::string> texts = {"sgd:nesterov=true"};
  for (const std::string_view name : names<OptimiserOptions>()) texts.emplace_back(name);
  for (const std::string& text : texts) {
    std::vector<float> alone(size, 0.5f), shared = alone;
    OptimiserOf<float> one(from_text<OptimiserOptions>(text), size),
        many(from_text<OptimiserOptions>(text), size);
    for (int step = 0; step < 3; ++step) {
      EXPECT_EQ(one.step(alone, bowl(alone)), StepOutcome::applied);
      EXPECT_EQ(many.step(shared, bowl(shared), 1, &threads), StepOutcome::applied);
    }
    EXPECT_EQ(alone, shared) << text;
    for (const std::size_t where : {std::size_t{0}, size / 2, size - 1}) {
      std::vector<float> broken = bowl(shared);
      broken[where] = std::numeric_limits<float>::infinity();
      EXPECT_EQ(many.step(shared, broken, 1, &threads), StepOutcome::gradient_not_finite);
    }
    EXPECT_EQ(alone, shared) << text;
    EXPECT_EQ(one.state().steps, many.state().steps) << text;
    EXPECT_EQ(one.state().first, many.state().first) << text;
    EXPECT_EQ(one.state().second, many.state().second) << text;
  }
}

TEST(Optimiser, AdamIsTheAlgorithmAsPrinted) {
  EXPECT_LT(distance_from_plain_adam<double>(Adam{}, 0), 1e-11);
  EXPECT_LT(distance_from_plain_adam<float>(Adam{}, 0), 1e-3);
}

TEST(Optimiser, AdamWDecaysTheWeightsBesideTheGradient) {
  EXPECT_LT(distance_from_plain_adam<double>(AdamW{.weight_decay = 0.1}, 0.1), 1e-11);
  EXPECT_GT(distance_from_plain_adam<double>(AdamW{.weight_decay = 0.1}, 0), 1e-3);
}

TEST(Optimiser, EveryOptimiserReachesTheBottomOfABowl) {
  for_each_choice<OptimiserOptions>([](auto options) {
    options.rate = 0.05;
    if constexpr (requires { options.weight_decay; }) options.weight_decay = 0;
    std::vector<double> p(8, 3.0);
    OptimiserOf<double> optimiser(options, p.size());
    for (int i = 0; i < 20000; ++i) ASSERT_EQ(optimiser.step(p, bowl(p)), StepOutcome::applied);
    for (std::size_t k = 0; k < p.size(); ++k)
      EXPECT_NEAR(p[k], static_cast<double>(k), 1e-2) << options.name;
  });
}

TEST(Optimiser, EveryOptimiserContinuesExactlyFromASavedState) {
  for_each_choice<OptimiserOptions>([](auto options) {
    std::vector<float> p(21, 3.0f);
    OptimiserOf<float> first(options, p.size());
    for (int i = 0; i < 50; ++i) ASSERT_EQ(first.step(p, bowl(p)), StepOutcome::applied);
    std::vector<float> q = p;
    OptimiserOf<float> second(options, q.size());
    second.restore(first.state());
    for (int i = 0; i < 50; ++i) {
      ASSERT_EQ(first.step(p, bowl(p), 0.5), StepOutcome::applied);
      ASSERT_EQ(second.step(q, bowl(q), 0.5), StepOutcome::applied);
    }
    EXPECT_EQ(p, q) << options.name;
    EXPECT_EQ(first.state().first, second.state().first) << options.name;
    EXPECT_EQ(second.state().steps, 100u) << options.name;
  });
}

TEST(Optimiser, AGradientThatIsNotFiniteChangesNothing) {
  for_each_choice<OptimiserOptions>([](auto options) {
    std::vector<float> p(21, 3.0f);
    OptimiserOf<float> optimiser(options, p.size());
    ASSERT_EQ(optimiser.step(p, bowl(p)), StepOutcome::applied);
    const std::vector<float> before = p, moments = optimiser.state().first;
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e30f}) {
      std::vector<float> g = bowl(p);
      g[20] = bad;
      EXPECT_EQ(optimiser.step(p, g), StepOutcome::gradient_not_finite) << options.name;
      EXPECT_EQ(p, before) << options.name;
      EXPECT_EQ(optimiser.state().first, moments) << options.name;
      EXPECT_EQ(optimiser.state().steps, 1u) << options.name;
    }
  });
}

TEST(Optimiser, NoGradientMakesAParameterNotFinite) {
  for_each_choice<OptimiserOptions>([](auto options) {
    options.rate = 1e6;
    if constexpr (requires { options.weight_decay; }) options.weight_decay = 0;
    std::vector<float> p(6, std::numeric_limits<float>::max() / 4);
    OptimiserOf<float> optimiser(options, p.size());
    for (int i = 0; i < 2000; ++i) {
      const float huge = 1.8e19f, tiny = 1e-45f;
      const std::vector<float> g = {-huge, huge, tiny, 0, i % 2 == 0 ? huge : tiny, i % 3 == 0 ? -huge : 0};
      (void)optimiser.step(p, g, 1e6);
      for (const float x : p) ASSERT_TRUE(std::isfinite(x)) << options.name << i;
    }
  });
}

TEST(Optimiser, AParameterWithoutGradientDoesNotMove) {
  std::vector<float> p(5, 3.0f);
  OptimiserOf<float> optimiser(Adam{}, p.size());
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(optimiser.step(p, std::vector<float>(5, 0.0f)), StepOutcome::applied);
  EXPECT_EQ(p, std::vector<float>(5, 3.0f));
}

TEST(Optimiser, TextAndOptionsAreTheSameThing) {
  const auto options = from_text<OptimiserOptions>("adam:rate=0.003,beta1=0.8");
  EXPECT_EQ(std::get<Adam>(options).rate, 0.003);
  EXPECT_EQ(to_text(options), "adam:rate=0.003,beta1=0.8");
  EXPECT_EQ(to_text(from_text<OptimiserOptions>("sgd:nesterov=true,momentum=0.9")), "sgd:nesterov=true");
  EXPECT_EQ(to_text(OptimiserOptions{}), "adam");
}

TEST(Optimiser, OptionsOutOfRangeAreRefused) {
  for (const char* text : {"adan", "adam:rate=0", "adam:rate=-1", "adam:rate=1e7", "adam:beta1=1",
                           "adam:beta2=-0.1", "adam:epsilon=0", "adamw:weight-decay=-1",
                           "adamw:weight-decay=101", "sgd:momentum=1", "sgd:beta1=0.9", "adam:rate=nan"})
    EXPECT_THROW(from_text<OptimiserOptions>(text), Error) << text;
  EXPECT_THROW(OptimiserOf<float>(Adam{.rate = std::nan("")}, 3), Error);
  EXPECT_THROW(OptimiserOf<float>(Adam{.epsilon = 1e-50}, 3), Error);
  EXPECT_NO_THROW(OptimiserOf<double>(Adam{.epsilon = 1e-50}, 3));
}

TEST(Optimiser, WhatDoesNotFitIsRefused) {
  std::vector<float> p(3), g(2);
  OptimiserOf<float> optimiser(Adam{}, 3);
  EXPECT_THROW((void)optimiser.step(p, g), Error);
  g.resize(3);
  EXPECT_THROW((void)optimiser.step(p, g, -1), Error);
  EXPECT_THROW((void)optimiser.step(p, g, std::nan("")), Error);
  EXPECT_THROW(optimiser.restore({1, {0, 0}, {0, 0}}), Error);
  EXPECT_THROW(optimiser.restore({1, {0, 0, 0}, {}}), Error);
  EXPECT_THROW(optimiser.restore({1, {0, 0, 0}, {0, -1, 0}}), Error);
  EXPECT_THROW(optimiser.restore({1, {0, std::nanf(""), 0}, {0, 0, 0}}), Error);
}

TEST(ClipNorm, ScalesOnlyWhatIsTooLong) {
  std::vector<double> g(25, 3.0);
  EXPECT_DOUBLE_EQ(clip_norm(std::span(g), 15.0), 15.0);
  EXPECT_EQ(g[0], 3.0);
  EXPECT_DOUBLE_EQ(clip_norm(std::span(g), 5.0), 15.0);
  for (const double x : g) EXPECT_DOUBLE_EQ(x, 1.0);
}

TEST(ClipNorm, LeavesAGradientThatIsNotFiniteToTheStep) {
  std::vector<float> g = {1, std::numeric_limits<float>::infinity(), 2};
  EXPECT_TRUE(std::isinf(clip_norm(std::span(g), 1.0)));
  EXPECT_EQ(g[0], 1);
  EXPECT_THROW(clip_norm(std::span(g), 0.0), Error);
}

}  // namespace
}  // namespace irn
