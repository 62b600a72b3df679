// The engine of a CUDA device compared with that of the processor: the same equilibria to tolerance, verdicts
// and gradients; bits that do not depend on the batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "irn/engine/batch_gradient.h"
#include "irn/engine/settler.h"
#include "irn/train/trainer.h"
#include "tests/cuda/on_cuda.h"
#include "tests/support/refusal.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

// Numbers in every block, recurrent blocks included.
template <class T>
NetworkOf<T> made(const char* text, double gain, std::uint64_t seed = 3) {
  return random_network<T>(from_text<Architecture>(text), seed, gain);
}

struct Case {
  const char* network;
  double gain;
  const char* solver = "auto";
  std::size_t samples = 0;  // 0: enough_samples
};

// From the smallest to some hundred neurons, every activation, every layout of a sample in threads.
const Case cases[] = {
    {"10-5-2", 1.5},
    {"10-5-2", 4},
    {"2-2", 3},
    {"3-6relu-2identity/lateral", 0.6},
    {"10-4tanh-3softplus", 1.5},
    {"10-20-2", 3},
    {"4-9tanh-5-3identity", 1.2},
    {"5-40-4", 2},
    {"7-20tanh-20softplus/lateral", 0.7},
    {"10-64-2", 2},
    {"10-64-2", 2, "anderson"},
    {"10-20-2", 1.5, "anderson"},
    {"10-20-2", 2, "rosenbrock-krylov"},
    {"6-200tanh-10softplus/lateral", 0.8},
    {"9-255-3/lateral", 1.5, "rosenbrock-krylov"},
    {"9-255-3/lateral", 1.5, "anderson", 40},  // several in a warp, where this host takes few at a time
    {"12-330-3/lateral", 1.5},
    {"12-400-3/lateral", 1.5},
    {"5-640relu/lateral", 0.5},
    {"5-641relu/lateral", 0.5}};

template <class T>
void agrees_with_processor(ThreadPool& threads) {
  for (const Case& one : cases) {
    const NetworkOf<T> network = made<T>(one.network, one.gain);
    if (sizeof(T) == 8 && takes_long_here(network.architecture().neurons(), 60)) continue;
    const std::size_t count =
        one.samples ? one.samples : enough_samples(network.architecture().neurons(), 1000);
    const SampleTable<T> samples = random_samples<T>(network.architecture().inputs(), count);
    const SettleOptions options{.solver = from_text<Solver>(one.solver)};
    SettleOptions there = options;
    there.device = cuda_device;
    const Equilibria<T> expected = Settler<T>(network, options, threads).settle(samples);
    const Equilibria<T> found = Settler<T>(network, there, threads).settle(samples);
    const Apart far = apart(expected, found);
    SCOPED_TRACE(std::string(one.network) + " " + one.solver);
    EXPECT_LE(far.verdicts, 3u);
    EXPECT_LE(far.states, 200 * default_tolerance<T>());
    EXPECT_GE(far.both, count * 3 / 10);
    for (std::size_t s = 0; s < found.size(); ++s)
      EXPECT_TRUE(!found.settled(s) || found.verdicts[s].residual <= default_tolerance<T>() * 1e3);
  }
}
TEST_F(OnCuda, FindsTheEquilibriaOfTheProcessorInSinglePrecision) { agrees_with_processor<float>(threads_); }
TEST_F(OnCuda, FindsTheEquilibriaOfTheProcessorInDoublePrecision) { agrees_with_processor<double>(threads_); }

TEST_F(OnCuda, AnAnswerDoesNotDependOnItsBatchOrItsPlace) {
  for (const char* text :
       {"10-5-2", "10-20-2", "10-64-2", "12-300-3/lateral", "12-385-3/lateral", "12-700-3/lateral"}) {
    const NetworkOf<float> network = made<float>(text, 2);
    const std::size_t count = enough_samples(network.architecture().neurons(), 3000), last = count - 1;
    const SampleTable<float> samples = random_samples<float>(network.architecture().inputs(), count);
    Settler<float> settler(network, {.device = cuda_device}, threads_);
    const Equilibria<float> all = settler.settle(samples), again = settler.settle(samples);
    EXPECT_EQ(all.states, again.states) << text;
    std::vector<std::uint64_t> index(count);
    std::iota(index.rbegin(), index.rend(), std::uint64_t{0});
    Equilibria<float> reversed, few;
    settler.settle(samples, index, reversed);
    settler.settle(samples, std::vector<std::uint64_t>{3, last, 1}, few);
    for (std::size_t s = 0; s < count; ++s)
      ASSERT_THAT(reversed.state(last - s), testing::ElementsAreArray(all.state(s))) << text << " " << s;
    EXPECT_THAT(few.state(0), testing::ElementsAreArray(all.state(3))) << text;
    EXPECT_THAT(few.state(1), testing::ElementsAreArray(all.state(last))) << text;
    EXPECT_EQ(few.verdicts[2].evaluations, all.verdicts[1].evaluations) << text;
  }
}

TEST_F(OnCuda, InputsStayThereFromTheSecondTimeOnUnlessTheyMayChange) {
  const NetworkOf<float> network = made<float>("10-20-2", 2);
  const std::size_t count = enough_samples(32, 3000);
  const SampleTable<float> samples = random_samples<float>(10, count);
  const CountedInputs constant(samples, false), changing(samples, true);
  Settler<float> settler(network, {.device = cuda_device}, threads_);
  const Equilibria<float> expected = settler.settle(changing);
  for (int time = 0; time < 4; ++time) EXPECT_EQ(settler.settle(constant).states, expected.states) << time;
  EXPECT_EQ(constant.asked(), 2 * count);
  const std::size_t before = changing.asked();
  settler.settle(changing);
  EXPECT_EQ(changing.asked(), before + count);
}

// At rest two neurons that excite themselves are at a saddle, which `auto` leaves in a second search.
TEST_F(OnCuda, WhatIsSearchedForAgainIsNoReasonToKeepInputsThere) {
  const auto architecture = from_text<Architecture>("2-2tanh/lateral");
  NetworkOf<float> network(architecture, std::vector<float>(architecture.parameters()));
  for (const Block& block : network.architecture().blocks())
    for (std::size_t i = 0; i < 2; ++i) network.parameters()[block.weights + 3 * i] = 2;
  SampleTable<float> samples = random_samples<float>(2, 100);
  std::vector<float> inputs(samples.input_row(0).begin(), samples.input_row(99).end());
  inputs[0] = inputs[1] = 0;
  const CountedInputs counted(SampleTable<float>(2, 0, inputs, {}), false);
  Settler<float> settler(network, {.device = cuda_device}, threads_);
  settler.settle(counted);
  EXPECT_EQ(counted.asked(), 101u);
  settler.settle(counted), settler.settle(counted);
  EXPECT_EQ(counted.asked(), 201u);
}

TEST_F(OnCuda, StartsAreTaken) {
  const NetworkOf<float> network = made<float>("3-6/lateral", 6);
  const SampleTable<float> samples = random_samples<float>(3, 500);
  const std::vector<float> ones(6, 1.0f);
  std::vector<std::uint64_t> index(500);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Equilibria<float> here, there;
  Settler<float>(network, {}, threads_).settle(samples, index, here, ones);
  Settler<float>(network, {.device = cuda_device}, threads_).settle(samples, index, there, ones);
  EXPECT_LE(apart(here, there).verdicts, 2u);
  EXPECT_LE(apart(here, there).states, 1e-3);
}

TEST_F(OnCuda, NoAnswerIsNoAnswer) {
  NetworkOf<float> network = made<float>("2-2relu/lateral", 1);
  for (float& weight : network.parameters()) weight = 3;  // runs away
  const SampleTable<float> samples = random_samples<float>(2, 100);
  const Equilibria<float> here = Settler<float>(network, {}, threads_).settle(samples);
  const Equilibria<float> there = Settler<float>(network, {.device = cuda_device}, threads_).settle(samples);
  EXPECT_EQ(apart(here, there).verdicts, 0u);
  EXPECT_LT(there.summary().settled_share(), 1);
}

TEST_F(OnCuda, GradientsAreThoseOfTheProcessor) {
  for (const char* text : {"10-5-2", "10-20-2", "6-80tanh-4identity/lateral"}) {
    const NetworkOf<double> network = made<double>(text, 1.2);
    const SampleTable<double> samples = random_samples<double>(network.architecture().inputs(), 64);
    std::vector<std::uint64_t> index(64);
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    GradientOptions options;
    BatchGradient<double> here(network, options, threads_);
    options.settle.device = cuda_device;
    BatchGradient<double> there(network, options, threads_);
    const Forward<double> forward = here.forward(samples, index), other = there.forward(samples, index);
    const std::vector<double> slopes(64 * network.architecture().layers().back().size, 1.0);
    const GradientResult<double> expected = here.backward(forward, slopes),
                                 found = there.backward(other, slopes);
    double size = 0, far = 0;
    for (std::size_t k = 0; k < expected.parameters.size(); ++k) {
      size = std::max(size, std::abs(expected.parameters[k]));
      far = std::max(far, std::abs(expected.parameters[k] - found.parameters[k]));
    }
    EXPECT_LE(far, 1e-5 * size) << text;
  }
}

TEST_F(OnCuda, WhatItDoesNotHaveIsRefused) {
  const NetworkOf<float> network = made<float>("10-5-2", 1);
  EXPECT_THAT(
      refusal([&] { Settler<float>(network, {.solver = Newton{}, .device = cuda_device}, threads_); }),
      testing::HasSubstr("does not have solver newton"));
  EXPECT_THAT(refusal([&] { check_device({Device::Kind::cuda, 99}); }),
              testing::HasSubstr("no device cuda:99"));
}

}  // namespace
}  // namespace irn
