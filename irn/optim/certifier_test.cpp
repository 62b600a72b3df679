#include "irn/optim/certifier.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "irn/equilibrium/cpu_settler.h"
#include "tests/support/architectures.h"
#include "tests/support/refusal.h"
#include "tests/support/settle_samples.h"
#include "tests/support/solvers.h"

namespace irn {
namespace {

template <class T>
NetworkOf<T> held(const Architecture& architecture, double strength, double bound = 0.95) {
  NetworkOf<T> network = random_network<T>(architecture, 7, strength);
  Certifier<T>(architecture, bound).hold(network);
  return network;
}

std::vector<Architecture> recurrent_architectures() {
  std::vector<Architecture> all;
  for (const Architecture& a : all_architectures())
    if (a.recurrent()) all.push_back(a);
  for (const char* text :
       {"3-150tanh-2/lateral", "3-20relu-20tanh-2/full", "4-30softplus-3/none+1:1=lowrank4",
        "1x5x5-3k3relu-2/none+1:1=conv3", "1x6x6-2k3relu-3k3s2tanh-2/none+1:1=conv3+2:1=tconv3s2+2:2=conv1"})
    all.push_back(from_text<Architecture>(text));
  return all;
}

TEST(Certifier, BringsEveryNetworkToItsCertificate) {
  for (const Architecture& architecture : recurrent_architectures())
    for (const double strength : {1.0, 6.0}) {
      EXPECT_TRUE(is_certified(held<double>(architecture, strength))) << to_text(architecture);
      EXPECT_TRUE(is_certified(held<float>(architecture, strength))) << to_text(architecture);
    }
}

// With half of the neurons dropped, the others count double: hold() must allow for that.
TEST(Certifier, HoldsWhatGatesNeed) {
  for (const Architecture& architecture : recurrent_architectures()) {
    NetworkOf<float> network = random_network<float>(architecture, 7, 6);
    Certifier<float>(architecture, 0.475, 0.5).hold(network);
    if (certificate_bound(network) < 0.5) continue;
    ASSERT_TRUE(to_text(architecture).starts_with("1x"))
        << to_text(architecture);  // whose bounds are not sharp
    for (float& number : network.parameters()) number *= 2;
    EXPECT_TRUE(is_certified(network)) << to_text(architecture);
  }
  const auto small = from_text<Architecture>("1-1");
  EXPECT_EQ(refusal([&] { Certifier<float>(small, 0.6, 0.5); }),
            "a certificate's bound lies above 0 and at 0.4999995 at most");
  const double edge = std::nextafter(1.0, 0.0);
  EXPECT_NE(refusal([&] { Certifier<float>(small, edge); }), "") << "nothing that near could be proven";
}

// The nearest bound that is taken, with inhibition that costs the proof digits.
TEST(Certifier, ProvesWhatItHoldsAtTheLargestBound) {
  for (const Architecture& architecture : recurrent_architectures()) {
    NetworkOf<double> network = random_network<double>(architecture, 8, 300);
    Certifier<double>(architecture, largest_certified_bound).hold(network);
    EXPECT_TRUE(is_certified(network)) << to_text(architecture);
  }
}

TEST(Certifier, LeavesACertifiedNetworkAlone) {
  for (const Architecture& architecture : recurrent_architectures()) {
    NetworkOf<float> network = held<float>(architecture, 4);
    const std::vector<float> before(network.parameters().begin(), network.parameters().end());
    Certifier<float>(architecture, 0.95).hold(network);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), network.parameters().begin()))
        << to_text(architecture);
  }
}

// A small excess over the bound, also between the frequencies that are looked at first, is taken out; the
// kernels are not made small.
TEST(Certifier, KeepsTheKernelsOfImages) {
  const Architecture architecture = from_text<Architecture>("1x6x6-12k3relu-2/none+1:1=conv3");
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const double more : {1.03, 1.2}) {
      NetworkOf<double> network = random_network<double>(architecture, seed, 4);
      Certifier<double> certifier(architecture, 0.95);
      certifier.hold(network);
      for (double& number : network.parameters()) number *= more;
      const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(
          network.parameters().data(), Eigen::Index(network.parameters().size()));
      certifier.hold(network);
      EXPECT_TRUE(is_certified(network));
      const Eigen::VectorXd after =
          Eigen::Map<const Eigen::VectorXd>(network.parameters().data(), before.size());
      EXPECT_LE((after - before).norm(), 0.5 * (more - 1) * before.norm()) << seed << " " << more;
    }
}

// For a lateral block, which has every entry: the symmetric part goes to its nearest point, the rest stays.
TEST(Certifier, TakesOutWhatExceedsTheBoundAndNothingElse) {
  const Architecture architecture = from_text<Architecture>("2-12tanh-1/none+1:1");
  NetworkOf<double> network = random_network<double>(architecture, 3, 5);
  const Eigen::MatrixXd before = PlainNetwork(network).a.topLeftCorner(12, 12);
  Certifier<double>(architecture, 0.9).after_step(network, 16);
  const Eigen::MatrixXd after = PlainNetwork(network).a.topLeftCorner(12, 12);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(0.5 * (before + before.transpose()));
  ASSERT_GT(solver.eigenvalues().maxCoeff(), 0.9);
  const Eigen::MatrixXd nearest = solver.eigenvectors() * solver.eigenvalues().cwiseMin(0.9).asDiagonal() *
                                  solver.eigenvectors().transpose();
  EXPECT_LT((0.5 * (after + after.transpose()) - nearest).norm(), 1e-12);
  EXPECT_LT((after - after.transpose() - before + before.transpose()).norm(), 1e-12);
}

TEST(Certifier, LooksAtEverySixteenthStepAndAtLoopsOnly) {
  const Architecture architecture = from_text<Architecture>("2-20tanh-2identity/none+1:1");
  NetworkOf<double> network = random_network<double>(architecture, 3, 3);
  const std::vector<double> before(network.parameters().begin(), network.parameters().end());
  Certifier<double> certifier(architecture, 0.9);
  for (const std::uint64_t step : {1u, 15u, 17u}) certifier.after_step(network, step);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), network.parameters().begin()));
  certifier.after_step(network, 32);
  for (const Block& b : architecture.blocks()) {
    const bool same = std::equal(before.begin() + std::ptrdiff_t(b.weights),
                                 before.begin() + std::ptrdiff_t(b.weights + b.parameters),
                                 network.parameters().begin() + std::ptrdiff_t(b.weights));
    EXPECT_EQ(same, b.forward()) << Architecture::block_name(b);
  }
}

// What the certificate promises: the same state from every start and with every solver.
TEST(Certifier, CertifiedNetworksHaveOneEquilibriumThatEverySolverFinds) {
  constexpr std::size_t count = 12;
  ThreadPool threads(1);
  for (const Architecture& architecture : recurrent_architectures()) {
    const NetworkOf<double> network = held<double>(architecture, 5);
    const SampleTable<double> samples = random_samples<double>(architecture.inputs(), count);
    const std::vector<double> starts = random_numbers<double>(architecture.neurons() * count, 21);
    CpuSettler<double> fastest(network, {.certified = true}, threads);
    const Equilibria<double> answers = fastest.settle(samples);
    EXPECT_EQ(answers.summary().settled(), count) << to_text(architecture);
    std::vector<Solver> solvers = {Anderson{}, NewtonKrylov{}, RosenbrockKrylov{},
                                   RungeKutta45{.steps = 20'000}};
    if (architecture.neurons() <= dense_limit)
      for (const Solver& solver : {Solver(Newton{}), Solver(PseudoTransient{}), Solver(Rosenbrock{})})
        solvers.push_back(solver);
    for (const Solver& solver : solvers) {
      CpuSettler<double> settler(network, {.solver = solver}, threads);
      for (const bool elsewhere : {false, true}) {
        const Equilibria<double> other =
            settler.settle(samples, elsewhere ? std::span<const double>(starts) : std::span<const double>());
        if (follows_flow(solver)) {
          EXPECT_EQ(other.summary().settled(), count) << to_text(architecture) << to_text(solver);
        }
        for (std::size_t s = 0; s < count; ++s)
          for (std::size_t i = 0; other.settled(s) && i < architecture.neurons(); ++i)
            ASSERT_NEAR(other.state(s)[i], answers.state(s)[i], 1e-5 * (1 + std::abs(answers.state(s)[i])))
                << to_text(architecture) << " " << to_text(solver);
      }
    }
  }
}

TEST(Certifier, PullsByTheShareThatItIsTold) {
  const Architecture architecture = from_text<Architecture>("2-12tanh-1/none+1:1");
  const NetworkOf<double> start = random_network<double>(architecture, 3, 5);
  NetworkOf<double> whole = start, half = start, none = start;
  Certifier<double> certifier(architecture, 0.9);
  certifier.pull(whole, 1), certifier.pull(half, 0.5), certifier.pull(none, 0);
  ASSERT_GT(certificate_bound(start), 1.5);
  EXPECT_NEAR(certificate_bound(whole), 0.9, 1e-12);
  EXPECT_NEAR(certificate_bound(half), 0.5 * (0.9 + certificate_bound(start)), 1e-12);
  for (std::size_t k = 0; k < start.parameters().size(); ++k) {
    EXPECT_NEAR(half.parameters()[k], 0.5 * (start.parameters()[k] + whole.parameters()[k]), 1e-12);
    EXPECT_NEAR(none.parameters()[k], start.parameters()[k], 1e-12);
  }
}

TEST(Certifier, PullsWhatHasNoEntriesOfItsOwn) {
  const Architecture architecture = from_text<Architecture>("4-30softplus-3/none+1:1=lowrank4");
  NetworkOf<double> network = random_network<double>(architecture, 7, 6);
  const double before = certificate_bound(network);
  ASSERT_GT(before, 1);
  Certifier<double>(architecture, 0.9).pull(network, 0.5);
  EXPECT_NEAR(certificate_bound(network), 0.5 * (0.9 + before), 1e-9);
}

TEST(Certifier, LooksAtEveryStepOfAFewNeurons) {
  const Architecture architecture = from_text<Architecture>("2-2tanh/lateral");
  NetworkOf<double> network(architecture, {1, 1, 1, 1, 2, 3, -1, 1, 0, 0});
  ASSERT_GT(certificate_bound(network), 2.6);
  Certifier<double>(architecture, 0.9).after_step(network, 1);
  EXPECT_NEAR(certificate_bound(network), 0.9, 1e-12);
}

TEST(Certifier, RefusesBoundsThatPromiseNothing) {
  const Architecture architecture = from_text<Architecture>("2-6tanh-2/lateral");
  for (const double bound : {0.0, 1.0, -0.5, double(NAN)})
    EXPECT_NE(refusal([&] { Certifier<float>(architecture, bound); }), "");
}

}  // namespace
}  // namespace irn
