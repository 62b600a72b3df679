// Equilibria a second on a CUDA device, trained networks, `auto`, single precision, default tolerance. For each network a line:
//   device    samples in the device's memory, answers left there: the kernels alone
//   host      from the host's memory and back, all threads handing out
//   settled, evaluations, and how far the answers are from the processor's at most, over samples that both settle
//
//   bench_cuda [--device cuda:N] [--samples N] HIDDEN ...
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "bench/trained.h"
#include "irn/data/sample_table.h"
#include "irn/engine/cuda/load_module.h"
#include "irn/engine/devices.h"
#include "irn/engine/settler.h"
#include "irn/network/packed.h"

namespace irn::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SampleTable<float> samples_in_memory(std::size_t count) {
  const Oscillator<float> source(test_samples(count));
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  std::vector<float> inputs(count * source.inputs());
  source.inputs_as_rows(index, inputs.data());
  return SampleTable<float>(source.inputs(), 0, std::move(inputs), {});
}

// The shortest of several runs.
template <class Run>
double shortest(const Run& run) {
  double best = run();
  for (int k = 0; k < 5; ++k) best = std::min(best, run());
  return best;
}

double device_seconds(Device device, const NetworkOf<float>& network, const Solver& solver,
                      const SampleTable<float>& samples, std::size_t count) {
  const PackedNetwork<float> packed(network, {.dense_a = true, .dense_b = true});
  std::vector<Activation> neurons;
  bool bounded = true;
  for (const Layer& layer : network.architecture().layers()) {
    neurons.insert(neurons.end(), layer.size, layer.activation);
    bounded = bounded && is_bounded(layer.activation);
  }
  const auto search = cuda::loaded_module().module->search_in_float(
      {device.number,
       samples.inputs(),
       neurons,
       solver,
       {.tolerance = default_tolerance<float>(), .bounded = bounded},
       count});
  search->upload({packed.dense_a.data(), packed.dense_b.data(), packed.bias.data()});
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  samples.inputs_as_rows(index, search->inputs());
  std::vector<float> states(count * packed.neurons());
  std::vector<Verdict> verdicts(count);
  search->solve(count, false, states.data(), verdicts.data());
  return shortest([&] { return search->seconds_again(count); });
}

void run(Device device, std::size_t hidden, NetworkKind kind, std::size_t count, ThreadPool& threads) {
  const NetworkOf<float> network = trained<float>(hidden, kind);
  const SampleTable<float> samples = samples_in_memory(count);
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Settler<float> here(network, {}, threads), there(network, {.device = device}, threads);
  Equilibria<float> expected, found;
  here.settle(samples, index, expected);
  const double by_host = shortest([&] {
    const double start = now();
    there.settle(samples, index, found);
    return now() - start;
  });
  const double by_device = device_seconds(device, network, there.solver(), samples, count);
  double far = 0;
  std::size_t both = 0;
  for (std::size_t s = 0; s < count; ++s) {
    if (!expected.settled(s) || !found.settled(s)) continue;
    ++both;
    for (std::size_t i = 0; i < found.neurons; ++i)
      far = std::max(far, std::abs(double(expected.state(s)[i]) - double(found.state(s)[i])));
  }
  const Summary summary = found.summary();
  std::printf(
      "%4zu hidden, %-9s device %9.2f M/s  host %8.2f M/s  settled %.6f (processor %.6f, both %.6f)  evaluations %5.1f  "
      "apart %.2g\n",
      hidden, std::string(name(kind)).c_str(), double(count) / by_device * 1e-6, double(count) / by_host * 1e-6,
      summary.settled_share(), expected.summary().settled_share(), double(both) / double(count),
      summary.mean_evaluations, far);
  std::fflush(stdout);
}

}  // namespace
}  // namespace irn::bench

int main(int count, char** words) {
  using namespace irn;
  Device device{Device::Kind::cuda};
  std::size_t samples = std::size_t{1} << 20;
  std::vector<std::size_t> hidden;
  try {
    for (int k = 1; k < count; ++k) {
      const std::string_view word = words[k];
      if (word == "--device" && k + 1 < count)
        device = from_text<Device>(words[++k]);
      else if (word == "--samples" && k + 1 < count)
        samples = std::strtoull(words[++k], nullptr, 10);
      else
        hidden.push_back(std::strtoull(words[k], nullptr, 10));
    }
    if (hidden.empty()) hidden = {5, 20, 64};
    check_device(device);
    ThreadPool threads(0);
    for (const std::size_t h : hidden)
      for (const auto kind : {bench::NetworkKind::exact, bench::NetworkKind::semi, bench::NetworkKind::certified})
        bench::run(device, h, kind, h > 48 ? samples / 8 : samples, threads);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench_cuda: %s\n", error.what());
    return 2;
  }
}
