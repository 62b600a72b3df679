#include "irn/analysis/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "irn/analysis/network_problem.h"
#include "irn/base/error.h"
#include "tests/support/architectures.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

TEST(Sensitivity, AgreesWithDifferencesOfTheEquilibrium) {
  std::uint64_t seed = 40;
  for (const Architecture& architecture : all_architectures()) {
    const NetworkOf<double> network = random_network<double>(architecture, ++seed, 0.8);
    const PlainNetwork plain(network);
    const Eigen::VectorXd x = as_vector<double>(random_numbers<double>(architecture.inputs(), seed));
    const Eigen::VectorXd z = plain.polish(plain.flow_limit(x, 0.5, 400, 1e-9), x);
    const Sensitivity found =
        sensitivity<double>(network, {x.data(), architecture.inputs()}, {z.data(), architecture.neurons()});
    ASSERT_EQ(found.slopes.size(), architecture.outputs() * architecture.inputs());
    Eigen::MatrixXd slopes(architecture.outputs(), architecture.inputs());
    for (std::size_t j = 0; j < architecture.inputs(); ++j) {
      Eigen::VectorXd above = x, below = x;
      above[Eigen::Index(j)] += 1e-5, below[Eigen::Index(j)] -= 1e-5;
      const Eigen::VectorXd change = (plain.polish(z, above) - plain.polish(z, below)) / 2e-5;
      slopes.col(Eigen::Index(j)) = change.tail(Eigen::Index(architecture.outputs()));
    }
    for (std::size_t k = 0; k < architecture.outputs(); ++k)
      for (std::size_t j = 0; j < architecture.inputs(); ++j)
        EXPECT_NEAR(found.slopes[k * architecture.inputs() + j], slopes(Eigen::Index(k), Eigen::Index(j)),
                    1e-7)
            << to_text(architecture);
    EXPECT_NEAR(found.norm, slopes.norm() == 0 ? 0 : slopes.jacobiSvd().singularValues()[0], 1e-6)
        << to_text(architecture);
  }
}

// z = w z + x, y = z: dy/dx = u = 1 / (1 - w).
TEST(Sensitivity, OfALinearNeuronItIsTheGain) {
  for (const double w : {-3.0, 0.5, 0.99}) {
    const NetworkOf<double> network(from_text<Architecture>("1-1identity"), {2, w, 0});
    const Sensitivity found =
        sensitivity<double>(network, std::vector<double>{1}, std::vector<double>{2 / (1 - w)});
    EXPECT_NEAR(found.norm, 2 / (1 - w), 1e-10 * found.norm);
    EXPECT_NEAR(found.amplification, 1 / (1 - w), 1e-10 * found.amplification);
  }
  const NetworkOf<double> fold(from_text<Architecture>("1-1identity"), {2, 1, 0});
  EXPECT_EQ(sensitivity<double>(fold, std::vector<double>{0}, std::vector<double>{0}).norm, HUGE_VAL);
}

TEST(Sensitivity, NamesTheInputThatMattersMost) {
  const NetworkOf<float> network(from_text<Architecture>("3-2tanh/none"), {0.1f, 2, 0, 0.3f, -3, 1, 0, 0});
  EXPECT_EQ(sensitivity<float>(network, std::vector<float>(3), std::vector<double>(2)).input, 1u);
}

TEST(Sensitivity, NetworksTooWideForAMatrixAreRefused) {
  const NetworkOf<float> network(from_text<Architecture>("3-400tanh"), Start::paper, 1);
  EXPECT_THROW(sensitivity<float>(network, std::vector<float>(3), std::vector<double>(400)), Error);
  EXPECT_THROW(sensitivity<float>(network, std::vector<float>(2), std::vector<double>(400)), Error);
}

}  // namespace
}  // namespace irn
