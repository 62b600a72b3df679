// Steps of training wide networks on a CUDA device, single precision, exact gradients, `auto`: networks already trained, rates so small that they stay what they
// are. Each line first says how far loss and norm of the gradient are from the processor's, then times.
//   step      forward, loss, gradient, Adam, batches of 256 from the host's memory (median); of which forward with the loss
//   --images  instead: an epoch of Fit over 60,000 made-up images of 784 pixels in 10 classes, 128 relu neurons, certified, batches of 1,000, judged
//             by 10,000 others (the second and third; the first warms up)
//
//   bench_cuda_training [--device cuda:N|cpu] [--images] HIDDEN ...
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "bench/trained.h"
#include "irn/base/random.h"
#include "irn/data/sample_table.h"
#include "irn/engine/devices.h"
#include "irn/train/fit.h"

namespace irn::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TrainOptions options_on(Device device) {
  TrainOptions options;
  options.gradient.settle.device = device;
  options.optimiser = Adam{.rate = 1e-9};
  options.clip = 1e9;
  return options;
}

SampleTable<float> in_memory(const Samples<float>& source) {
  std::vector<std::uint64_t> index(source.size());
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  std::vector<float> x(source.size() * source.inputs()), y(source.size() * source.targets());
  source.inputs_as_rows(index, x.data()), source.targets_as_rows(index, y.data());
  return SampleTable<float>(source.inputs(), source.targets(), std::move(x), std::move(y));
}

// In seconds, the shortest first.
struct StepTimes {
  std::vector<double> whole, forward;
};
StepTimes timed(Trainer<float>& trainer, const Samples<float>& samples, std::size_t batch,
                std::size_t steps) {
  StepTimes times;
  std::vector<std::uint64_t> index(batch);
  for (std::size_t k = 0; k < steps; ++k) {
    std::iota(index.begin(), index.end(), std::uint64_t{k * batch});
    const double begin = now();
    StepReport report = trainer.look(samples, index);
    const double looked = now();
    trainer.apply(report);
    times.whole.push_back(now() - begin), times.forward.push_back(looked - begin);
  }
  for (auto* all : {&times.whole, &times.forward}) std::sort(all->begin(), all->end());
  return times;
}

void time_steps(Device device, std::size_t hidden, ThreadPool& threads) {
  constexpr std::size_t batch = 256, steps = 100;
  const NetworkOf<float> start = trained<float>(hidden, NetworkKind::exact);
  const SampleTable<float> samples = in_memory(Oscillator<float>(test_samples(batch * steps)));
  NetworkOf<float> here = start, there = start;
  Trainer<float> by_processor(here, options_on(Device::cpu), threads),
      trainer(there, options_on(device), threads);
  trainer.stay_on_device();
  std::vector<std::uint64_t> index(batch);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  const StepReport expected = by_processor.step(samples, index), found = trainer.step(samples, index);
  Equilibria<float> states;
  Settler<float>(start, {.device = device}, threads).settle(samples, index, states);
  std::size_t most = 0;  // samples of a batch go along together
  for (const Verdict& verdict : states.verdicts) most = std::max<std::size_t>(most, verdict.evaluations);
  const StepTimes times = timed(trainer, samples, batch, steps);
  std::printf(
      "%4zu hidden: %.3f ms a step (forward %.3f; from %.3f to %.3f), used %zu of %zu (processor %zu), loss "
      "apart %.1e, "
      "norm apart %.1e, evaluations %.1f (at most %zu), products %.1f\n",
      hidden, 1e3 * times.whole[steps / 2], 1e3 * times.forward[steps / 2], 1e3 * times.whole.front(),
      1e3 * times.whole.back(), found.used, batch, expected.used,
      std::abs(found.loss - expected.loss) / expected.loss,
      std::abs(found.gradient_norm - expected.gradient_norm) / expected.gradient_norm, found.mean_evaluations,
      most, found.mean_products);
  std::fflush(stdout);
}

// Each class a picture, to which noise is added.
SampleTable<float> images(std::size_t count, std::uint64_t stream) {
  constexpr std::size_t pixels = 784, classes = 10;
  const Stream pictures(1, 0), noise(1, stream);
  std::vector<float> x(count * pixels), y(count * classes, 0.0f);
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t kind = s % classes;
    y[s * classes + kind] = 1;
    for (std::size_t k = 0; k < pixels; ++k)
      x[s * pixels + k] =
          static_cast<float>(pictures.uniform(kind * pixels + k) + noise.uniform(s * pixels + k) - 1);
  }
  return SampleTable<float>(pixels, classes, std::move(x), std::move(y));
}

void time_epochs(Device device, std::size_t hidden, ThreadPool& threads) {
  const SampleTable<float> training = images(60'000, 1), validation = images(10'000, 2);
  NetworkOf<float> network(
      from_text<Architecture>("784-" + std::to_string(hidden) + "relu-10identity/none+1:1"), Start::scaled,
      1);
  FitOptions options{.epochs = 3, .batch = 1000, .seed = 1};
  options.training = {.optimiser = AdamW{.rate = 0.001}, .loss = NamedLoss(CrossEntropy{}), .certify = 0.95};
  options.training.gradient.settle.device = device;
  Fit<float> fit(network, training, &validation, options, threads);
  while (!fit.ended()) fit.step();
  for (std::size_t e = 1; e < fit.records().size(); ++e) {
    const EpochRecord& r = fit.records()[e];
    std::printf(
        "%4zu hidden, images: epoch %.3f s, loss %.4f, accuracy %.4f, settled %.6f, evaluations %.1f\n",
        hidden, r.seconds, r.loss, r.score, r.settled, r.evaluations);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace irn::bench

int main(int count, char** words) {
  using namespace irn;
  Device device{Device::Kind::cuda};
  bool of_images = false;
  std::vector<std::size_t> hidden;
  try {
    for (int k = 1; k < count; ++k) {
      const std::string_view word = words[k];
      if (word == "--device" && k + 1 < count)
        device = from_text<Device>(words[++k]);
      else if (word == "--images")
        of_images = true;
      else
        hidden.push_back(std::strtoull(words[k], nullptr, 10));
    }
    if (hidden.empty())
      hidden = of_images ? std::vector<std::size_t>{128} : std::vector<std::size_t>{256, 1024};
    check_device(device);
    ThreadPool threads(0);
    for (const std::size_t h : hidden)
      of_images ? bench::time_epochs(device, h, threads) : bench::time_steps(device, h, threads);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_cuda_training: %s\n", error.what());
    return 2;
  }
}
