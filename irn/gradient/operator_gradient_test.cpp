// Networks with blocks that are not dense, operators of the caller's among them, have the same answers as the
// dense network with the same matrix, and by the chain rule the same gradients.
#include <gtest/gtest.h>

#include "irn/base/error.h"
#include "irn/data/sample_table.h"
#include "irn/gradient/cpu_gradient.h"
#include "irn/network/own_operator.h"
#include "tests/support/plain_network.h"
#include "tests/support/random_images.h"

namespace irn {
namespace {

// Weights that depend on the distance only: w_ij = w_|i-j|, for distances up to 2.
struct Near : OwnOperatorOf<Near> {
  explicit Near(std::size_t size) : n(size) {}
  std::size_t parameters() const override { return 3; }
  template <class T, class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        if (i + d < n) visit(i, i + d, d);
        if (d > 0 && i >= d) visit(i, i - d, d);
      }
  }
  template <class T>
  void multiply(const T* w, std::size_t width, const T* v, T* out) const {
    each<T>([&](std::size_t i, std::size_t j, std::size_t d) {
      for (std::size_t s = 0; s < width; ++s) out[i * width + s] += w[d] * v[j * width + s];
    });
  }
  template <class T>
  void multiply_transposed(const T* w, std::size_t width, const T* v, T* out) const {
    multiply(w, width, v, out);  // symmetric
  }
  template <class T>
  void add_gradient(const T*, const T* u, const T* v, T* gradient) const {
    each<T>([&](std::size_t i, std::size_t j, std::size_t d) { gradient[d] += u[i] * v[j]; });
  }
  std::size_t n;
};

template <class T>
SampleTable<T> inputs_of(const Architecture& architecture, std::size_t samples) {
  return SampleTable<T>(architecture.inputs(), 0, random_numbers<T>(samples * architecture.inputs(), 3), {});
}

// The dense network with the same matrices.
NetworkOf<double> multiplied_out(const NetworkOf<double>& network) {
  Architecture dense = network.architecture();
  for (const Block& b : network.architecture().blocks()) dense.connect(b.from, b.to, Dense{});
  std::vector<double> values(dense.parameters());
  const std::vector<double> a = network.dense_a(), b = network.dense_b();
  for (const Block& block : dense.blocks())
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j)
        values[block.weights + i * block.cols + j] =
            block.from_input() ? b[(block.row + i) * dense.inputs() + j]
                               : a[(block.row + i) * dense.neurons() + block.col + j];
  std::copy(network.parameters().begin() + static_cast<std::ptrdiff_t>(network.architecture().biases()),
            network.parameters().end(), values.begin() + static_cast<std::ptrdiff_t>(dense.biases()));
  return NetworkOf<double>(dense, values);
}

const std::vector<std::string> texts = {"5-9-3/lateral=diagonal",
                                        "5-9-3/full=lowrank2",
                                        "5-60tanh-3/lateral=lowrank3",
                                        "5-60-3/none+1:1=near+0:1=lowrank3",
                                        "5-120-3/full=lowrank2+1:1=near",
                                        "1x4x4-2k3tanh-3/none+1:1=conv3",
                                        "1x8x8-3k3tanh-4k3s2tanh-5-3/none+2:2=conv3+1:3",
                                        "4-40tanh-30tanh-30-3/none+2:2",
                                        "2x6x6-4k3s2tanh-4k3s2-pool2-3/none+1:1=conv3+2:2=conv1+2:1=tconv3s2",
                                        "1x5x5-3k3x1tanh-up2-2k3s2p0-3/none+2:2=conv3g3+3:1=conv2p1"};

std::vector<std::string> random_texts() {
  RandomImages random(1);
  std::vector<std::string> all;
  for (int k = 0; k < 16; ++k) all.push_back(random.network(300));
  return all;
}

class OperatorNetwork : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    register_operator(
        "near", [](std::size_t rows, std::size_t, std::size_t) { return std::make_shared<Near>(rows); });
  }
  ThreadPool threads{2};
};

TEST_P(OperatorNetwork, SettlesWhereTheDenseNetworkOfItsMatrixDoes) {
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>(GetParam()), 11, 0.8);
  const SampleTable<double> samples = inputs_of<double>(network.architecture(), 33);
  const auto found = CpuSettler<double>(network, {.tolerance = 1e-12}, threads).settle(samples);
  const auto dense =
      CpuSettler<double>(multiplied_out(network), {.tolerance = 1e-12}, threads).settle(samples);
  for (std::size_t s = 0; s < found.size(); ++s) {
    ASSERT_TRUE(found.settled(s));
    for (std::size_t i = 0; i < found.neurons; ++i) EXPECT_NEAR(found.state(s)[i], dense.state(s)[i], 1e-10);
  }
}

TEST_P(OperatorNetwork, HasTheGradientOfItsOwnNumbers) {
  const Architecture architecture = from_text<Architecture>(GetParam());
  NetworkOf<double> network = random_network<double>(architecture, 11, 0.8);
  const SampleTable<double> samples = inputs_of<double>(architecture, 5);
  const std::vector<std::uint64_t> index = {0, 1, 2, 3, 4};
  const std::vector<double> slopes = random_numbers<double>(5 * architecture.outputs(), 8);
  const auto loss = [&](const NetworkOf<double>& net) {
    const auto states = CpuSettler<double>(net, {.tolerance = 1e-13}, threads).settle(samples);
    double sum = 0;
    for (std::size_t s = 0; s < 5; ++s)
      for (std::size_t k = 0; k < architecture.outputs(); ++k)
        sum += slopes[s * architecture.outputs() + k] * states.state(s)[architecture.first_output() + k] / 5;
    return sum;
  };
  CpuGradient<double> gradient(network, {.settle = {.tolerance = 1e-12}}, threads);
  const std::vector<double> found = gradient.backward(gradient.forward(samples, index), slopes).parameters;
  for (std::size_t p = 0; p < architecture.parameters(); p += 1 + architecture.parameters() / 60) {
    constexpr double step = 1e-5;
    NetworkOf<double> above = network, below = network;
    above.parameters()[p] += step, below.parameters()[p] -= step;
    const double difference = (loss(above) - loss(below)) / (2 * step);
    EXPECT_NEAR(found[p], difference, 1e-7 + 1e-5 * std::abs(difference)) << "parameter " << p;
  }
}

TEST_P(OperatorNetwork, HasTheSameBitsAloneAndInAnyBatch) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>(GetParam()), 11, 1.5);
  const SampleTable<float> samples = inputs_of<float>(network.architecture(), 41);
  CpuSettler<float> settler(network, {}, threads);
  const auto together = settler.settle(samples);
  for (std::uint64_t s = 0; s < samples.size(); s += 7) {
    Equilibria<float> alone;
    settler.settle(samples, std::vector<std::uint64_t>{s}, alone);
    EXPECT_TRUE(std::equal(alone.states.begin(), alone.states.end(), together.state(s).begin()))
        << "sample " << s;
  }
}

TEST_P(OperatorNetwork, IsNeverMultipliedOutBeyondTheDenseLimit) {
  const NetworkOf<float> network = random_network<float>(from_text<Architecture>(GetParam()), 11, 0.8);
  if (network.architecture().neurons() <= dense_limit || network.architecture().dense()) GTEST_SKIP();
  EXPECT_TRUE(CpuSettler<float>(network, {}, threads).packed().dense_a.empty());
  EXPECT_THROW(CpuSettler<float>(network, {.solver = Newton{}}, threads), Error);
}

INSTANTIATE_TEST_SUITE_P(Patterns, OperatorNetwork, ::testing::ValuesIn(texts));
INSTANTIATE_TEST_SUITE_P(RandomImages, OperatorNetwork, ::testing::ValuesIn(random_texts()));

}  // namespace
}  // namespace irn
