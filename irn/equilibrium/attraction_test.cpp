// Whether searches say that an equilibrium attracts or repels, compared with the eigenvalues of J - I.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "irn/base/random.h"
#include "irn/equilibrium/cpu_settler.h"
#include "tests/support/plain_network.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

// Weights of A of standard deviation gain / sqrt(n); `turning` is the share of their antisymmetric part.
NetworkOf<double> wild_network(std::size_t n, const char* activation, double gain, double turning,
                               std::uint64_t seed) {
  NetworkOf<double> network(from_text<Architecture>("5-" + std::to_string(n) + activation), Start::scaled,
                            seed);
  const Stream stream(seed, 5);
  for (const Block& block : network.architecture().blocks())
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        const auto draw = [&](std::size_t r, std::size_t c) {
          return stream.normal(block.weights + r * block.cols + c);
        };
        network.parameters()[block.weights + i * block.cols + j] =
            block.from_input() ? draw(i, j)
                               : gain / std::sqrt(double(n)) *
                                     ((1 - turning) * draw(i, j) + turning * (draw(i, j) - draw(j, i)));
      }
  return network;
}

double rightmost(const PlainNetwork& plain, std::span<const double> state) {
  return Eigen::MatrixXd(plain.jacobian(as_vector(state))).eigenvalues().real().maxCoeff() - 1;
}

struct Counts {
  std::size_t attract = 0, repel = 0;                      // by their eigenvalues
  std::size_t confirmed = 0, undecided = 0, rejected = 0;  // of these, by the search
};

// Equilibria found by Newton's method without confirmation, and the verdicts of a search that begins there.
Counts counts_of(const NetworkOf<double>& network, const Solver& solver, std::uint64_t seed,
                 std::size_t decide_up_to = dense_limit) {
  ThreadPool threads(1);
  const SampleTable<double> samples = random_samples<double>(5, 100, seed);
  const Equilibria<double> found =
      CpuSettler<double>(network, {.solver = Newton{}, .confirm = false}, threads).settle(samples);
  const Equilibria<double> said =
      CpuSettler<double>(network, {.solver = solver, .decide_up_to = decide_up_to}, threads)
          .settle(samples, found.states);
  const PlainNetwork plain(network);
  Counts counts;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    if (!found.settled(s)) continue;
    const double rate = rightmost(plain, found.state(s));
    if (std::abs(rate) < 1e-5) continue;
    const Verdict& verdict = said.verdicts[s];
    ++(rate < 0 ? counts.attract : counts.repel);
    counts.undecided += verdict.stability == Stability::undecided;
    counts.confirmed += rate < 0 && verdict.stability == Stability::attracts;
    counts.rejected += rate > 0 && verdict.outcome == Outcome::repels;
    EXPECT_FALSE(rate > 0 && verdict.stability == Stability::attracts)
        << to_text(solver) << " sample " << s << ", rate " << rate;
    EXPECT_FALSE(rate < 0 && verdict.outcome == Outcome::repels)
        << to_text(solver) << " sample " << s << ", rate " << rate;
  }
  return counts;
}

Counts operator+(Counts a, const Counts& b) {
  return {a.attract + b.attract, a.repel + b.repel, a.confirmed + b.confirmed, a.undecided + b.undecided,
          a.rejected + b.rejected};
}

TEST(Attraction, EigenvaluesDecideWhereThereAreFactors) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const double gain : {3.0, 10.0, 40.0})  // rotates up to forty times as fast as it decays
      counts = counts + counts_of(wild_network(7, "tanh", gain, 1, seed), Newton{}, seed);
    for (const double gain : {1.5, 2.0, 3.0})
      counts = counts + counts_of(wild_network(7, "tanh", gain, 0, seed), Newton{}, seed);
    for (const double gain : {8.0, 12.0})
      counts = counts + counts_of(wild_network(20, "", gain, 0, seed), Newton{}, seed);
  }
  EXPECT_GE(counts.attract, 500u) << "too few to say anything";
  EXPECT_GE(counts.repel, 200u) << "too few to say anything";
  EXPECT_EQ(counts.undecided, 0u);
  EXPECT_EQ(counts.confirmed, counts.attract);
  EXPECT_EQ(counts.rejected, counts.repel);
}

// Beyond dense_limit there are only products with J.
TEST(Attraction, ProductsAloneTellWhatRepels) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const double gain : {6.0, 10.0, 13.0, 16.0})
      counts = counts + counts_of(wild_network(60, "", gain, 0, seed), Anderson{}, seed);
  EXPECT_GE(counts.attract, 500u) << "too few to say anything";
  EXPECT_GE(counts.repel, 10u) << "too few to say anything";
  EXPECT_GE(double(counts.confirmed), 0.7 * double(counts.attract)) << "of " << counts.attract;
}

TEST(Attraction, EigenvaluesDecideInLargerNetworksWhereThatIsAskedFor) {
  Counts counts;
  for (const double gain : {6.0, 10.0, 13.0, 16.0})
    counts = counts + counts_of(wild_network(60, "", gain, 0, 3), Anderson{}, 3, 60);
  EXPECT_GE(counts.attract, 100u) << "too few to say anything";
  EXPECT_GE(counts.repel, 1u) << "too few to say anything";
  EXPECT_EQ(counts.undecided, 0u);
  EXPECT_EQ(counts.confirmed, counts.attract);
  EXPECT_EQ(counts.rejected, counts.repel);
}

}  // namespace
}  // namespace irn
