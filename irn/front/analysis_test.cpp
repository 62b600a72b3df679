// The analysis of a single state, and branches, through the front door.
#include <cmath>

#include <gtest/gtest.h>

#include "irn/irn.h"

namespace irn {
namespace {

// z = tanh(2 z + x): at x = 0 three equilibria, of which 0 repels.
Network neuron(Precision precision) {
  Network network("1-1tanh", {.precision = precision});
  const std::vector<double> parameters = {1, 2, 0};
  network.set_parameters({parameters, 3});
  return network;
}
const std::vector<double> zero = {0};

TEST(FrontAnalysis, TheJacobianIsThatOfTheFlow) {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    const Network network = neuron(precision);
    EXPECT_DOUBLE_EQ(flow_jacobian(network, {zero, 1}, {zero, 1})[0], 2 - 1);
    const StateStability at_zero = stability(network, {zero, 1}, {zero, 1});
    EXPECT_EQ(at_zero.attraction(), Attraction::repels);
    EXPECT_DOUBLE_EQ(at_zero.abscissa(), 1);
    const std::vector<double> x = {0.5}, z = {0.3};
    const double f = std::tanh(2 * 0.3 + 0.5);
    EXPECT_NEAR(flow_jacobian(network, {x, 1}, {z, 1})[0], 2 * (1 - f * f) - 1, 1e-12);
  }
}

TEST(FrontAnalysis, ATrajectoryEndsWhereTheNetworkSettles) {
  Network network = neuron(Precision::float64);
  const std::vector<double> x = {0.2}, below = {-0.9};
  const Trajectory way = trajectory(network, {x, 1});
  EXPECT_TRUE(way.at_rest);
  EXPECT_NEAR(way.last()[0], network.settle({x, 1}).states()(0, 0), 1e-7);
  EXPECT_LT(trajectory(network, {x, 1}, {below, 1}).last()[0], -0.5);
}

// dx/dz = 0 of x = atanh(z) - 2 z: z = +-sqrt(1/2).
TEST(FrontAnalysis, BranchesOverAnInputHaveTheFoldsOfTheFormula) {
  const double fold = std::abs(std::atanh(std::sqrt(0.5)) - 2 * std::sqrt(0.5));
  const std::vector<Branch> found =
      branches(along_input(neuron(Precision::float64), {zero, 1}, 0), {.low = -1, .high = 1});
  ASSERT_EQ(found.size(), 1u);  // one S
  ASSERT_EQ(found[0].turnings.size(), 2u);
  for (const TurningPoint& turning : found[0].turnings) EXPECT_NEAR(std::abs(turning.p), fold, 1e-6);
  const std::vector<Branch> gain =
      branches(along_gain(neuron(Precision::float64), {zero, 1}), {.low = 0, .high = 1});
  EXPECT_GE(gain.size(), 2u);  // rest, and what branches off it at 1/2
}

TEST(FrontAnalysis, WhatDoesNotFitIsRefused) {
  const Network network = neuron(Precision::float32);
  const std::vector<double> two = {0, 0};
  EXPECT_THROW(flow_jacobian(network, {two, 2}, {zero, 1}), Error);
  EXPECT_THROW(stability(network, {zero, 1}, {two, 2}), Error);
  EXPECT_THROW(trajectory(network, {zero, 1}, {two, 2}), Error);
  EXPECT_THROW(along_input(network, {zero, 1}, 1), Error);
}

}  // namespace
}  // namespace irn
