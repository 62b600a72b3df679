// A forward pass is a value: backward passes read it, any number of times, with any weights and heads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/base/options_text.h"
#include "tests/support/architectures.h"
#include "tests/support/batch_gradient.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint64_t> first_samples(std::size_t count) {
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  return index;
}

// The first neuron is next to a fold, the second is not.
TEST(Backward, ASecondOneIsNotHarmedByASampleThatTheFirstLeftOut) {
  const NetworkOf<double> network(from_text<Architecture>("1-2tanh"), {0, 1, .99999, 0, 0, 0, 0, 0});
  ThreadPool threads(1);
  CpuGradient<double> batch(network, {}, threads);
  const auto forward = batch.forward(SampleTable<double>(1, 0, {1}, {}), first_samples(1));
  const auto alone = batch.backward(forward, std::vector<double>{0, 1});
  EXPECT_NEAR(alone.parameters[1], 0.41997, 1e-5);
  EXPECT_THAT(batch.backward(forward, std::vector<double>{1, 0}).outcomes,
              ElementsAre(GradientOutcome::fold));
  const auto again = batch.backward(forward, std::vector<double>{0, 1});
  EXPECT_THAT(again.outcomes, ElementsAre(GradientOutcome::used));
  EXPECT_EQ(again.parameters, alone.parameters);
}

TEST(Backward, AnyNumberOfThemInAnyOrderGiveTheSameBits) {
  for (const char* text : {"3-5-2", "3-4relu-2", "3-90-2", "3-4-2/none"})
    for (const std::string_view name : names<Gradient>()) {
      const LossCase c(from_text<Architecture>(text), 5, 0.8, 20),
          d(from_text<Architecture>(text), 6, 0.8, 20);
      const SampleTable<double> samples(3, 0, LossCase::flat<double>(c.inputs), {});
      const std::vector<double> these = LossCase::flat<double>(c.slopes),
                                those = LossCase::flat<double>(d.slopes);
      ThreadPool threads(2);
      CpuGradient<double> batch(c.network, {.gradient = from_text<Gradient>(name)}, threads);
      const Forward<double> first = batch.forward(samples, first_samples(20)),
                            other = batch.forward(samples, first_samples(7));
      const std::vector<double> want = batch.backward(first, these).parameters;
      batch.backward(first, those);
      batch.backward(other, std::span(these).first(14));
      EXPECT_EQ(batch.backward(first, these).parameters, want) << text << " " << name;
    }
}

// A gradient is linear in the loss slopes, also if their squares leave the range of numbers: samples that are
// nearly right have such slopes.
TEST(Backward, OfTheSmallestSlopesIsThatOfLargeOnes) {
  for (const char* text : {"3-90-2", "4-40tanh-30tanh-30-3/none+2:2"}) {
    const LossCase c(from_text<Architecture>(text), 5, 0.8, 20);
    const NetworkOf<float> network(
        c.network.architecture(),
        std::vector<float>(c.network.parameters().begin(), c.network.parameters().end()));
    const SampleTable<float> samples(c.network.architecture().inputs(), 0, LossCase::flat<float>(c.inputs),
                                     {});
    ThreadPool threads(1);
    CpuGradient<float> batch(network, {}, threads);
    const Forward<float> forward = batch.forward(samples, first_samples(20));
    const std::vector<float> slopes = LossCase::flat<float>(c.slopes);
    const GradientResult<float> want = batch.backward(forward, slopes);
    for (const float shrunk : {0x1p-35f, 0x1p-60f, 0x1p-95f}) {
      std::vector<float> small = slopes;
      for (float& slope : small) slope *= shrunk;
      const GradientResult<float> found = batch.backward(forward, small);
      EXPECT_EQ(found.products, want.products) << text << " " << shrunk;
      float size = 0, far = 0;
      for (std::size_t k = 0; k < want.parameters.size(); ++k)
        size = std::max(size, std::abs(want.parameters[k])),
        far = std::max(far, std::abs(found.parameters[k] / shrunk - want.parameters[k]));
      EXPECT_LE(far, 1e-6f * size) << text << " " << shrunk;
    }
  }
}

TEST(Weights, OfOneEachAreNone) {
  for (const std::string_view name : names<Gradient>()) {
    const LossCase c(from_text<Architecture>("3-5-2"), 5, 0.8, 20);
    const SampleTable<float> samples(3, 0, LossCase::flat<float>(c.inputs), {});
    ThreadPool threads(1);
    CpuGradient<float> batch(rounded<float>(c.network), {.gradient = from_text<Gradient>(name)}, threads);
    const auto forward = batch.forward(samples, first_samples(20));
    const std::vector<float> slopes = LossCase::flat<float>(c.slopes), ones(20, 1.0f);
    EXPECT_EQ(batch.backward(forward, slopes, ones).parameters, batch.backward(forward, slopes).parameters)
        << name;
  }
}

TEST(Weights, OfTwoCountASampleTwiceAndOfNoneNotAtAll) {
  for (const std::string_view name : names<Gradient>()) {
    const LossCase c(from_text<Architecture>("3-5-2"), 5, 0.8, 3);
    const SampleTable<double> samples(3, 0, LossCase::flat<double>(c.inputs), {});
    ThreadPool threads(1);
    const GradientOptions options{.gradient = from_text<Gradient>(name), .input_gradient = true};
    CpuGradient<double> batch(c.network, options, threads);
    const std::vector<double> s = LossCase::flat<double>(c.slopes);
    const auto weighted =
        batch.backward(batch.forward(samples, first_samples(3)), s, std::vector<double>{2, 0, 1});
    const auto repeated = batch.backward(batch.forward(samples, std::vector<std::uint64_t>{0, 0, 2}),
                                         std::vector<double>{s[0], s[1], s[0], s[1], s[4], s[5]});
    EXPECT_LE(relative_error(weighted.parameters, repeated.parameters), 1e-14) << name;
    EXPECT_EQ(weighted.inputs[0], repeated.inputs[0]) << "a sample's own gradient is not weighted";
    EXPECT_EQ(weighted.used, 3u);
  }
}

TEST(Weights, ThatMakeNoSenseAreRefused) {
  const NetworkOf<double> network(from_text<Architecture>("2-3"), Start::paper, 1);
  ThreadPool threads(1);
  CpuGradient<double> batch(network, {}, threads);
  const auto forward = batch.forward(SampleTable<double>(2, 0, {1, 2, 3, 4}, {}), first_samples(2));
  const std::vector<double> slopes(6, 1.0);
  const auto with = [&](std::vector<double> weights) {
    return refusal([&] { batch.backward(forward, slopes, weights); });
  };
  EXPECT_THAT(with({1}), AllOf(HasSubstr("2 samples"), HasSubstr("1 were given")));
  EXPECT_THAT(with({1, -1}), HasSubstr("zero or more"));
  EXPECT_THAT(with({1, HUGE_VAL}), HasSubstr("zero or more"));
  EXPECT_EQ(with({0, 0}), "");
}

// The last layer's slopes, then the first's.
TEST(Heads, EveryKindAgreesWithCentralDifferencesOfALossOnSeveralLayers) {
  std::uint64_t seed = 2100;
  for (const Architecture& architecture : odd_architectures()) {
    const std::size_t layers = architecture.layers().size();
    LossCase c(architecture, ++seed, 0.8, 2);
    c.heads = layers > 1 ? std::vector<std::size_t>{layers, 1} : std::vector<std::size_t>{1};
    const std::size_t size = architecture.outputs() + (layers > 1 ? architecture.layers().front().size : 0);
    for (auto& slopes : c.slopes) slopes = as_vector<double>(random_numbers<double>(size, ++seed));
    for (const std::string_view name : names<Gradient>()) {
      GradientOptions options = tight(from_text<Gradient>(name));
      options.heads = c.heads;
      const auto result = batch_gradient<double>(c, options);
      const PlainGradient plain(c, options.gradient);
      EXPECT_LE(relative_error(result.parameters, plain.parameters()), 1e-6) << name << to_text(architecture);
      EXPECT_LE(relative_error(result.inputs, plain.inputs()), 1e-6) << name << to_text(architecture);
    }
  }
}

TEST(Heads, TheLastLayerByNameIsTheDefaultToTheBit) {
  const LossCase c(from_text<Architecture>("3-5-2"), 5, 0.8, 20);
  EXPECT_EQ(batch_gradient<double>(c, {.heads = {2}}).parameters, batch_gradient<double>(c, {}).parameters);
}

TEST(Heads, LayersThatDoNotExistOrComeTwiceAreRefused) {
  const auto with = [](std::vector<std::size_t> heads) {
    ThreadPool threads(1);
    const NetworkOf<double> network(from_text<Architecture>("2-3-1"), Start::paper, 1);
    return refusal([&] { CpuGradient<double>(network, {.heads = heads}, threads); });
  };
  EXPECT_THAT(with({0}), AllOf(HasSubstr("layer 0"), HasSubstr("layers 1 to 2")));
  EXPECT_THAT(with({1, 3}), AllOf(HasSubstr("layer 3"), HasSubstr("2-3-1")));
  EXPECT_THAT(with({1, 2, 1}), HasSubstr("layer 1 is named as a head twice"));
  EXPECT_EQ(with({1, 2}), "");
}

// Counts how many lanes are empty when inputs are asked for.
class CountingSamples final : public Samples<float> {
 public:
  explicit CountingSamples(const SampleTable<float>& table) : table_(table) {}
  std::size_t size() const override { return table_.size(); }
  std::size_t inputs() const override { return table_.inputs(); }
  std::size_t targets() const override { return 0; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, float* out) const override {
    empty_lanes += width - index.size();
    table_.inputs_as_lanes(index, width, out);
  }
  void inputs_as_rows(std::span<const std::uint64_t> index, float* out) const override {
    table_.inputs_as_rows(index, out);
  }
  void targets_as_rows(std::span<const std::uint64_t>, float*) const override {}
  mutable std::size_t empty_lanes = 0;

 private:
  const SampleTable<float>& table_;
};

TEST(Forward, OfAWholeNumberOfGroupsLeavesNoLaneEmpty) {
  const LossCase c(from_text<Architecture>("3-5-2"), 5, 0.8, 64);
  const SampleTable<float> table(3, 0, LossCase::flat<float>(c.inputs), {});
  for (const std::string_view name : names<Gradient>()) {
    const CountingSamples samples(table);
    ThreadPool threads(1);
    CpuGradient<float> batch(rounded<float>(c.network), {.gradient = from_text<Gradient>(name)}, threads);
    batch.forward(samples, first_samples(64));
    EXPECT_EQ(samples.empty_lanes, 0u) << name;
  }
}

TEST(GradientOutcome, HasAName) {
  EXPECT_EQ(name(GradientOutcome::used), "used");
  EXPECT_EQ(name(GradientOutcome::not_finite), "not_finite");
}

}  // namespace
}  // namespace irn
