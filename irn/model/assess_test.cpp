#include "irn/model/assess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "irn/data/sample_table.h"
#include "irn/model/model.h"

namespace irn {
namespace {

// A network that answers with its inputs: assessments can be computed by hand.
NetworkOf<double> echo(std::size_t width) {
  const Architecture architecture(width, {{width, Activation::identity}}, Recurrence::none);
  std::vector<double> parameters(architecture.parameters());
  for (std::size_t i = 0; i < width; ++i) parameters[i * width + i] = 1;
  return NetworkOf<double>(architecture, std::move(parameters));
}

Assessment assessed(NetworkOf<double> network, const SampleTable<double>& samples, const Encoding& encoding,
                    const SettleOptions& settle = {}, std::size_t most_points = 1000) {
  ThreadPool threads(1);
  Settler<double> settler(network, settle, threads);
  return assess<double>(settler, samples, encoding, {}, most_points);
}

TEST(Assess, ErrorsOfEachTargetAreInItsOwnUnits) {
  Encoding encoding = plain_encoding(2, 2);
  encoding.targets[1].mean = 100;
  encoding.targets[1].scale = 10;
  // Errors of the first target: 0, 1, -2. Errors of the second, in its own units: 10, 0, -10.
  const Assessment result =
      assessed(echo(2), SampleTable<double>(2, 2, {1, 2, 3, 0, 0, 4}, {1, 1, 2, 0, 2, 5}), encoding);
  ASSERT_EQ(result.targets.size(), 2u);
  EXPECT_NEAR(result.targets[0].rms, std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(result.targets[0].absolute, 1, 1e-12);
  EXPECT_NEAR(result.targets[0].r2, 1 - 5 / (2.0 / 3), 1e-12);  // targets 1, 2, 2
  EXPECT_NEAR(result.targets[1].rms, std::sqrt(200.0 / 3), 1e-12);
  EXPECT_NEAR(result.targets[1].absolute, 20.0 / 3, 1e-12);
  EXPECT_NEAR(result.targets[1].r2, 1 - 2 / 14.0, 1e-12);  // targets 1, 0, 5 before scaling
  EXPECT_NEAR(result.score(), (result.targets[0].r2 + result.targets[1].r2) / 2, 1e-12);
  EXPECT_EQ(result.points[1][0].target, 110);
  EXPECT_EQ(result.points[1][0].answer, 120);
  EXPECT_TRUE(result.classes.confusion.empty());
  EXPECT_EQ(result.numbers(encoding)[0].first, "R2");
  EXPECT_EQ(result.numbers(encoding)[6], std::pair(std::string("rms[y1]"), result.targets[1].rms));
}

TEST(Assess, AConstantTargetHasNoR2) {
  const Assessment result =
      assessed(echo(1), SampleTable<double>(1, 1, {1, 2}, {3, 3}), plain_encoding(1, 1));
  EXPECT_TRUE(std::isnan(result.targets[0].r2));
  EXPECT_NEAR(result.targets[0].absolute, 1.5, 1e-12);
}

TEST(Assess, ThePointsOfAPlotAreSpreadEvenly) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0.0);
  const Assessment result =
      assessed(echo(1), SampleTable<double>(1, 1, std::vector(values), std::vector(values)),
               plain_encoding(1, 1), {}, 10);
  ASSERT_EQ(result.points[0].size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(result.points[0][i].answer, 100.0 * double(i));
}

Encoding classes(std::size_t inputs) {
  Encoding encoding = plain_encoding(inputs, 0);
  encoding.task = Task::classification;
  encoding.targets = {{"kind", {"lily", "rose", "tulip"}}};
  return encoding;
}

TEST(Assess, TheConfusionMatrixHasTrueClassesInRows) {
  // Truth: lily, lily, rose, tulip. Answers: lily, tulip, rose, rose.
  const Assessment result = assessed(
      echo(3),
      SampleTable<double>(3, 3, {5, 1, 1, 1, 1, 5, 1, 5, 1, 1, 5, 1}, {1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}),
      classes(3));
  EXPECT_EQ(result.classes.confusion, (std::vector<double>{1, 0, 1, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(result.classes.accuracy, 0.5);
  EXPECT_EQ(result.roc.size(), 3u);
  EXPECT_EQ(result.score(), 0.5);
  EXPECT_TRUE(result.targets.empty());
}

// A neuron with z = max(2 z + x - 1, 0) stays at rest for x <= 1, and runs away to infinity otherwise.
NetworkOf<double> runaway() {
  return NetworkOf<double>(from_text<Architecture>("1-3relu/none+1:1"),
                           {1, 1, 1, 2, 0, 0, 0, 2, 0, 0, 0, 2, -1, -1, -1});
}

TEST(Assess, ASampleWithoutAnAnswerIsAWrongOne) {
  const SampleTable<double> samples(1, 3, {1, 1, 4, 5}, {1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0});
  const Assessment result = assessed(runaway(), samples, classes(1));
  EXPECT_EQ(result.summary.samples, 4u);
  EXPECT_EQ(result.summary.count[0], 2u);
  const std::vector<double>& confusion = result.classes.confusion;
  EXPECT_EQ(std::accumulate(confusion.begin(), confusion.end(), 0.0), 2);
  EXPECT_EQ(result.score(), 0.25) << "the two without an answer are wrong, and so is the second";
  EXPECT_NEAR(result.loss, std::log(3.0), 1e-9) << "of the settled ones";
}

TEST(Assess, WhereNothingSettlesTheMeanIsAllThatIsKnown) {
  Encoding encoding = plain_encoding(1, 3);
  const Assessment result =
      assessed(runaway(), SampleTable<double>(1, 3, {2, 3}, {1, 2, 3, 4, 5, 6}), encoding);
  EXPECT_EQ(result.summary.count[0], 0u);
  for (const TargetScores& scores : result.targets)
    EXPECT_EQ(std::pair(scores.rms, scores.r2), std::pair(1.5, 0.0));
  EXPECT_EQ(result.score(), 0);
  EXPECT_TRUE(std::isnan(result.loss));
  EXPECT_TRUE(result.points[0].empty());
}

}  // namespace
}  // namespace irn
