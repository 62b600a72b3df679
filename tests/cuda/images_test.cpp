// Networks with blocks of every kind, and wide ones, on a CUDA device compared with the processor: products
// by a plan (irn/engine/cuda/product_plan.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "irn/engine/batch_gradient.h"
#include "irn/engine/settler.h"
#include "tests/cuda/on_cuda.h"
#include "tests/support/refusal.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

class ImagesOnCuda : public OnCuda {};

struct Case {
  const char* network;
  double gain;
  std::size_t samples;
  const char* solver = "auto";
};

// Every operator in A and in B, with strides, padding, dilation and groups; small ones, which have a matrix,
// and large ones.
const Case cases[] = {
    {"1x6x6-2k3relu-2/none+1:1=conv3", 0.8, 300},
    {"1x12x12-8k5s2relu-12k3s2relu-5identity/none+1:1=conv1+2:2=conv3+2:1=tconv3s2", 0.8, 700},
    {"1x12x12-8k5s2relu-12k3s2relu-5identity/none+1:1=conv1+2:2=conv3+2:1=tconv3s2", 0.8, 300, "anderson"},
    {"4x8x8-16k3g4tanh-16k3d2g2-pool2-6/none+1:1=conv3g16+2:1=tconv3d2g2+3:2=up2", 2, 300},
    {"2x9x7-70k3x5p0tanh-5k3s3softplus/none+1:1=conv1g10+2:1=tconv3s3", 1.5, 200},
    {"3x4x4-up2tanh-33k4s3p2-7/none+0:2=lowrank3+1:1=diagonal+2:1=tconv4s3p2+3:1+2:2=lowrank4", 1.2, 300},
    {"8x6x6-pool2-8x6x6tanh/none+1:2=up2+0:2=conv5g2+2:1=pool2+2:2=conv3d2", 0.9, 300},
    {"20-2500tanh-3/none+1:1=lowrank4+2:1", 0.9, 100},
    {"20-2300tanh-3identity/lateral", 0.9, 50},
    {"1x28x28-40k5s2relu-80k5s2relu-160k3s2relu-10identity/none+1:1=conv1+2:2=conv1+3:3=conv1", 0.7, 150,
     "anderson"},
    {"1x28x28-40k5s2relu-80k5s2relu-160k3s2relu-10identity/none+3:3=conv1", 0.7, 150}};
// Layers before and after the core, with one that skips it (network/stages.h).
const Case staged{"1x16x16-8k3relu-12k3s2tanh-12k3s2relu-6softplus-4identity/none+3:2=tconv3s2+3:3=conv1+1:4",
                  0.8, 400};

TEST_F(ImagesOnCuda, FindsTheEquilibriaOfImages) {
  std::vector<Case> all(std::begin(cases), std::end(cases));
  all.push_back(staged);
  for (const Case& one : all) {
    SCOPED_TRACE(std::string(one.network) + " " + one.solver);
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>(one.network), 3, one.gain);
    if (takes_long_here(network.architecture().neurons(), 2000)) continue;
    const std::size_t count = enough_samples(network.architecture().neurons(), one.samples);
    const SampleTable<float> samples = random_samples<float>(network.architecture().inputs(), count);
    SettleOptions options{.solver = from_text<Solver>(one.solver)};
    const Equilibria<float> expected = Settler<float>(network, options, threads_).settle(samples);
    options.device = cuda_device;
    const Equilibria<float> found = Settler<float>(network, options, threads_).settle(samples);
    const Apart far = apart(expected, found);
    EXPECT_EQ(far.verdicts, 0u);
    EXPECT_LE(far.states, 200 * default_tolerance<float>());
    EXPECT_EQ(far.both, count);
    EXPECT_GT(found.summary().mean_evaluations, 2);
  }
}

TEST_F(ImagesOnCuda, AnImageHasTheSameBitsInAnyBatch) {
  for (const Case& one : {cases[1], cases[3], cases[5], staged}) {
    SCOPED_TRACE(one.network);
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>(one.network), 3, one.gain);
    const std::size_t count = enough_samples(network.architecture().neurons(), 600), last = count - 1;
    const SampleTable<float> samples = random_samples<float>(network.architecture().inputs(), count);
    Settler<float> settler(network, {.device = cuda_device}, threads_);
    const Equilibria<float> all = settler.settle(samples), again = settler.settle(samples);
    EXPECT_EQ(all.states, again.states);
    std::vector<std::uint64_t> index(count);
    std::iota(index.rbegin(), index.rend(), std::uint64_t{0});
    Equilibria<float> reversed, few;
    settler.settle(samples, index, reversed);
    for (std::size_t s = 0; s < count; ++s)
      ASSERT_THAT(reversed.state(last - s), testing::ElementsAreArray(all.state(s))) << s;
    for (const std::uint64_t s : {std::uint64_t{last}, std::uint64_t{0}, std::uint64_t{last / 2}}) {
      settler.settle(samples, std::vector<std::uint64_t>{s}, few);
      ASSERT_THAT(few.state(0), testing::ElementsAreArray(all.state(s))) << s;
      EXPECT_EQ(few.verdicts[0].evaluations, all.verdicts[s].evaluations) << s;
    }
  }
}

TEST_F(ImagesOnCuda, StartsOfImagesAreTaken) {
  for (const Case& one : {cases[1], staged}) {
    SCOPED_TRACE(one.network);
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>(one.network), 3, one.gain);
    const std::size_t count = enough_samples(network.architecture().neurons(), 40);
    const SampleTable<float> samples = random_samples<float>(network.architecture().inputs(), count);
    const Equilibria<float> rest = Settler<float>(network, {.device = cuda_device}, threads_).settle(samples);
    std::vector<std::uint64_t> index(count);
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    Equilibria<float> found;
    Settler<float>(network, {.device = cuda_device}, threads_).settle(samples, index, found, rest.states);
    EXPECT_EQ(apart(rest, found).both, count);
    EXPECT_LT(found.summary().mean_evaluations, rest.summary().mean_evaluations);
  }
}

TEST_F(ImagesOnCuda, ImagesThatRunAwayHaveNoAnswer) {
  NetworkOf<float> network = random_network<float>(from_text<Architecture>(cases[1].network), 3, 0.8);
  for (float& weight : network.parameters()) weight = 0.5f;
  const SampleTable<float> samples = random_samples<float>(
      network.architecture().inputs(), enough_samples(network.architecture().neurons(), 50));
  const Equilibria<float> here = Settler<float>(network, {}, threads_).settle(samples);
  const Equilibria<float> there = Settler<float>(network, {.device = cuda_device}, threads_).settle(samples);
  EXPECT_EQ(apart(here, there).verdicts, 0u);
  EXPECT_LT(there.summary().settled_share(), 1);
}

// The core is at rest, and a layer after it has left the range of numbers.
TEST_F(ImagesOnCuda, ALayerBehindTheCoreMayHaveNoAnswer) {
  NetworkOf<float> network = random_network<float>(from_text<Architecture>(staged.network), 3, staged.gain);
  const SampleTable<float> samples = random_samples<float>(network.architecture().inputs(), 50);
  const Block& last = network.architecture().blocks().back();
  std::fill_n(network.parameters().begin() + static_cast<std::ptrdiff_t>(last.weights), last.cols, 3e38f);
  const Equilibria<float> here = Settler<float>(network, {}, threads_).settle(samples);
  const Equilibria<float> there = Settler<float>(network, {.device = cuda_device}, threads_).settle(samples);
  EXPECT_EQ(apart(here, there).verdicts, 0u);
  EXPECT_GT(there.summary().count[std::size_t(Outcome::not_finite)], 0u);
}

TEST_F(ImagesOnCuda, GradientsOfImagesAreThoseOfTheProcessor) {
  for (const Case& one : {cases[1], cases[3], cases[5], cases[6], staged}) {
    const NetworkOf<float> network = random_network<float>(from_text<Architecture>(one.network), 3, one.gain);
    const std::size_t count = enough_samples(network.architecture().neurons(), 64);
    const SampleTable<float> samples = random_samples<float>(network.architecture().inputs(), count);
    std::vector<std::uint64_t> index(count);
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    GradientOptions options;
    BatchGradient<float> here(network, options, threads_);
    options.settle.device = cuda_device;
    BatchGradient<float> there(network, options, threads_);
    const std::vector<float> slopes(count * network.architecture().layers().back().size, 1.0f);
    const GradientResult<float> expected = here.backward(here.forward(samples, index), slopes),
                                found = there.backward(there.forward(samples, index), slopes);
    double size = 0, far = 0;
    for (std::size_t k = 0; k < expected.parameters.size(); ++k) {
      size = std::max(size, std::abs(double(expected.parameters[k])));
      far = std::max(far, std::abs(double(expected.parameters[k]) - double(found.parameters[k])));
    }
    EXPECT_LE(far, 1e-3 * size) << one.network;
  }
}

TEST_F(ImagesOnCuda, NetworksThatAreTooLargeAreRefused) {
  const NetworkOf<float> large(from_text<Architecture>("1x64x64-5k3relu-2/none+1:1=conv1"), Start::scaled, 1);
  EXPECT_THAT(refusal([&] { Settler<float>(large, {.device = cuda_device}, threads_); }),
              testing::HasSubstr("takes up to 16384 neurons, but network"));
  const NetworkOf<double> wide(from_text<Architecture>("1x32x32-4k3relu-2/none+1:1=conv1"), Start::scaled, 1);
  EXPECT_THAT(refusal([&] { Settler<double>(wide, {.device = cuda_device}, threads_); }),
              testing::HasSubstr("takes up to 2048 neurons in double precision, but network"));
}

}  // namespace
}  // namespace irn
