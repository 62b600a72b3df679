#include "irn/analysis/certificates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "irn/analysis/equilibria_of.h"
#include "irn/network/certificate.h"
#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

using Kind = CertificateKind;

// Tanh neurons with these weights among them, row-major.
NetworkOf<double> lateral(std::vector<double> a) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(a.size()))));
  std::vector<double> parameters(n, 1.0);  // from the input
  parameters.insert(parameters.end(), a.begin(), a.end());
  parameters.resize(parameters.size() + n);
  return NetworkOf<double>(from_text<Architecture>("1-" + std::to_string(n) + "tanh/lateral"), parameters);
}
double bound(const NetworkOf<double>& network, Kind kind) { return certificates(network)[kind].bound; }

// Recomputes what a certificate of diagonal stability claims: lambda_max of (D M D^-1 + transposed) / 2 with
// D^2 = P.
double claimed(const NetworkOf<double>& network, const std::vector<double>& p) {
  const PlainNetwork plain(network);
  Eigen::MatrixXd m = plain.a;
  for (Eigen::Index i = 0; i < m.rows(); ++i) m.row(i) *= max_slope(plain.f[std::size_t(i)]);
  const Eigen::VectorXd d = as_vector<double>(p).cwiseSqrt();
  const Eigen::MatrixXd x = d.asDiagonal() * m * d.cwiseInverse().asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>((x + x.transpose()) / 2).eigenvalues().maxCoeff();
}

TEST(Certificates, TheBestDiagonalOfTwoNeuronsIsKnown) {
  // Mutual excitation balances to the root of the product: lambda = 0.2 +- sqrt(0.09 * 4).
  EXPECT_NEAR(bound(lateral({0.2, 4, 0.09, 0.2}), Kind::diagonal_stability), 0.8, 1e-3);
  // One neuron excites, the other inhibits: weights make the remainder of both as small as one likes, and
  // only the diagonal is left.
  EXPECT_NEAR(bound(lateral({0.5, 6, -0.1, 0.3}), Kind::diagonal_stability), 0.5, 1e-2);
  // A symmetric matrix needs no weights.
  EXPECT_NEAR(bound(lateral({0.1, 0.7, 0.7, 0.1}), Kind::diagonal_stability), 0.8, 1e-3);
  EXPECT_NEAR(bound(lateral({3}), Kind::diagonal_stability), 3, 1e-9);
}

TEST(Certificates, ANetworkThatThePlainWeightsMissIsCertified) {
  const NetworkOf<double> network = lateral({0.2, 4, 0.09, 0.2});
  EXPECT_FALSE(is_certified(network));
  const Certificates found = certificates(network);
  EXPECT_GT(found.plain_bound, 1);
  EXPECT_TRUE(found[Kind::diagonal_stability].holds);
  EXPECT_TRUE(found[Kind::weighted_maximum_norm].holds);
  EXPECT_FALSE(found[Kind::maximum_norm].holds);
  EXPECT_FALSE(found[Kind::euclidean_norm].holds);
  EXPECT_TRUE(found[Kind::iteration].holds);
  EXPECT_EQ(found.strongest()->kind, Kind::diagonal_stability);
}

TEST(Certificates, TheBestWeightedMaximumNormIsPerronsEigenvalue) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-6tanh"), seed, 2);
    Eigen::MatrixXd n = PlainNetwork(network).a.cwiseAbs();
    EXPECT_NEAR(bound(network, Kind::iteration), n.eigenvalues().cwiseAbs().maxCoeff(), 1e-6) << seed;
    n.diagonal() = PlainNetwork(network).a.diagonal();
    EXPECT_NEAR(bound(network, Kind::weighted_maximum_norm), std::max(0.0, n.eigenvalues().real().maxCoeff()),
                1e-6)
        << seed;
  }
}

TEST(Certificates, TheEuclideanNormIsTheLargestSingularValue) {
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-6"), 3, 2);
  EXPECT_NEAR(bound(network, Kind::euclidean_norm),
              0.25 * PlainNetwork(network).a.jacobiSvd().singularValues()[0], 1e-9);
}

// For all kinds of networks: the maximum norm is that of contraction.h; P is what it claims to be and never
// worse than the plain one; what implies diagonal stability does so here.
TEST(Certificates, BoundsOfEveryArchitectureFitEachOther) {
  std::uint64_t seed = 60;
  for (const Architecture& architecture : all_architectures())
    for (const double gain : {0.7, 2.0}) {
      const NetworkOf<double> network = random_network<double>(architecture, ++seed, gain);
      const Certificates found = certificates(network);
      const std::string what = to_text(architecture);
      const Certificate& diagonal = found[Kind::diagonal_stability];
      if (irn::loops(architecture).empty()) {
        for (const Certificate& certificate : found.all) EXPECT_TRUE(certificate.holds) << what;
        continue;
      }
      EXPECT_LE(found[Kind::maximum_norm].bound, contraction(network).flow.bound + 1e-12) << what;
      EXPECT_LE(found[Kind::weighted_maximum_norm].bound, found[Kind::maximum_norm].bound + 1e-9) << what;
      EXPECT_LE(diagonal.bound, found.plain_bound + 1e-12) << what;
      EXPECT_NEAR(found.plain_bound, certificate_bound(network), 1e-9) << what;
      EXPECT_LE(diagonal.bound, found[Kind::euclidean_norm].bound + 1e-3) << what;
      EXPECT_LE(diagonal.bound, std::max(0.0, found[Kind::iteration].bound) + 1e-3) << what;
      for (const Certificate& certificate : found.all)
        EXPECT_EQ(certificate.holds, certificate.bound < 1) << what << ": " << name(certificate.kind);
    }
}

TEST(Certificates, ThePOfDiagonalStabilityIsOne) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-7tanh"), seed, 3);
    const Certificates found = certificates(network);
    const Certificate& diagonal = found[Kind::diagonal_stability];
    EXPECT_NEAR(claimed(network, diagonal.weights), diagonal.bound, 1e-9) << seed;
    EXPECT_LT(diagonal.bound, found.plain_bound) << seed;
    // No nearby p is better: in 100 directions, small and large steps.
    for (std::uint64_t k = 0; k < 100; ++k) {
      std::vector<double> other = diagonal.weights;
      const std::vector<double> r = random_numbers<double>(7, 100 * seed + k);
      for (std::size_t i = 0; i < 7; ++i) other[i] *= std::exp((k % 2 ? 0.1 : 1) * r[i]);
      EXPECT_GE(claimed(network, other), diagonal.bound - 1e-3) << seed;
    }
  }
}

// A certified network has one equilibrium; all starts lead there.
TEST(Certificates, ACertifiedNetworkHasOneEquilibrium) {
  std::size_t certified = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-6tanh"), seed, 2.2);
    if (!certificates(network)[Kind::diagonal_stability].holds) continue;
    const EquilibriaOf found =
        equilibria_of<double>(network, random_numbers<double>(2, seed), {.starts = 32});
    ASSERT_EQ(found.equilibria.size(), 1u) << seed;
    EXPECT_EQ(found.equilibria[0].starts, found.starts) << seed;
    ++certified;
  }
  EXPECT_GE(certified, 4u);
}

TEST(Certificates, AtTheEdgeNothingIsClaimed) {
  const NetworkOf<double> network = lateral({1});
  for (const Certificate& certificate : certificates(network).all) {
    EXPECT_NEAR(certificate.bound, 1, 1e-12);
    EXPECT_FALSE(certificate.holds) << name(certificate.kind);
  }
  const double below = std::nextafter(1.0, 0.0);
  for (const Certificate& certificate : certificates(lateral({below})).all) EXPECT_FALSE(certificate.holds);
  for (const Certificate& certificate : certificates(lateral({1 - 1e-12})).all)
    EXPECT_TRUE(certificate.holds);
}

// An entry that cancels is 1.5 in truth and 0 when multiplied out in double precision.
TEST(Certificates, WhatRoundingHidesIsNotProven) {
  constexpr double large = 1 << 30;
  const std::vector<double> inputs(3, 1.0), biases(3),
      left = {large, 1, large, 0, 0, 0, 0, 0, 0},  // its first row, and the first column on the right
      right = {large, 0, 0, 1.5, 0, 0, -large, 0, 0};
  std::vector<double> parameters;
  for (const auto& part : {inputs, right, left, biases})
    parameters.insert(parameters.end(), part.begin(), part.end());
  const NetworkOf<double> network(from_text<Architecture>("1-3relu/lateral=lowrank3"), parameters);
  ASSERT_EQ(network.dense_a()[0], 0);
  EXPECT_FALSE(is_certified(network));
  for (const Certificate& certificate : certificates(network).all)
    EXPECT_FALSE(certificate.holds) << name(certificate.kind);
}

TEST(Certificates, AtRestIsTheLinearisationThere) {
  const NetworkOf<double> network = lateral({0, -3, 3, 0});
  const StateStability rest = certificates(network).at_rest;  // tanh'(0) = 1
  EXPECT_NEAR(rest.abscissa(), -1, 1e-12);
  EXPECT_NEAR(std::abs(rest.rightmost().imag()), 3, 1e-12);
}

TEST(Certificates, EachSaysWhatItPromises) {
  for (std::size_t k = 0; k < certificate_names.size(); ++k)
    EXPECT_NE(promise(static_cast<Kind>(k)).find("one equilibrium"), std::string_view::npos);
}

}  // namespace
}  // namespace irn
