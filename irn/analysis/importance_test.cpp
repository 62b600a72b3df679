#include "irn/analysis/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "irn/base/random.h"
#include "irn/data/sample_table.h"
#include "irn/data/samples_over.h"
#include "irn/model/model.h"
#include "irn/model/prediction.h"
#include "irn/train/evaluate.h"

namespace irn {
namespace {

SampleTable<double> samples_of(std::size_t rows, std::size_t inputs, std::size_t targets,
                               const std::function<std::vector<double>(std::span<const double>)>& target) {
  const Stream stream(4, 1);
  std::vector<double> x(rows * inputs), t;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = stream.normal(i);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::vector<double> values = target(std::span(x).subspan(r * inputs, inputs));
    t.insert(t.end(), values.begin(), values.end());
  }
  return SampleTable<double>(inputs, targets, std::move(x), std::move(t));
}

// z = 2 x0 - x1: what each input does is known.
NetworkOf<double> linear() {
  return NetworkOf<double>(from_text<Architecture>("3-1identity/none"), {2, -1, 0, 0.5});
}

TEST(Importance, OfALinearNetworkIsItsWeights) {
  const SampleTable<double> samples =
      samples_of(400, 3, 1, [](auto x) { return std::vector{2 * x[0] - x[1] + 0.5}; });
  Encoding encoding = plain_encoding(3, 1);
  ThreadPool threads(2);
  Settler<double> settler(linear(), {}, threads);
  const auto columns = permutation_importance<double>(settler, samples, encoding, Metric::rms, 3, 1);
  ASSERT_EQ(columns.size(), 3u);
  // Another row's x differs by a deviation of sqrt(2).
  EXPECT_NEAR(columns[0].mean(), 2 * std::sqrt(2.0), 0.2);
  EXPECT_NEAR(columns[1].mean(), std::sqrt(2.0), 0.1);
  EXPECT_EQ(columns[2].mean(), 0);
  EXPECT_GT(columns[0].deviation(), 0);
  EXPECT_EQ(columns[0].drops,
            (permutation_importance<double>(settler, samples, encoding, Metric::rms, 3, 1)[0].drops));

  encoding.targets[0].scale = 10;
  const Sensitivities found = sensitivities<double>(linear(), {}, samples, encoding, threads);
  EXPECT_EQ(found.used, 400u);
  EXPECT_NEAR(found.mean[0], 20, 1e-9);
  EXPECT_NEAR(found.mean[1], -10, 1e-9);
  EXPECT_NEAR(found.size[1], 10, 1e-9);
  EXPECT_EQ(found.size[2], 0);
}

// Equal rows for a network in which one gate is shut: dealing a column anew changes nothing.
struct GatedRows final : SamplesOver<double> {
  using SamplesOver<double>::SamplesOver;
  std::size_t gates() const override { return 2; }
  void gates_as_rows(std::span<const std::uint64_t> index, double* out) const override {
    for (std::size_t s = 0; s < index.size(); ++s) *out++ = 0, *out++ = 1;
  }
};

TEST(Importance, PermutedSamplesKeepTheirGates) {
  const NetworkOf<double> network(from_text<Architecture>("1-1identity-1identity/none"), {1, 1, 0, 0});
  const SampleTable<double> alike(1, 1, {1, 1, 1, 1}, {1, 2, 3, 4});
  ThreadPool threads(1);
  Settler<double> settler(network, {}, threads);
  const auto columns =
      permutation_importance<double>(settler, GatedRows(alike), plain_encoding(1, 1), Metric::rms, 2, 1);
  EXPECT_EQ(columns[0].drops, (std::vector<double>{0, 0}));
}

// Probabilities of a recurrent network, compared with finite differences.
TEST(Importance, SensitivitiesAgreeWithFiniteDifferences) {
  const NetworkOf<double> network(from_text<Architecture>("2-5tanh-3identity/none+1:1"), Start::scaled, 7);
  Encoding encoding = plain_encoding(2, 0);
  encoding.task = Task::classification;
  encoding.targets = {{"kind", {"a", "b", "c"}}};
  const auto one_class = [](auto) { return std::vector{1.0, 0.0, 0.0}; };
  const SampleTable<double> samples = samples_of(20, 2, 3, one_class);
  ThreadPool threads(1);
  const SettleOptions tight{.tolerance = 1e-12};
  const Sensitivities found = sensitivities<double>(network, tight, samples, encoding, threads);
  ASSERT_EQ(found.used, 20u);
  const auto shares_at = [&](double dx0, double dx1) {
    std::vector<double> x(40), t(60), mean(3);
    for (std::size_t r = 0; r < 20; ++r)
      x[2 * r] = samples.input_row(r)[0] + dx0, x[2 * r + 1] = samples.input_row(r)[1] + dx1, t[3 * r] = 1;
    Settler<double> settler(network, tight, threads);
    const Equilibria<double> answers = settle_outputs(settler, SampleTable<double>(2, 3, x, t));
    Prediction prediction;
    std::vector<double> shares;
    for (std::size_t r = 0; r < 20; ++r) {
      decode<double>(encoding, answers.state(r), answers.verdicts[r], Unsettled::empty, prediction);
      shares.insert(shares.end(), prediction.probabilities.begin(), prediction.probabilities.end());
    }
    return shares;
  };
  constexpr double h = 1e-5;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double> up = shares_at(i == 0 ? h : 0, i == 1 ? h : 0),
                              down = shares_at(i == 0 ? -h : 0, i == 1 ? -h : 0);
    for (std::size_t k = 0; k < 3; ++k) {
      double mean = 0, size = 0;
      for (std::size_t r = 0; r < 20; ++r) {
        const double slope = (up[3 * r + k] - down[3 * r + k]) / (2 * h);
        mean += slope / 20, size += std::abs(slope) / 20;
      }
      EXPECT_NEAR(found.mean[k * 2 + i], mean, 1e-7);
      EXPECT_NEAR(found.size[k * 2 + i], size, 1e-7);
    }
  }
}

}  // namespace
}  // namespace irn
