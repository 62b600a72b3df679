#include "experiments/iterated_gradient.h"

#include <fmt/format.h>

#include <cmath>

#include "irn/base/random.h"
#include "irn/engine/batch_gradient.h"
#include "irn/engine/settler.h"

namespace irn::experiments {
namespace {

constexpr std::size_t inputs = 4;

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

// The gradient of one sample, for the loss g z with g = 1, 1/2, 1/3, ...
std::vector<double> gradient_of(const NetworkOf<double>& network, const Samples<double>& samples,
                                const Gradient& gradient, ThreadPool& threads) {
  const std::uint64_t sample = 0;
  BatchGradient<double> batch(network, {.gradient = gradient, .settle = {.tolerance = 1e-14}}, threads);
  const Forward<double> forward = batch.forward(samples, std::span(&sample, 1));
  std::vector<double> slopes(network.architecture().outputs());
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = 1 / double(i + 1);
  return batch.backward(forward, slopes).parameters;
}

std::vector<double> relative_differences(const NetworkOf<double>& network, const Samples<double>& samples,
                                         const Watch& watch) {
  ThreadPool threads(1);
  const std::vector<double> exact = gradient_of(network, samples, ExactGradient{}, threads);
  std::vector<double> differences;
  for (const std::size_t n : unrolled_iterations) {
    watch.check();
    std::vector<double> d = gradient_of(network, samples, UnrolledGradient{n}, threads);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= exact[i];
    differences.push_back(norm(d) / norm(exact));
  }
  return differences;
}

// The growth of |(D A)^k v| for each step, once the largest eigenvalues dominate. A complex pair rotates v;
// the mean over many steps evens that out.
double spectral_radius(const NetworkOf<double>& network, const Samples<double>& samples) {
  ThreadPool threads(1);
  Settler<double> settler(network, {}, threads);
  const Equilibria<double> states = settler.settle(samples);
  const std::vector<double> a = network.dense_a();
  const std::size_t n = states.neurons;
  std::vector<double> v(n, 1), next(n);
  double logs = 0;
  constexpr int ignored = 200, counted = 800;
  for (int step = 0; step < ignored + counted; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      const double y = states.state(0)[i];
      next[i] = 0;
      for (std::size_t j = 0; j < n; ++j) next[i] += y * (1 - y) * a[i * n + j] * v[j];
    }
    const double growth = norm(next);
    for (std::size_t i = 0; i < n; ++i) v[i] = next[i] / growth;
    if (step >= ignored) logs += std::log(growth);
  }
  return std::exp(logs / counted);
}

bool plain_iteration_settles(const NetworkOf<double>& network, const Samples<double>& samples) {
  ThreadPool threads(1);
  Settler<double> settler(network, {.solver = FixedPoint{}}, threads);
  return settler.settle(samples).settled(0);
}

}  // namespace

Json compare_gradients(const Protocol& p, const Ensemble& e, const Watch& watch) {
  const Stream seeds(p.seed, 0x756e726f6c6c);  // "unroll"
  Json all = Json::array();
  for (std::size_t k = 0; k < networks_an_ensemble; ++k) {
    const std::uint64_t seed = seeds.bits(k);
    const auto network = random_network<double>(fmt::format("{}-{}", inputs, e.size), seed, e.weights);
    const auto samples = random_samples<double>(1, inputs, seed);
    all.push_back({{"settles", plain_iteration_settles(network, samples)},
                   {"radius", spectral_radius(network, samples)},
                   {"differences", relative_differences(network, samples, watch)}});
  }
  return all;
}

}  // namespace irn::experiments
