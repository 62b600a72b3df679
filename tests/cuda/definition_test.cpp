// A CUDA device compared with definitions in plain code: problems with known answers, the flow that a search
// must follow, differences that a gradient must equal.
#include <gtest/gtest.h>

#include <numeric>

#include "irn/engine/batch_gradient.h"
#include "irn/engine/settler.h"
#include "tests/cuda/on_cuda.h"
#include "tests/support/fidelity.h"
#include "tests/support/fixed_point_catalogue.h"

namespace irn {
namespace {

class DefinitionOnCuda : public OnCuda {};

using Values = std::vector<double>;

// z = f(A z + c) from a start; the state where the flow comes to rest, or nothing if it does not. Problems of
// tests/support/fixed_point_catalogue.h that are networks.
struct Known {
  const char* name;
  const char* f;
  Values a, c, start, answer;
};
// F(z) = A z + c with the given answer.
Known linear(const char* name, const Values& a, const Values& answer) {
  const std::size_t n = answer.size();
  Values c = answer;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) c[i] -= a[i * n + j] * answer[j];
  return {name, "identity", a, c, Values(n, 0.0), answer};
}

std::vector<Known> known_problems() {
  using namespace catalogue_detail;
  const double lower = logistic_equilibrium(10, -5, 0, 0.3), upper = tanh_equilibrium(3);
  return {
      linear("the only unknown of a contraction", {0.5}, {2}),
      linear("a contraction", {0.3, -0.2, 0.1, 0.1, 0.4, -0.3, -0.2, 0.1, 0.2}, {1, -2, 0.5}),
      linear("the start is the answer", {0.5, 0.1, -0.2, 0.3}, {0, 0}),
      linear("a rotation that expands", {0, -1.5, 1.5, 0}, {1, 2}),
      linear("a fast rotation", {0, -5, 5, 0}, {1, 2}),
      linear("a stiff mode", {-50, 0, 0, 0.5}, {1, 1}),
      {"a neuron that runs away", "identity", {1.5}, {1}, {0}, {}},
      {"a logistic neuron", "sigmoid", {2, 0, 0, 2}, {-1, -1}, {0, 0}, {0.5, 0.5}},
      {"a neuron that inhibits itself",
       "sigmoid",
       {-20, 0, 0, -20},
       {3, 3},
       {0, 0},
       Values(2, logistic_equilibrium(-20, 3, 0, 1))},
      {"the lower of three equilibria", "sigmoid", {10, 0, 0, 10}, {-5, -5}, {0, 0}, {lower, lower}},
      {"the upper of three equilibria",
       "sigmoid",
       {10, 0, 0, 10},
       {-5, -5},
       {0.6, 0.6},
       {1 - lower, 1 - lower}},
      {"the upper equilibrium from just above the unstable one", "tanh", {3}, {0}, {0.1}, {upper}},
      {"the lower equilibrium from just below the unstable one", "tanh", {3}, {0}, {-0.01}, {-upper}},
      {"a pair of logistic neurons that turn", "sigmoid", {0, -12, 12, 0}, {6, -6}, {0, 0}, {0.5, 0.5}},
      {"a pair of neurons in a cycle", "tanh", {2, -4, 4, 2}, {0, 0}, {0.3, 0}, {}},
  };
}

// `copies` of the problem side by side in one network, so that other layouts of a sample in threads are
// tested.
template <class T>
NetworkOf<T> network_of(const Known& known, std::size_t copies) {
  const std::size_t n = known.c.size(), all = n * copies;
  NetworkOf<T> network(from_text<Architecture>("1-" + std::to_string(all) + known.f + "/lateral"),
                       Start::scaled, 1);
  std::ranges::fill(network.parameters(), T(0));
  for (const Block& block : network.architecture().blocks())
    for (std::size_t i = 0; i < all && !block.from_input(); ++i)
      for (std::size_t j = i / n * n; j < i / n * n + n; ++j)
        network.parameters()[block.weights + i * block.cols + j] = static_cast<T>(known.a[i % n * n + j % n]);
  for (std::size_t i = 0; i < all; ++i)
    network.parameters()[network.architecture().biases() + i] = static_cast<T>(known.c[i % n]);
  return network;
}

template <class T>
void solves_known_problems(ThreadPool& threads, double near) {
  for (const Known& known : known_problems())
    for (const std::size_t copies : {1, 8, 20}) {
      SCOPED_TRACE(std::string(known.name) + ", copies: " + std::to_string(copies));
      const NetworkOf<T> network = network_of<T>(known, copies);
      const SampleTable<T> samples(1, 0, std::vector<T>(3, T(0)), {});
      std::vector<T> starts;
      for (std::size_t i = 0; i < known.c.size() * copies; ++i)
        starts.push_back(static_cast<T>(known.start[i % known.start.size()]));
      const Equilibria<T> found =
          Settler<T>(network, {.device = cuda_device}, threads).settle(samples, starts);
      for (std::size_t s = 0; s < 3; ++s) {
        ASSERT_EQ(found.settled(s), !known.answer.empty()) << name(found.verdicts[s].outcome);
        for (std::size_t i = 0; i < starts.size() && found.settled(s); ++i)
          EXPECT_NEAR(double(found.state(s)[i]), known.answer[i % known.answer.size()], near);
      }
    }
}
TEST_F(DefinitionOnCuda, KnownProblemsInSinglePrecision) { solves_known_problems<float>(threads_, 1e-3); }
TEST_F(DefinitionOnCuda, KnownProblemsInDoublePrecision) { solves_known_problems<double>(threads_, 1e-6); }

template <class T>
Fidelity fidelity_of_device(ThreadPool& threads, double near) {
  return fidelity_on_strong_networks<T>(
      [&](const NetworkOf<T>& network, const SampleTable<T>& samples) {
        return Settler<T>(network, {.device = cuda_device}, threads).settle(samples);
      },
      near);
}
TEST_F(DefinitionOnCuda, FollowsTheFlowOfStrongNetworks) {
  const Fidelity counts = fidelity_of_device<double>(threads_, 1e-6);
  EXPECT_GE(counts.flow_settles, 1000u) << "too few to say anything";
  EXPECT_GE(double(counts.same), 0.999 * double(counts.flow_settles))
      << counts.same << " of " << counts.flow_settles;
  EXPECT_GE(counts.flow_moves, 40u) << "too few to say anything";
  EXPECT_EQ(counts.invented, 0u) << "of " << counts.flow_moves;
}
TEST_F(DefinitionOnCuda, FollowsTheFlowOfStrongNetworksInSinglePrecision) {
  const Fidelity counts = fidelity_of_device<float>(threads_, 1e-3);
  EXPECT_GE(double(counts.same), 0.995 * double(counts.flow_settles))
      << counts.same << " of " << counts.flow_settles;
  EXPECT_LE(counts.invented, 1u) << "of " << counts.flow_moves;
}

// sum over samples and outputs of c_k z_k, by the device's forward pass alone.
template <class T>
class Sum {
 public:
  Sum(const NetworkOf<T>& network, const SampleTable<T>& samples, double tolerance, ThreadPool& threads)
      : samples_(samples), settler_(network, {.tolerance = tolerance, .device = cuda_device}, threads) {}
  double of(const NetworkOf<T>& network) {
    settler_.update(network);
    const Equilibria<T> found = settler_.settle(samples_);
    const std::size_t outputs = network.architecture().outputs();
    double sum = 0;
    for (std::size_t s = 0; s < found.size(); ++s) {
      EXPECT_TRUE(found.settled(s));
      for (std::size_t k = 0; k < outputs; ++k) sum += slope(k) * double(found.state(s).last(outputs)[k]);
    }
    return sum;
  }
  static double slope(std::size_t k) { return k % 2 == 0 ? 1 : -0.5; }

 private:
  const SampleTable<T>& samples_;
  Settler<T> settler_;
};

// The gradient of a mean over samples compared with central differences, for every eleventh parameter or
// fewer: the largest error, relative to the largest entry.
template <class T>
double off_by_differences(const char* text, double gain, double tolerance, double h, ThreadPool& threads) {
  constexpr std::size_t count = 8;
  NetworkOf<T> network(from_text<Architecture>(text), Start::scaled, 3);
  for (T& weight : network.parameters()) weight *= static_cast<T>(gain);
  const Architecture& architecture = network.architecture();
  const SampleTable<T> samples = random_samples<T>(architecture.inputs(), count);
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  GradientOptions options;
  options.settle = {.tolerance = tolerance, .device = cuda_device};
  BatchGradient<T> gradient(network, options, threads);
  std::vector<T> slopes;
  for (std::size_t k = 0; k < count * architecture.outputs(); ++k)
    slopes.push_back(static_cast<T>(Sum<T>::slope(k % architecture.outputs())));
  const GradientResult<T> found = gradient.backward(gradient.forward(samples, index), slopes);
  Sum<T> sum(network, samples, tolerance, threads);
  double size = 0, off = 0;
  const std::size_t parameters = network.parameters().size(),
                    some = on_host() ? std::min<std::size_t>(parameters, 12) : parameters / 11;
  for (std::size_t k = 0; k < some; ++k) {
    const std::size_t p = k * parameters / some;
    const T before = network.parameters()[p];
    network.parameters()[p] = before + static_cast<T>(h);
    const double above = sum.of(network), wide = double(network.parameters()[p]);
    network.parameters()[p] = before - static_cast<T>(h);
    const double below = sum.of(network), step = wide - double(network.parameters()[p]);
    network.parameters()[p] = before;
    const double difference = (above - below) / step / double(count);
    size = std::max(size, std::abs(difference));
    off = std::max(off, std::abs(difference - double(found.parameters[p])));
  }
  return off / size;
}

TEST_F(DefinitionOnCuda, GradientsAreDifferencesOfTheForwardPass) {
  for (const char* text : {"10-5-2", "10-20-2", "5-40-4", "6-80tanh-4identity/lateral"})
    EXPECT_LE(off_by_differences<double>(text, 1.2, 1e-12, 1e-4, threads_), 1e-5) << text;
}
// Where rounding allows a few digits.
TEST_F(DefinitionOnCuda, GradientsAreDifferencesOfTheForwardPassInSinglePrecision) {
  for (const char* text : {"10-5-2", "10-20-2"})
    EXPECT_LE(off_by_differences<float>(text, 1.2, 3e-6, 0.05, threads_), 0.02) << text;
}

}  // namespace
}  // namespace irn
