#include "irn/train/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "irn/data/sample_table.h"
#include "irn/train/augmented_samples.h"
#include "irn/train/evaluate.h"
#include "irn/train/softmax.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

constexpr ImageShape shape = {1, 5, 6};
constexpr std::size_t rows = 40, classes = 3;

SampleTable<double> pictures() {
  std::vector<double> inputs, targets;
  for (std::size_t i = 0; i < rows * shape.size(); ++i) inputs.push_back(Stream(1).uniform(i, -1, 1));
  for (std::size_t i = 0; i < rows * classes; ++i) targets.push_back(i % classes == i / classes % classes);
  return SampleTable<double>(shape.size(), classes, std::move(inputs), std::move(targets));
}

const Views three = {.count = 3, .augmentation = {.shift = 1, .rotate = 20}, .image = shape};

class ViewsOfImages : public ::testing::Test {
 protected:
  explicit ViewsOfImages(double gain = 0.5)
      : samples_(pictures()),
        network_(random_network<double>(from_text<Architecture>("30-6tanh-3identity/lateral"), 3, gain)),
        settler_(network_, {}, threads_) {}

  std::vector<Equilibria<double>> one_by_one() {
    std::vector<Equilibria<double>> all;
    AugmentedSamples<double> changed(samples_, three.augmentation, shape, 0);
    for (std::size_t v = 0; v < three.count; ++v) {
      changed.set_view(v);
      all.push_back(settle_outputs<double>(settler_, changed));
    }
    return all;
  }

  ThreadPool threads_{2};
  SampleTable<double> samples_;
  NetworkOf<double> network_;
  Settler<double> settler_;
};

TEST_F(ViewsOfImages, AverageProbabilities) {
  const Equilibria<double> joined = settle_views<double>(settler_, samples_, three, classes);
  const std::vector<Equilibria<double>> single = one_by_one();
  for (std::size_t s = 0; s < rows; ++s) {
    const Softmax mean = softmax(joined.state(s));
    std::uint32_t evaluations = 0;
    for (const auto& view : single) evaluations += view.verdicts[s].evaluations;
    EXPECT_EQ(joined.verdicts[s].evaluations, evaluations);
    EXPECT_TRUE(joined.settled(s));
    for (std::size_t k = 0; k < classes; ++k) {
      double wanted = 0;
      for (const auto& view : single) wanted += softmax(view.state(s)).share(view.state(s)[k]) / 3;
      EXPECT_NEAR(mean.share(joined.state(s)[k]), wanted, 1e-14);
    }
  }
}

TEST_F(ViewsOfImages, AverageNumbers) {
  const Equilibria<double> joined = settle_views<double>(settler_, samples_, three, 0);
  const std::vector<Equilibria<double>> single = one_by_one();
  for (std::size_t i = 0; i < joined.states.size(); ++i)
    EXPECT_NEAR(joined.states[i], (single[0].states[i] + single[1].states[i] + single[2].states[i]) / 3,
                1e-14);
}

TEST_F(ViewsOfImages, OneViewIsTheImageItself) {
  const Equilibria<double> one = settle_views<double>(settler_, samples_, {}, classes),
                           plain = settle_outputs<double>(settler_, samples_);
  EXPECT_EQ(one.states, plain.states);
}

TEST_F(ViewsOfImages, AreJudgedAsAnswers) {
  const Equilibria<double> plain = settle_outputs<double>(settler_, samples_);
  const Evaluation by_answers = evaluate_answers<double>(plain, samples_, CrossEntropy{}),
                   by_network = evaluate(settler_, samples_, CrossEntropy{});
  EXPECT_NEAR(by_answers.loss, by_network.loss, 1e-14);
  EXPECT_EQ(by_answers.score, by_network.score);
  EXPECT_EQ(by_answers.summary.samples, rows);
}

// Strongly recurrent: some views settle, some do not.
class ViewsThatCycle : public ViewsOfImages {
 protected:
  ViewsThatCycle() : ViewsOfImages(8) {}
};

TEST_F(ViewsThatCycle, ARowIsSettledOnlyIfAllItsViewsAre) {
  const Equilibria<double> joined = settle_views<double>(settler_, samples_, three, classes);
  const std::vector<Equilibria<double>> single = one_by_one();
  std::size_t mixed = 0;
  for (std::size_t s = 0; s < rows; ++s) {
    const bool all = single[0].settled(s) && single[1].settled(s) && single[2].settled(s),
               any = single[0].settled(s) || single[1].settled(s) || single[2].settled(s);
    EXPECT_EQ(joined.settled(s), all);
    EXPECT_EQ(joined.answered(s), all);
    mixed += any && !all;
  }
  EXPECT_GT(mixed, 0u) << "nothing was shown";
}

TEST(Views, RefuseWhatMakesNoSense) {
  const auto refused = [](const Views& views) { return refusal([&] { check_views(views); }); };
  EXPECT_THAT(refused({.count = 0}), HasSubstr("1 to 1000"));
  EXPECT_THAT(refused({.count = 1001}), HasSubstr("1 to 1000"));
  EXPECT_THAT(refused({.count = 2}), HasSubstr("images"));
  EXPECT_THAT(refused({.count = 2, .image = shape}), HasSubstr("how they differ"));
  EXPECT_THAT(refused({.count = 2, .augmentation = {.shift = 99}, .image = shape}), HasSubstr("5x6"));
  EXPECT_NO_THROW(check_views({}));
  EXPECT_NO_THROW(check_views(three));
}

}  // namespace
}  // namespace irn
