// Training of wide networks on a CUDA device compared with the processor: the same steps to rounding, the
// same bits again and after a resumption, no effect of samples without an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "irn/train/fit.h"
#include "tests/cuda/on_cuda.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

class TrainingOnCuda : public OnCuda {};

struct Case {
  const char* network;
  double gain;
};
// Every layout of a sample in threads, several activations and blocks; then blocks of every kind that can be
// trained there.
const Case cases[] = {
    {"10-100-2", 1.5},
    {"6-150tanh-10softplus/lateral", 0.8},
    {"12-300-3", 1.2},
    {"7-280relu-20tanh-3identity/lateral+0:3", 0.5},
    {"12-700-3identity/lateral", 1.2},
    {"1x12x12-8k5s2relu-12k3s2relu-5identity/none+1:1=conv1+2:2=conv3+2:1=tconv3s2", 0.8},
    {"4x8x8-16k3g4tanh-16k3d2g2-pool2-6/none+1:1=conv3g16+2:1=tconv3d2g2+3:2=up2", 2},
    {"3x4x4-up2tanh-33k4s3p2-7/none+0:2+1:1=diagonal+2:1=tconv4s3p2+3:1", 1.2},
    {"30-1100tanh-1000-3identity/none+1:1=diagonal+3:2", 0.8},
    {"1x16x16-8k3relu-12k3s2tanh-12k3s2relu-6softplus-4identity/none+3:2=tconv3s2+3:3=conv1+1:4", 0.8}};

NetworkOf<float> made(const Case& one) {
  return random_network<float>(from_text<Architecture>(one.network), 3, one.gain);
}

// Random targets for random inputs, the same in both precisions.
template <class T = float>
SampleTable<T> samples_for(const Architecture& architecture, std::size_t count) {
  const std::size_t inputs = architecture.inputs(), outputs = architecture.outputs();
  const std::vector<float> x = random_numbers<float>(inputs * count, 9),
                           y = random_numbers<float>(outputs * count, 10);
  return SampleTable<T>(inputs, outputs, std::vector<T>(x.begin(), x.end()),
                        std::vector<T>(y.begin(), y.end()));
}

TrainOptions options_on(Device device, const OptimiserOptions& optimiser, double clip = 0) {
  TrainOptions options;
  options.gradient.settle.device = device;
  options.optimiser = optimiser;
  options.clip = clip;
  return options;
}

std::vector<std::uint64_t> batch(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), first);
  return index;
}

std::vector<float> copy_of(const NetworkOf<float>& network) {
  const std::span<const float> all = network.parameters();
  return {all.begin(), all.end()};
}

std::size_t batch_for(const NetworkOf<float>& network, std::size_t on_device) {
  return enough_samples(network.architecture().neurons(), on_device);
}

// What steps of plain descent did to a network's parameters, and the report of the last step.
template <class T>
struct Went {
  std::vector<double> parameters;
  StepReport last;
};
template <class T>
Went<T> went(Device device, const NetworkOf<float>& start, ThreadPool& threads) {
  NetworkOf<T> network(start.architecture(),
                       std::vector<T>(start.parameters().begin(), start.parameters().end()));
  const std::size_t count = batch_for(start, 100);
  const SampleTable<T> samples = samples_for<T>(start.architecture(), 3 * count);
  Trainer<T> trainer(network, options_on(device, Sgd{.rate = 0.1}, 1e6), threads);
  Went<T> found;
  for (std::size_t step = 0; step < 3; ++step) found.last = trainer.step(samples, batch(count * step, count));
  found.parameters.assign(network.parameters().begin(), network.parameters().end());
  return found;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double far = 0;
  for (std::size_t k = 0; k < a.size(); ++k) far = std::max(far, std::abs(a[k] - b[k]));
  return far;
}

// Compared with double precision; near a fold single precision has only a few digits, on both.
TEST_F(TrainingOnCuda, StepsAreThoseOfTheProcessor) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.network);
    const NetworkOf<float> start = made(one);
    if (takes_long_here(start.architecture().neurons(), 2000)) continue;
    const auto truth = went<double>(Device::cpu, start, threads_);
    const auto here = went<float>(Device::cpu, start, threads_),
               there = went<float>(cuda_device, start, threads_);
    const double moved = apart(truth.parameters, {start.parameters().begin(), start.parameters().end()});
    EXPECT_TRUE(there.last.applied);
    EXPECT_NEAR(double(here.last.used), double(there.last.used), 1);
    EXPECT_LE(
        std::abs(there.last.gradient_norm - truth.last.gradient_norm),
        3 * std::abs(here.last.gradient_norm - truth.last.gradient_norm) + 2e-3 * truth.last.gradient_norm);
    EXPECT_GT(moved, 0);
    EXPECT_LE(apart(there.parameters, truth.parameters),
              3 * apart(here.parameters, truth.parameters) + 2e-3 * moved);
  }
}

TEST_F(TrainingOnCuda, WeightsCount) {
  const NetworkOf<float> start = made(cases[2]);
  const SampleTable<float> samples = samples_for(start.architecture(), 64);
  std::vector<float> moved[2];
  for (const Device device : {Device::cpu, cuda_device}) {
    NetworkOf<float> network = start;
    const TrainOptions how = options_on(device, Sgd{.rate = 0.1});
    BatchGradient<float> gradient(network, how.gradient, threads_);
    OptimiserOf<float> optimiser(how.optimiser, network.parameters().size());
    const Forward<float> forward = gradient.forward(samples, batch(0, 64));
    const std::vector<float> slopes(64 * 3, 0.5f);
    std::vector<float> weights(64);
    for (std::size_t s = 0; s < 64; ++s) weights[s] = static_cast<float>(s % 4);
    const StepDone done = gradient.advance({.forward = forward, .slopes = slopes, .weights = weights},
                                           optimiser, nullptr, network);
    gradient.bring_back(optimiser, network);
    EXPECT_TRUE(done.applied);
    EXPECT_EQ(done.used, 48u);
    for (std::size_t k = 0; k < network.parameters().size(); ++k)
      moved[device == cuda_device].push_back(network.parameters()[k] - start.parameters()[k]);
  }
  double size = 0, far = 0;
  for (std::size_t k = 0; k < moved[0].size(); ++k)
    size = std::max(size, double(std::abs(moved[0][k]))),
    far = std::max(far, double(std::abs(moved[0][k] - moved[1][k])));
  EXPECT_LE(far, 2e-3 * size);
}

TEST_F(TrainingOnCuda, SamplesThatAreNearlyRightTakeNoMoreProducts) {
  for (const Case& one : {cases[0], cases[2], cases[5], cases[9]}) {
    SCOPED_TRACE(one.network);
    NetworkOf<float> network = made(one);
    const std::size_t count = batch_for(network, 64);
    const SampleTable<float> samples = samples_for(network.architecture(), count);
    const TrainOptions how = options_on(cuda_device, Sgd{.rate = 1e-9});
    BatchGradient<float> gradient(network, how.gradient, threads_);
    OptimiserOf<float> optimiser(how.optimiser, network.parameters().size());
    const auto products = [&](float slope) {
      const std::vector<float> slopes(count * network.architecture().outputs(), slope);
      const Forward<float> forward = gradient.forward(samples, batch(0, count));
      return gradient.advance({.forward = forward, .slopes = slopes}, optimiser, nullptr, network)
          .mean_products;
    };
    const double usual = products(0.5f);
    EXPECT_GT(usual, 1);
    for (const float slope : {0x1p-60f, 0x1p-95f}) EXPECT_NEAR(products(slope), usual, 1) << slope;
  }
}

TEST_F(TrainingOnCuda, TheSameBitsAgainAndAfterAResumption) {
  for (const Case& one : {cases[0], cases[2], cases[4], cases[5], cases[6]}) {
    SCOPED_TRACE(one.network);
    const NetworkOf<float> start = made(one);
    if (takes_long_here(start.architecture().neurons(), 600)) continue;
    const std::size_t count = batch_for(start, 100);
    const SampleTable<float> samples = samples_for(start.architecture(), 4 * count);
    const TrainOptions how = options_on(cuda_device, AdamW{.rate = 0.001}, 1);
    const auto go = [&](Trainer<float>& trainer, std::size_t from, std::size_t to) {
      for (std::size_t k = from; k < to; ++k) trainer.step(samples, batch(count * k, count));
    };
    NetworkOf<float> first = start, second = start, resumed = start;
    Trainer<float> one_trainer(first, how, threads_), other(second, how, threads_);
    one_trainer.stay_on_device();
    go(one_trainer, 0, 4), one_trainer.bring_back();
    go(other, 0, 2);
    const OptimiserState<float> state = other.state();
    resumed.set_parameters(second.parameters());
    go(other, 2, 4);
    EXPECT_EQ(copy_of(first), copy_of(second));
    Trainer<float> later(resumed, how, threads_);
    later.restore(state);
    go(later, 2, 4);
    EXPECT_EQ(copy_of(first), copy_of(resumed));
    EXPECT_EQ(one_trainer.state().second, later.state().second);
  }
}

TEST_F(TrainingOnCuda, ASampleWithoutAnAnswerMovesNothing) {
  NetworkOf<float> network = made({"2-100relu-1identity/lateral", 1});
  for (float& weight : network.parameters()) weight = 3;  // runs away
  const std::vector<float> before = copy_of(network);
  const SampleTable<float> samples = samples_for(network.architecture(), 20);
  Trainer<float> trainer(network, options_on(cuda_device, Adam{}), threads_);
  const StepReport report = trainer.step(samples, batch(0, 20));
  EXPECT_EQ(report.settled, 0u);
  EXPECT_EQ(report.used, 0u);
  EXPECT_FALSE(report.applied);
  EXPECT_EQ(copy_of(network), before);
}

TEST_F(TrainingOnCuda, ACertificateIsKept) {
  for (const Case& one : {cases[0], cases[5]}) {
    NetworkOf<float> network = made(one);
    const SampleTable<float> samples = samples_for(network.architecture(), 10 * batch_for(network, 64));
    FitOptions options{
        .training = options_on(cuda_device, Adam{.rate = 0.01}), .epochs = 2, .batch = 32, .seed = 5};
    options.training.certify = 0.95;
    Fit<float> fit(network, samples, nullptr, options, threads_);
    while (!fit.ended()) fit.step();
    EXPECT_TRUE(is_certified(network));
    EXPECT_EQ(fit.records().size(), 2u);
    EXPECT_LT(fit.records()[1].loss, fit.records()[0].loss);
    EXPECT_EQ(fit.records()[1].settled, 1);
  }
}

}  // namespace
}  // namespace irn
