#include "irn/analysis/family.h"

#include <gtest/gtest.h>

#include "irn/base/error.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

struct Values {
  Eigen::VectorXd value, slope;
  PlainNetwork::Matrix jacobian;

  Values(const Family& family, const Eigen::VectorXd& z, double p)
      : value(z.size()), slope(z.size()), jacobian(z.size(), z.size()) {
    const std::size_t n = family.size();
    family.evaluate({z.data(), n}, p, {value.data(), n}, {jacobian.data(), n * n}, {slope.data(), n});
  }
};

void expect_derivatives(const Family& family, const Eigen::VectorXd& z, double p, const std::string& what) {
  const double h = 1e-6;
  const Values here(family, z, p);
  const Eigen::VectorXd by_p = (Values(family, z, p + h).value - Values(family, z, p - h).value) / (2 * h);
  EXPECT_LT((by_p - here.slope).cwiseAbs().maxCoeff(), 1e-7) << what;
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(z.size(), j);
    const Eigen::VectorXd by_z = (Values(family, z + e, p).value - Values(family, z - e, p).value) / (2 * h);
    EXPECT_LT((by_z - here.jacobian.col(j)).cwiseAbs().maxCoeff(), 1e-7) << what;
  }
}

TEST(Family, IsTheNetworkWithOneThingMoved) {
  for (const char* text : {"2-4tanh-2", "2-3softplus-3-2identity/lateral",
                           "2-5tanh-1identity/none+1:1=lowrank2", "2-4-2/lateral=diagonal"}) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), 3, 2);
    const PlainNetwork plain(network);
    const std::vector<double> x = {0.4, -0.7}, direction = {-1, 2};
    const Eigen::VectorXd z = as_vector<double>(random_numbers<double>(network.architecture().neurons(), 5));
    const Eigen::VectorXd input = as_vector<double>(x);

    const auto over_input = family_over_input(network, x, direction);
    EXPECT_LT(
        (Values(*over_input, z, 0.3).value - plain.map(z, input + 0.3 * as_vector<double>(direction))).norm(),
        1e-12);
    expect_derivatives(*over_input, z, 0.3, text);

    const auto gain = family_over_gain(network, x);
    EXPECT_LT((Values(*gain, z, 1).value - plain.map(z, input)).norm(), 1e-12);
    expect_derivatives(*gain, z, 0.6, text);

    for (std::size_t k = 0; k < network.architecture().parameters(); ++k) {
      const auto over_parameter = family_over_parameter(network, x, k);
      const double own = network.parameters()[k];
      EXPECT_LT((Values(*over_parameter, z, own).value - plain.map(z, input)).norm(), 1e-12) << text << k;
      expect_derivatives(*over_parameter, z, own + 0.2, text);
    }
  }
}

TEST(Family, WithoutItsLoopsANetworkIsForward) {
  const NetworkOf<float> network =
      random_network<float>(from_text<Architecture>("2-4tanh-2identity/lateral"), 3, 2);
  const auto gain = family_over_gain(network, std::vector{1.0, 1.0});
  const Values here(*gain, Eigen::VectorXd::Ones(6), 0);
  EXPECT_EQ(here.jacobian.leftCols(4).topRows(4).norm(), 0);
  EXPECT_EQ(here.jacobian.rightCols(2).norm(), 0);
  EXPECT_GT(here.jacobian.bottomLeftCorner(2, 4).norm(), 0);
  EXPECT_EQ(gain->groups().size(), 2u);
}

TEST(Family, WhatDoesNotFitIsRefused) {
  const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-4tanh-2"), 3, 2);
  const std::vector<double> x = {0, 0}, wrong = {0};
  EXPECT_THROW(family_over_input(network, wrong, x), Error);
  EXPECT_THROW(family_over_input(network, x, wrong), Error);
  EXPECT_THROW(family_over_gain(network, wrong), Error);
  EXPECT_THROW(family_over_parameter(network, x, network.architecture().parameters()), Error);
}

}  // namespace
}  // namespace irn
