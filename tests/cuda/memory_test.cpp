// A CUDA device with 8 MB of memory, simulated by this host (CUDA_ON_HOST_BYTES): work is done in smaller
// pieces, kept inputs give way to it, and if nothing helps, one line says so and nothing is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "irn/engine/settler.h"
#include "irn/train/trainer.h"
#include "tests/cuda/on_cuda.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

class InLittleMemory : public OnCuda {
 protected:
  void SetUp() override {
    OnCuda::SetUp();
    if (!on_host()) GTEST_SKIP() << "the device has enough";
    ASSERT_TRUE(std::getenv("CUDA_ON_HOST_BYTES")) << "the host would have enough";
  }
  static NetworkOf<float> made(const char* text) {
    return random_network<float>(from_text<Architecture>(text), 3, 1.5);
  }
  void agrees_with_processor(const NetworkOf<float>& network, const SampleTable<float>& samples) {
    const Equilibria<float> expected = Settler<float>(network, {}, threads_).settle(samples);
    const Equilibria<float> found =
        Settler<float>(network, {.device = cuda_device}, threads_).settle(samples);
    const Apart far = apart(expected, found);
    EXPECT_LE(far.verdicts, 3u);
    EXPECT_LE(far.states, 1e-3);
    EXPECT_GE(far.both, samples.size() / 2);
  }
  static constexpr const char* none_left =
      "the CUDA device is out of memory; take smaller batches, or the cpu";
};

TEST_F(InLittleMemory, SamplesAreSettledInSmallerPieces) {
  const SampleTable<float> samples = random_samples<float>(2000, 3000);  // 24 MB
  agrees_with_processor(made("2000-5-2"), samples);
}

TEST_F(InLittleMemory, ANetworkThatIsTooLargeIsRefusedInOneLine) {
  const NetworkOf<float> large = made("60000-5-2");
  const SampleTable<float> samples = random_samples<float>(60000, 10);
  Settler<float> settler(large, {.device = cuda_device}, threads_);
  Equilibria<float> found;
  const std::vector<std::uint64_t> index{0, 1, 2};
  EXPECT_EQ(refusal([&] { settler.settle(samples, index, found); }), none_left);
  for (const Verdict& verdict : found.verdicts) EXPECT_NE(verdict.outcome, Outcome::settled);
  agrees_with_processor(made("10-5-2"), random_samples<float>(10, 300));
}

TEST_F(InLittleMemory, ATrainingThatIsTooLargeLeavesTheNetworkAsItIs) {
  NetworkOf<float> network = made("50-1000/lateral");  // 4 MB of weights, gradients, moments each
  const std::vector<float> before(network.parameters().begin(), network.parameters().end());
  const SampleTable<float> samples(50, 1000, random_numbers<float>(50 * 4, 1),
                                   random_numbers<float>(1000 * 4, 2));
  TrainOptions options;
  options.gradient.settle.device = cuda_device;
  Trainer<float> trainer(network, options, threads_);
  std::vector<std::uint64_t> batch(4);
  std::iota(batch.begin(), batch.end(), std::uint64_t{0});
  EXPECT_EQ(refusal([&] { trainer.step(samples, batch); }), none_left);
  EXPECT_THAT(network.parameters(), testing::ElementsAreArray(before));
}

// A search and its inputs take 3.2 MB of the 8. The other search takes at least 256 samples at a time, 5.4 MB
// with their weights.
TEST_F(InLittleMemory, KeptInputsGiveWayToWork) {
  const CountedInputs kept(random_samples<float>(500, 500), false);  // 1 MB
  Settler<float> settler(made("500-5-2"), {.device = cuda_device}, threads_);
  const auto asked_again = [&] {
    const std::size_t before = kept.asked();
    settler.settle(kept);
    return kept.asked() - before;
  };
  EXPECT_EQ(asked_again(), 500u);
  EXPECT_EQ(asked_again(), 500u);  // the inputs are kept no more
  EXPECT_EQ(asked_again(), 0u);
  agrees_with_processor(made("5100-5-2"), random_samples<float>(5100, 256));
  EXPECT_EQ(asked_again(), 500u);
}

}  // namespace
}  // namespace irn
