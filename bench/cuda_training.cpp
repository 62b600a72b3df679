// Training steps of wide networks on a CUDA device, single precision, exact gradients, `auto`. The networks
// are already trained, and rates so small that they do not change. Each line first gives the difference of
// loss and gradient norm to the processor's, then times.
//   step      forward, loss, gradient, Adam, batches of 256 from the host's memory (median); of which forward
//             with the loss
//   --images  instead: steps, and an epoch of Fit, over 60,000 generated images of 784 pixels in 10 classes,
//             128 relu neurons, certified, batches of 1,000, judged by 10,000 others (the second and third
//             epoch; the first warms up)
//   --convolutions  the same with the convolutions of docs/real-data.md, batches of 128, and then with loops
//             in all of them, so that every layer is in the core (network/stages.h); before that, the
//             difference of one step to the processor's, and 10,000 images settled (the shortest of three)
//
//   bench_cuda_training [--device cuda:N|cpu] [--images | --convolutions] HIDDEN ...
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

void print_times(const char* what, const StepTimes& times) {
  const std::size_t middle = times.whole.size() / 2;
  std::printf("%s: %.3f ms a step (forward %.3f; from %.3f to %.3f)\n", what, 1e3 * times.whole[middle],
              1e3 * times.forward[middle], 1e3 * times.whole.front(), 1e3 * times.whole.back());
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
  std::size_t most = 0;  // samples of a batch proceed together
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

// Each class is a picture, with added noise.
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

// With nonzero numbers in the loops, which start as zero.
void time_convolutions(Device device, NetworkOf<float>& network, const SampleTable<float>& samples,
                       TrainOptions options, ThreadPool& threads) {
  std::vector<std::uint64_t> index(128);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  options.gradient.settle.device = Device::cpu;
  NetworkOf<float> here = network, there = network;
  const StepReport expected = Trainer<float>(here, options, threads).step(samples, index);
  options.gradient.settle.device = device;
  const StepReport found = Trainer<float>(there, options, threads).step(samples, index);
  double far = 0, size = 0;
  for (std::size_t k = 0; k < network.parameters().size(); ++k)
    far = std::max(far, std::abs(double(here.parameters()[k]) - double(there.parameters()[k]))),
    size = std::max(size, std::abs(double(here.parameters()[k]) - double(network.parameters()[k])));
  std::printf(
      "convolutions: loss apart %.1e, norm apart %.1e, steps apart %.1e, evaluations %.1f, products %.1f\n",
      std::abs(found.loss - expected.loss) / expected.loss,
      std::abs(found.gradient_norm - expected.gradient_norm) / expected.gradient_norm, far / size,
      found.mean_evaluations, found.mean_products);
  Trainer<float> trainer(there, options, threads);
  trainer.stay_on_device();
  print_times("convolutions", timed(trainer, samples, 128, 60));
  Settler<float> settler(network, options.gradient.settle, threads);
  double best = 1e9;
  for (int k = 0; k < 3; ++k) {
    const double begin = now();
    const Equilibria<float> states = settler.settle(samples);
    best = std::min(best, now() - begin);
    if (k == 2)
      std::printf("convolutions: %zu images settled in %.3f s, settled %.6f, evaluations %.1f\n",
                  samples.size(), best, states.summary().settled_share(), states.summary().mean_evaluations);
  }
  std::fflush(stdout);
}

void time_epochs(Device device, const std::string& text, std::size_t batch, ThreadPool& threads) {
  const SampleTable<float> training = images(60'000, 1), validation = images(10'000, 2);
  NetworkOf<float> network(from_text<Architecture>(text), Start::scaled, 1);
  FitOptions options{.epochs = 3, .batch = batch, .seed = 1};
  options.training = {.optimiser = AdamW{.rate = 0.001}, .loss = NamedLoss(CrossEntropy{}), .certify = 0.95};
  options.training.gradient.settle.device = device;
  if (!network.architecture().dense()) {
    options.training.gradient.settle.tolerance = 1e-4, options.training.clip = 1e9;
    const Stream random(2, 0);
    for (const Block& block : network.architecture().blocks())
      for (std::size_t k = block.weights; block.from == block.to && k < block.weights + block.parameters; ++k)
        network.parameters()[k] = static_cast<float>(random.uniform(k, -0.02, 0.02));
    time_convolutions(device, network, validation, options.training, threads);
  }
  {
    NetworkOf<float> stepped = network;
    TrainOptions small_steps = options.training;
    small_steps.optimiser = AdamW{.rate = 1e-9}, small_steps.clip = 1e9;
    Trainer<float> trainer(stepped, small_steps, threads);
    trainer.stay_on_device();
    print_times(text.c_str(), timed(trainer, training, batch, 60));
  }
  Fit<float> fit(network, training, &validation, options, threads);
  while (!fit.ended()) fit.step();
  for (std::size_t e = 1; e < fit.records().size(); ++e) {
    const EpochRecord& r = fit.records()[e];
    std::printf("%s, images: epoch %.3f s, loss %.4f, accuracy %.4f, settled %.6f, evaluations %.1f\n",
                text.c_str(), r.seconds, r.loss, r.score, r.settled, r.evaluations);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace irn::bench

int main(int count, char** words) {
  using namespace irn;
  Device device{Device::Kind::cuda};
  bool of_images = false, of_convolutions = false;
  std::vector<std::size_t> hidden;
  try {
    for (int k = 1; k < count; ++k) {
      const std::string_view word = words[k];
      if (word == "--device" && k + 1 < count)
        device = from_text<Device>(words[++k]);
      else if (word == "--images")
        of_images = true;
      else if (word == "--convolutions")
        of_convolutions = true;
      else
        hidden.push_back(std::strtoull(words[k], nullptr, 10));
    }
    if (hidden.empty())
      hidden = of_images ? std::vector<std::size_t>{128} : std::vector<std::size_t>{256, 1024};
    check_device(device);
    ThreadPool threads(0);
    if (of_convolutions) {
      const std::string layers = "1x28x28-40k5s2relu-80k5s2relu-160k3s2relu-10identity/none";
      for (const char* loops : {"+3:3=conv1", "+1:1=conv1+2:2=conv1+3:3=conv1"})
        bench::time_epochs(device, layers + loops, 128, threads);
      return 0;
    }
    for (const std::size_t h : hidden)
      of_images
          ? bench::time_epochs(device, "784-" + std::to_string(h) + "relu-10identity/none+1:1", 1000, threads)
          : bench::time_steps(device, h, threads);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_cuda_training: %s\n", error.what());
    return 2;
  }
}
