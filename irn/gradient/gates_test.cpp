// Samples with gates (data/samples.h): a network whose neuron i has the gate m_i is the network with column i
// of A multiplied by m_i.
#include <gtest/gtest.h>

#include "irn/base/error.h"
#include "tests/support/architectures.h"
#include "tests/support/batch_gradient.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

// Rows with gates of 0 and 2, different ones for each.
class GatedTable : public SampleTable<double> {
 public:
  GatedTable(const Architecture& architecture, std::size_t samples)
      : SampleTable(architecture.inputs(), 0, random_numbers<double>(samples * architecture.inputs(), 3), {}),
        neurons_(architecture.neurons()) {}
  std::size_t gates() const override { return neurons_; }
  void gates_as_rows(std::span<const std::uint64_t> index, double* out) const override {
    for (const std::uint64_t s : index)
      for (std::size_t i = 0; i < neurons_; ++i) *out++ = Stream(5, s).uniform(i) < 0.4 ? 0 : 2;
  }

 private:
  std::size_t neurons_;
};

SampleTable<double> row_of(const GatedTable& table, std::uint64_t row) {
  std::vector<double> inputs(table.inputs());
  table.inputs_as_rows({&row, 1}, inputs.data());
  return {table.inputs(), 0, std::move(inputs), {}};
}
std::vector<double> gates_of(const GatedTable& table, std::uint64_t row) {
  std::vector<double> gates(table.gates());
  table.gates_as_rows({&row, 1}, gates.data());
  return gates;
}

// Multiplies the columns of all dense blocks of A, in a network's weights or in their gradient.
void multiply_columns(const Architecture& architecture, std::span<const double> gates,
                      std::span<double> weights) {
  for (const Block& block : architecture.blocks())
    for (std::size_t k = 0; !block.from_input() && k < block.parameters; ++k)
      weights[block.weights + k] *= gates[block.col + k % block.cols];
}

const std::vector<std::uint64_t> three = {0, 1, 2};

std::vector<double> slopes_for(const Architecture& architecture, std::size_t samples) {
  return random_numbers<double>(samples * architecture.layers().back().size, 4);
}

void expect_same_as_multiplied(const Architecture& architecture, const Gradient& gradient) {
  SCOPED_TRACE(to_text(gradient) + " on " + to_text(architecture));
  ThreadPool threads(1);
  const auto network = random_network<double>(architecture, 7, 0.45);  // with gates of 2 it still contracts
  const GatedTable samples(architecture, 3);
  const std::vector<double> slopes = slopes_for(architecture, 3);
  const std::size_t n = architecture.neurons(), seen = slopes.size() / 3;
  GradientOptions options = tight(gradient);
  CpuGradient<double> batch(network, options, threads);
  const Forward<double> forward = batch.forward(samples, three);
  const GradientResult<double> result = batch.backward(forward, slopes);
  ASSERT_EQ(result.used, 3u);
  std::vector<double> sum(architecture.parameters());
  for (std::size_t s = 0; s < 3; ++s) {
    const std::vector<double> gates = gates_of(samples, s);
    NetworkOf<double> multiplied = network;
    multiply_columns(architecture, gates, multiplied.parameters());
    CpuGradient<double> alone(multiplied, options, threads);
    const std::uint64_t first = 0;
    const Forward<double> found = alone.forward(row_of(samples, s), {&first, 1});
    GradientResult<double> one = alone.backward(found, std::span(slopes).subspan(s * seen, seen));
    multiply_columns(architecture, gates, one.parameters);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(forward.equilibria.state(s)[i], found.equilibria.state(0)[i], 1e-11);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one.parameters[k] / 3;
    EXPECT_LE(relative_error(std::span(result.inputs).subspan(s * architecture.inputs()), one.inputs), 1e-9);
  }
  EXPECT_LE(relative_error(result.parameters, sum), 1e-9);
}

TEST(Gates, StatesAndGradientsAreThoseOfTheNetworkWithItsColumnsMultiplied) {
  std::vector<Architecture> all = all_architectures();
  // too wide for factored matrices; the second network in stages
  for (const char* text : {"4-100tanh-3", "5-60tanh-50relu-40softplus-3identity/none+2:2"})
    all.push_back(from_text<Architecture>(text));
  for (const Architecture& architecture : all)
    if (architecture.dense())
      for (const Gradient& gradient : {Gradient(ExactGradient{}), Gradient(SemiGradient{}),
                                       Gradient(TruncatedGradient{.terms = 3, .damping = 0.5})})
        expect_same_as_multiplied(architecture, gradient);
}

// sum_s slopes_s . z_s / samples over the last layer, where z_s is the equilibrium with the sample's gates,
// on dense matrices.
double plain_loss(const NetworkOf<double>& network, const GatedTable& samples,
                  const Equilibria<double>& nearby, std::span<const double> slopes) {
  double loss = 0;
  const std::size_t seen = slopes.size() / nearby.size();
  for (std::size_t s = 0; s < nearby.size(); ++s) {
    PlainNetwork plain(network);
    std::vector<double> gates = gates_of(samples, s), inputs(samples.inputs());
    plain.a = plain.a * Eigen::Map<Eigen::VectorXd>(gates.data(), plain.a.cols()).asDiagonal();
    samples.inputs_as_rows({&three[s], 1}, inputs.data());
    const auto x = Eigen::Map<const Eigen::VectorXd>(inputs.data(), Eigen::Index(inputs.size()));
    const Eigen::VectorXd z =
        plain.polish(Eigen::Map<const Eigen::VectorXd>(nearby.state(s).data(), plain.a.cols()), x);
    for (std::size_t k = 0; k < seen; ++k)
      loss += slopes[s * seen + k] * z(z.size() - Eigen::Index(seen - k)) / double(nearby.size());
  }
  return loss;
}

// Convolutions: the second layer in a loop, the first before it and the third behind it.
TEST(Gates, GradientsOfConvolutionsAgreeWithCentralDifferences) {
  ThreadPool threads(1);
  const auto architecture =
      from_text<Architecture>("1x6x6-3k3softplus-3k3s2tanh-2k3tanh-2identity/none+2:2=conv3");
  const auto network = random_network<double>(architecture, 7, 0.45);
  const GatedTable samples(architecture, 3);
  const std::vector<double> slopes = slopes_for(architecture, 3);
  CpuGradient<double> batch(network, tight(ExactGradient{}), threads);
  const Forward<double> forward = batch.forward(samples, three);
  const GradientResult<double> result = batch.backward(forward, slopes);
  ASSERT_EQ(result.used, 3u);
  std::vector<double> differences(architecture.parameters());
  const double h = 1e-5;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    NetworkOf<double> more = network, less = network;
    more.parameters()[k] += h, less.parameters()[k] -= h;
    differences[k] = (plain_loss(more, samples, forward.equilibria, slopes) -
                      plain_loss(less, samples, forward.equilibria, slopes)) /
                     (2 * h);
  }
  EXPECT_LE(relative_error(result.parameters, differences), 1e-7);
}

TEST(Gates, RefusesWhatDoesNotHaveThem) {
  ThreadPool threads(1);
  const auto architecture = from_text<Architecture>("3-4-2");
  const auto network = random_network<double>(architecture, 7, 0.45);
  CpuGradient<double> unrolled(network, {.gradient = UnrolledGradient{.steps = 4}}, threads);
  EXPECT_EQ(refusal([&] { unrolled.forward(GatedTable(architecture, 3), three); }),
            "gradient unrolled:steps=4 does not have dropout; take exact, semi or truncated");
  CpuSettler<double> settler(network, {}, threads);
  EXPECT_EQ(refusal([&] { settler.settle(GatedTable(from_text<Architecture>("3-5-2"), 3)); }),
            "the samples have 7 gates, network 3-4-2 has 6 neurons");
}

}  // namespace
}  // namespace irn
