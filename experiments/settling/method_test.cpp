// Every method on a small network: it keeps its promise, and its gradient is that of the function it lowers.
#include <gtest/gtest.h>

#include "experiments/settling/held_trainer.h"
#include "experiments/settling/monotone_operator.h"
#include "experiments/settling/row_bounds.h"
#include "irn/analysis/contraction.h"
#include "irn/base/random.h"
#include "irn/data/sample_table.h"
#include "irn/network/certificate.h"

namespace irn::experiments {
namespace {

SampleTable<double> samples(std::size_t count) {
  const Stream stream(5, 1);
  std::vector<double> x(count * 3), y(count * 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = stream.uniform(i, -2, 2);
  for (std::size_t i = 0; i < count; ++i) y[2 * i] = x[3 * i] > 0, y[2 * i + 1] = x[3 * i] * x[3 * i + 1] > 0;
  return SampleTable<double>(3, 2, std::move(x), std::move(y));
}

constexpr std::uint64_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

NetworkOf<double> network_of(const Method& m, Activation f, std::size_t size = 4) {
  return {architecture_for(m, 3, {{size, f}, {2}}, Recurrence::full), Start::paper, 3};
}

void shake(NetworkOf<double>& network, double width) {
  const Stream stream(9, 2);
  for (std::size_t i = 0; i < network.parameters().size(); ++i)
    network.parameters()[i] += stream.uniform(i, -width, width);
}

TEST(Method, NamesAreUniqueAndFound) {
  for (const Method& m : methods()) EXPECT_EQ(&method(m.name), &m) << m.name;
}

class EveryMethod : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Method& m = methods()[GetParam()];
  ThreadPool threads{1};
};

TEST_P(EveryMethod, KeepsWhatItPromisesAtARateThatBreaksFreeNetworks) {
  for (const Activation f : {Activation::sigmoid, Activation::tanh, Activation::relu}) {
    NetworkOf<double> network = network_of(m, f);
    HeldTrainer<double> trainer(network, {.optimiser = Adam{.rate = 0.3}}, m, threads);
    const SampleTable<double> table = samples(12);
    for (int step = 0; step < 60; ++step) trainer.step(table, all);
    const NetworkOf<double>& now = trainer.answering();
    if (m.hold == Hold::symmetric || m.hold == Hold::monotone) {
      EXPECT_TRUE(trainer.is_certified()) << name(f);
    } else if (m.hold == Hold::rows) {
      EXPECT_LT(contraction(now).flow.bound, m.bound + 1e-9) << name(f);
    } else if (m.name == "free") {
      EXPECT_FALSE(is_certified(now)) << name(f) << ": the others are not put to the test";
    }
    EXPECT_EQ(now.architecture().recurrent(), m.recurrent);
  }
}

INSTANTIATE_TEST_SUITE_P(Settling, EveryMethod, ::testing::Range<std::size_t>(0, methods().size()),
                         [](const auto& test) {
                           std::string name(methods()[test.param].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// dL / dw by central differences of any loss that is computed with a network of these parameters.
template <class Loss>
void expect_gradient(NetworkOf<double> network, std::span<const double> gradient, const Loss& loss) {
  double size = 0;
  for (const double g : gradient) size = std::max(size, std::abs(g));
  ASSERT_GT(size, 1e-3);
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    constexpr double h = 1e-5;
    double& w = network.parameters()[k];
    const double at = w;
    w = at + h;
    const double up = loss(network);
    w = at - h;
    const double down = loss(network);
    w = at;
    EXPECT_NEAR(gradient[k], (up - down) / (2 * h), 1e-6 * std::max(1.0, size)) << k;
  }
}

TEST(MonotoneOperator, GradientIsThatOfTheLoss) {
  const Method& m = method("monotone");
  ThreadPool threads(1);
  for (const Activation f : {Activation::sigmoid, Activation::tanh}) {
    NetworkOf<double> network = network_of(m, f);
    start_monotone(network, m.bound);
    for (const double a : network.dense_a())
      EXPECT_LT(std::abs(a), 1.0);  // forward blocks; the monotone ones start as zero
    shake(network, 0.4);
    ASSERT_TRUE(is_certified(network));
    const SampleTable<double> table = samples(12);
    const auto loss = [&](const NetworkOf<double>& now) {
      NetworkOf<double> copy = now;
      Trainer<double> trainer(copy, {.gradient = {.settle = {.tolerance = 1e-13}}}, threads);
      return trainer.look(table, all).loss;
    };
    // The gradient follows from a step of plain descent.
    NetworkOf<double> moved = network;
    Trainer<double> trainer(
        moved, {.gradient = {.settle = {.tolerance = 1e-13}}, .optimiser = Sgd{.rate = 1}}, threads);
    trainer.step(table, all);
    std::vector<double> gradient;
    for (std::size_t k = 0; k < moved.parameters().size(); ++k)
      gradient.push_back(network.parameters()[k] - moved.parameters()[k]);
    expect_gradient(network, gradient, loss);
  }
}

TEST(PenalisedTrainer, GradientIsThatOfLossAndPenalty) {
  ThreadPool threads(1);
  const SampleTable<double> table = samples(12);
  for (const Penalty penalty : {Penalty::jacobian, Penalty::fold})
    for (const Activation f : {Activation::sigmoid, Activation::tanh, Activation::softplus}) {
      NetworkOf<double> network = network_of(method("free"), f);
      shake(network, 0.15);
      const TrainOptions options{.gradient = {.settle = {.tolerance = 1e-13}}};
      // Relative to the first loss, which must be the same for all.
      const double unit =
          PenalisedTrainer<double>(network, options, penalty, 1, threads).look(table, all).loss;
      NetworkOf<double> moved = network;
      PenalisedTrainer<double> trainer(moved, options, penalty, 2, threads);
      StepReport report = trainer.look(table, all);
      EXPECT_GT(trainer.penalised_loss(), report.loss);
      trainer.apply(report);
      expect_gradient(network, trainer.gradient(), [&](const NetworkOf<double>& now) {
        NetworkOf<double> copy = now;
        Trainer<double> plain(copy, options, threads);
        const double loss = plain.look(table, all).loss;
        PenalisedTrainer<double> penalised(copy, options, penalty, 2 * unit / loss, threads);
        penalised.look(table, all);
        return penalised.penalised_loss();
      });
    }
}

TEST(BoundRows, ScalesRowsThatAreTooLargeAndNoOthers) {
  NetworkOf<double> network = network_of(method("rows"), Activation::tanh);
  EXPECT_FALSE(bound_rows(network, 0.9));
  shake(network, 3);
  const std::vector<double> before = network.dense_b();
  ASSERT_GT(contraction(network).flow.bound, 1);
  EXPECT_TRUE(bound_rows(network, 0.9));
  EXPECT_NEAR(contraction(network).flow.bound, 0.9, 1e-9);
  EXPECT_EQ(network.dense_b(), before);
  EXPECT_FALSE(bound_rows(network, 0.9 + 1e-9));
}

TEST(HeldTrainer, AveragesTheWeightsOfItsSteps) {
  const Method& m = method("averaged");
  ThreadPool threads(1);
  NetworkOf<double> network = network_of(m, Activation::tanh);
  HeldTrainer<double> trainer(network, {}, m, threads);
  const SampleTable<double> table = samples(12);
  std::vector<double> sum(network.parameters().size());
  for (int step = 0; step < 5; ++step) {
    trainer.step(table, all);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += network.parameters()[k] / 5;
  }
  for (std::size_t k = 0; k < sum.size(); ++k)
    EXPECT_NEAR(trainer.answering().parameters()[k], sum[k], 1e-12);
}

// Each neuron feeds the next more strongly than A + A^T < 2 allows, with little feedback.
NetworkOf<double> chain() {
  NetworkOf<double> network(Architecture(1, {{5, Activation::tanh}}, Recurrence::lateral), Start::paper, 1);
  std::fill(network.parameters().begin(), network.parameters().end(), 0.0);
  for (const Block& b : network.architecture().blocks())
    for (std::size_t i = 0; b.from == b.to && i < 4; ++i) {
      network.parameters()[b.weights + (i + 1) * 5 + i] = 2;
      network.parameters()[b.weights + i * 5 + i + 1] = 0.05;
    }
  return network;
}

TEST(WeightedCertifier, WeightsLeaveAloneAChainThatOnesCut) {
  const auto changed = [](Weights weights) {
    NetworkOf<double> network = chain();
    WeightedCertifier<double> certifier(network.architecture(), 0.95, weights);
    EXPECT_FALSE(certifier.is_certified(network));
    certifier.hold(network);
    EXPECT_TRUE(certifier.is_certified(network));
    double sum = 0;
    for (std::size_t k = 0; k < network.parameters().size(); ++k)
      sum += std::abs(network.parameters()[k] - chain().parameters()[k]);
    return sum;
  };
  EXPECT_GT(changed(Weights::ones), 1);
  EXPECT_LT(changed(Weights::optimised), 0.5 * changed(Weights::ones));
  EXPECT_LT(changed(Weights::balanced), 1e-12);
}

TEST(HeldTrainer, ShortenedStepsLoseNoSampleOfTheirBatch) {
  ThreadPool threads(1);
  const SampleTable<double> table = samples(12);
  std::size_t lost = 0;
  for (const char* name : {"free", "shortened"}) {
    NetworkOf<double> network = network_of(method(name), Activation::relu);
    HeldTrainer<double> trainer(network, {.optimiser = Adam{.rate = 0.3}}, method(name), threads);
    lost = 0;
    for (int step = 0; step < 60; ++step) lost += 12 - trainer.step(table, all).settled;
    if (!method(name).shortened) {
      EXPECT_GT(lost, 0u) << "the other is not put to the test";
    }
  }
  EXPECT_EQ(lost, 0u);
}

TEST(HeldTrainer, LoopsTakeLongerSteps) {
  ThreadPool threads(1);
  const SampleTable<double> table = samples(12);
  NetworkOf<double> plain = network_of(method("certified-95"), Activation::tanh), faster = plain;
  const NetworkOf<double> start = plain;
  HeldTrainer<double>(plain, {}, method("certified-95"), threads).step(table, all);
  HeldTrainer<double>(faster, {}, method("faster-4"), threads).step(table, all);
  for (const Block& b : start.architecture().blocks())
    for (std::size_t k = b.weights; k < b.weights + b.parameters; ++k) {
      const bool on_loop = b.from > 0;  // every layer reaches every other
      const double moved = plain.parameters()[k] - start.parameters()[k];
      EXPECT_NEAR(faster.parameters()[k] - start.parameters()[k], (on_loop ? 4 : 1) * moved, 1e-12);
    }
}

}  // namespace
}  // namespace irn::experiments
