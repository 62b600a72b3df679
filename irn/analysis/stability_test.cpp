#include "irn/analysis/stability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "irn/analysis/trajectory.h"
#include "tests/support/architectures.h"
#include "tests/support/fixed_point_catalogue.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

using Complex = std::complex<double>;

// Eigenvalues of the whole matrix D A - I, rightmost first.
std::vector<Complex> plain_eigenvalues(const PlainNetwork& plain, const Eigen::VectorXd& z,
                                       const Eigen::VectorXd& x) {
  Eigen::MatrixXd g = plain.jacobian(plain.map(z, x));
  g.diagonal().array() -= 1;
  const Eigen::VectorXcd values = g.eigenvalues();
  std::vector<Complex> all(values.begin(), values.end());
  std::sort(all.begin(), all.end(), [](const Complex& a, const Complex& b) {
    return std::abs(a.real() - b.real()) > 1e-9 ? a.real() > b.real() : a.imag() > b.imag();
  });
  return all;
}

TEST(Stability, EigenvaluesLoopByLoopAreThoseOfTheWholeMatrix) {
  for (const Architecture& architecture : all_architectures()) {
    const NetworkOf<double> network = random_network<double>(architecture, 23, 3);
    const std::vector<double> x = random_numbers<double>(architecture.inputs(), 5),
                              z = random_numbers<double>(architecture.neurons(), 6);
    const StateStability found = stability<double>(network, x, z);
    const PlainNetwork plain(network);
    const auto expected = plain_eigenvalues(plain, as_vector<double>(z), as_vector<double>(x));
    ASSERT_EQ(found.eigenvalues.size(), expected.size()) << to_text(architecture);
    EXPECT_TRUE(found.complete);
    // Neurons on no loop form whole groups of eigenvalues -1, which a dense solver scatters by the root of
    // its rounding.
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(found.eigenvalues[k].real(), expected[k].real(), 1e-3) << to_text(architecture);
    if (found.abscissa() > -0.99) {
      EXPECT_NEAR(found.abscissa(), expected.front().real(), 1e-9) << to_text(architecture);
    }
  }
}

// z0 = -w z1 + 1, z1 = w z0: eigenvalues -1 +- i w.
TEST(Stability, ATurningPairHasItsTimeConstantAndFrequency) {
  for (const double w : {1., 16., 60., 87.}) {
    const NetworkOf<double> network(from_text<Architecture>("1-2identity/lateral"),
                                    {0, 0, 0, -w, w, 0, 1, 0});
    const std::vector<double> z = {1 / (1 + w * w), w / (1 + w * w)};
    const StateStability found = stability<double>(network, std::vector<double>{0}, z);
    EXPECT_TRUE(found.attracts());
    EXPECT_NEAR(found.time_constant(), 1, 1e-9);
    EXPECT_NEAR(found.frequency(), w / (2 * std::numbers::pi), 1e-9);
    EXPECT_NEAR(found.distance(1e-5), 1e-5, 1e-13);
    EXPECT_EQ(found.unstable(), 0u);
  }
}

TEST(Stability, TheCatalogueHasTheSlopesOfItsMaps) {
  for (const FixedPointCase& c : fixed_point_catalogue())
    for (std::size_t k = 0; k < c.equilibria.size(); ++k) {
      const StateStability found = stability(c.problem, 0, c.equilibria[k]);
      // The flow's own answer attracts; if the flow has no answer, no equilibrium does.
      if (k == 0 || !c.flow_settles) {
        EXPECT_EQ(found.attracts(), c.flow_settles) << c.name;
      }
      Problem by_differences = c.problem;
      by_differences.jacobian = {};
      EXPECT_NEAR(stability(by_differences, 0, c.equilibria[k]).abscissa(), found.abscissa(), 1e-6) << c.name;
    }
}

TEST(Stability, TheModeIsAnEigenvector) {
  for (const char* text : {"2-9tanh", "2-5tanh-4/lateral", "3-4-3-2/none+2:2"}) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), 3, 4);
    const PlainNetwork plain(network);
    const Eigen::VectorXd x = Eigen::VectorXd::Constant(plain.b.cols(), 0.3);
    const Eigen::VectorXd z = plain.flow_limit(x, 0.1, 500);
    const StateStability found = stability<double>(network, {x.data(), std::size_t(x.size())},
                                                   {z.data(), std::size_t(z.size())}, {.modes = true});
    ASSERT_EQ(found.mode.size(), network.architecture().neurons());
    Eigen::VectorXcd v(z.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) v[i] = found.mode[std::size_t(i)];
    const Eigen::VectorXcd gv = plain.jacobian(plain.map(z, x)).cast<Complex>() * v - v;
    Eigen::Index most = 0;
    v.cwiseAbs().maxCoeff(&most);
    const Complex value = gv[most] / v[most];
    EXPECT_TRUE(std::any_of(found.eigenvalues.begin(), found.eigenvalues.end(), [&](const Complex& e) {
      return std::abs(e - value) < 1e-9;
    })) << text;
    // Neurons behind the loop follow its mode, and are not part of it.
    for (Eigen::Index i = 0; i < z.size(); ++i)
      EXPECT_TRUE(v[i] == 0.0 || std::abs(gv[i] - value * v[i]) <= 1e-9) << text;
    EXPECT_NEAR(v.norm(), 1, 1e-12);
  }
}

// Wide networks: the estimate by products, compared with all eigenvalues of the matrix.
TEST(Stability, TheEstimateByProductsFindsTheRightmost) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const NetworkOf<double> network =
        random_network<double>(from_text<Architecture>("4-150tanh-20/lateral"), seed, 4);
    const std::vector<double> x = random_numbers<double>(4, seed), z(170, 0.1);
    const StateStability all = stability<double>(network, x, z);
    const StateStability some = stability<double>(network, x, z, {.dense = 10});
    EXPECT_FALSE(some.complete);
    EXPECT_NEAR(some.abscissa(), all.abscissa(), 1e-5) << seed;
    EXPECT_NEAR(std::abs(some.rightmost().imag()), std::abs(all.rightmost().imag()), 1e-4) << seed;
    EXPECT_LT(some.error, 1e-4) << seed;
  }
}

TEST(Stability, ANetworkWithoutLoopsFallsByItself) {
  const NetworkOf<float> network(from_text<Architecture>("3-300tanh-2/none"), Start::paper, 1);
  const StateStability found = stability<float>(network, std::vector<float>(3), std::vector<double>(302));
  EXPECT_EQ(found.eigenvalues.size(), 302u);
  EXPECT_EQ(found.rightmost(), Complex(-1));
  EXPECT_EQ(found.time_constant(), 1);
}

// A state pushed off its equilibrium moves as the eigenvalues say.
TEST(Stability, AgreesWithTheFlowNearEveryEquilibrium) {
  std::size_t attracting = 0, repelling = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-7tanh"), seed, 8);
    const PlainNetwork plain(network);
    const std::vector<double> x = random_numbers<double>(2, seed + 7);
    Eigen::VectorXd z = as_vector<double>(random_numbers<double>(7, seed + 9));
    for (int k = 0; k < 30; ++k) z = plain.polish(z, as_vector<double>(x));
    if (!(plain.residual(z, as_vector<double>(x)) < 1e-12)) continue;
    const std::vector<double> at(z.begin(), z.end());
    const StateStability found = stability<double>(network, x, at, {.modes = true});
    if (std::abs(found.abscissa()) < 0.02) continue;
    std::vector<double> pushed = at;
    for (std::size_t i = 0; i < 7; ++i) pushed[i] += 1e-6 * found.mode[i].real();
    const double start = 1e-6, end = 3 / std::abs(found.abscissa());
    const Trajectory path = trajectory(network_problem<double>(network, x), 0, pushed,
                                       {.end = end, .error = 1e-11, .at_rest = 0});
    const double distance = (as_vector<double>(path.last()) - z).norm();
    // e^3 = 20 one way or the other; a turning mode may be at any point of its turn.
    EXPECT_TRUE(found.attracts() ? distance < 0.3 * start : distance > 3 * start)
        << distance << ", seed " << seed;
    ++(found.attracts() ? attracting : repelling);
  }
  EXPECT_GE(attracting, 5u);
  EXPECT_GE(repelling, 5u);
}

}  // namespace
}  // namespace irn
