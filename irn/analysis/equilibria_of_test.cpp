#include "irn/analysis/equilibria_of.h"

#include <gtest/gtest.h>

#include <cmath>

#include "irn/analysis/fold_distance.h"
#include "irn/analysis/trajectory.h"
#include "irn/network/certificate.h"
#include "tests/support/fixed_point_catalogue.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
  return largest;
}

// y = tanh(A y + 0.1) + y / 2, A = [[1.1, 0.4], [0.3, 0.8]].
Problem five_equilibria() {
  static constexpr double a[2][2] = {{1.1, 0.4}, {0.3, 0.8}};
  return {.size = 2,
          .map =
              [](std::size_t, std::span<const double> y, std::span<double> f) {
                for (std::size_t i = 0; i < 2; ++i)
                  f[i] = std::tanh(a[i][0] * y[0] + a[i][1] * y[1] + 0.1) + y[i] / 2;
              },
          .jacobian =
              [](std::size_t, std::span<const double> y, std::span<double> j) {
                for (std::size_t i = 0; i < 2; ++i) {
                  const double s = std::tanh(a[i][0] * y[0] + a[i][1] * y[1] + 0.1);
                  for (std::size_t k = 0; k < 2; ++k) j[2 * i + k] = (1 - s * s) * a[i][k] + (i == k) * 0.5;
                }
              }};
}

TEST(EquilibriaOf, FindsAllFiveOfATanhMap) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const EquilibriaOf found = equilibria_of(five_equilibria(), 0, {.seed = seed, .degree = 1});
    ASSERT_EQ(found.equilibria.size(), 5u);
    EXPECT_EQ(found.stable(), 2u);
    EXPECT_EQ(found.degree, 1);
    EXPECT_FALSE(found.misses_some);
    EXPECT_TRUE(found.reached_from_rest());
    std::size_t starts = 0;
    for (const FoundEquilibrium& e : found.equilibria) {
      EXPECT_LE(e.residual, 1e-12);
      EXPECT_EQ(e.index, e.stability.unstable() == 1 ? -1 : 1);  // two nodes, two saddles, one source
      EXPECT_TRUE(e.stability.attracts() || e.starts == 0);
      starts += e.starts;
    }
    EXPECT_EQ(starts + found.unsettled, found.starts);
  }
}

TEST(EquilibriaOf, FindsEveryEquilibriumOfTheCatalogue) {
  for (const FixedPointCase& c : fixed_point_catalogue()) {
    if (c.name == "a map that is nowhere a number") continue;
    const EquilibriaOf found = equilibria_of(c.problem, 0, {.starts = 32});
    EXPECT_EQ(found.equilibria.size(), c.equilibria.size()) << c.name;
    for (const auto& expected : c.equilibria)
      EXPECT_TRUE(std::any_of(found.equilibria.begin(), found.equilibria.end(), [&](const auto& e) {
        return distance(e.state, expected) < 1e-8;
      })) << c.name;
    // A step of auto may pass a saddle on the wrong side.
    if (c.flow_settles && c.too_hard_for.empty()) {
      ASSERT_TRUE(found.reached_from_rest()) << c.name;
      EXPECT_LE(distance(found.equilibria[0].state, c.equilibria[0]), 1e-8) << c.name;
    }
    EXPECT_TRUE(c.flow_settles || !found.reached_from_rest()) << c.name;
  }
}

TEST(EquilibriaOf, NothingIsFoundWhereThereIsNothing) {
  const EquilibriaOf found = equilibria_of(
      catalogue_detail::scalar([](double z) { return z + 5e-4; }, [](double) { return 1.0; }), 0);
  EXPECT_TRUE(found.equilibria.empty());
  EXPECT_EQ(found.unsettled, found.starts);
  EXPECT_FALSE(found.edge);
}

TEST(EquilibriaOf, AWholeLineOfThemIsCutShort) {
  const EquilibriaOf found =
      equilibria_of(catalogue_detail::scalar([](double z) { return z; }, [](double) { return 1.0; }), 0,
                    {.starts = 16, .most = 10});
  EXPECT_LE(found.equilibria.size(), 10u);
}

// z_i = tanh(w z_i) for each of k unconnected neurons: three equilibria each, 3^k together, 2^k of them
// stable.
TEST(EquilibriaOf, FindsAllOfIndependentNeurons) {
  for (const std::size_t neurons : {1u, 2u, 3u}) {
    const Architecture architecture =
        from_text<Architecture>("1-" + std::to_string(neurons) + "tanh/lateral=diagonal");
    std::vector<double> parameters(architecture.parameters());
    for (std::size_t k = 0; k < neurons; ++k) parameters[neurons + k] = 2;
    for (std::size_t k = 0; k < neurons; ++k) parameters[2 * neurons + k] = 0.01;
    const EquilibriaOf found =
        equilibria_of<double>(NetworkOf<double>(architecture, parameters), std::vector<double>{0});
    EXPECT_EQ(found.equilibria.size(), std::size_t(std::pow(3, double(neurons))));
    EXPECT_EQ(found.stable(), std::size_t(1) << neurons);
    EXPECT_FALSE(found.misses_some);
  }
}

// tanh(w z) from a start s > 0: the edge is the saddle 0, s away, and s is also the nearest state of the
// path.
TEST(EquilibriaOf, TheEdgeOfTheBasinIsWhereItIsKnown) {
  for (const double s : {0.1, 0.01}) {
    const EquilibriaOf found = equilibria_of(catalogue_detail::tanh_neuron(3, s), 0);
    ASSERT_TRUE(found.edge);
    EXPECT_NEAR(found.edge->from_start, s, 1e-5);
    EXPECT_NEAR(found.edge->from_path, s, 1e-5);
    EXPECT_EQ(found.edge->time, 0);
  }
  // Past the saddle (0, 1), from (0.05, 0): the edge is the line z_0 = 0.
  const EquilibriaOf found = equilibria_of(catalogue_detail::passed_saddle(0.05), 0);
  ASSERT_TRUE(found.edge);
  EXPECT_GE(found.edge->from_path, 0.05 - 1e-6);
  EXPECT_LE(found.edge->from_path, found.edge->from_start);
}

// Just before the edge the flow ends as from rest; at the edge it does not settle, or at another equilibrium.
TEST(EquilibriaOf, TheEdgeSeparates) {
  const Problem problem = five_equilibria();
  const EquilibriaOf found = equilibria_of(problem, 0);
  ASSERT_TRUE(found.edge);
  const auto ends_at_home = [&](double share) {
    std::vector<double> from = found.edge->state;
    for (std::size_t i = 0; i < from.size(); ++i) from[i] += share * (found.edge->beyond[i] - from[i]);
    const Trajectory path = trajectory(problem, 0, from, {.end = 1000, .error = 1e-10});
    return distance({path.last().begin(), path.last().end()}, found.equilibria[0].state) < 1e-4;
  };
  EXPECT_TRUE(ends_at_home(0.999));
  const double to_target = distance(found.edge->beyond, found.equilibria[found.edge->towards].state);
  EXPECT_TRUE(to_target < 1e-5 || !ends_at_home(1));
}

TEST(EquilibriaOf, ACertifiedNetworkHasOne) {
  std::size_t certified = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("2-8tanh-3"), seed, 1.6);
    const EquilibriaOf found =
        equilibria_of<double>(network, random_numbers<double>(2, seed), {.starts = 32});
    if (!is_certified(network)) continue;
    EXPECT_EQ(found.equilibria.size(), 1u) << seed;
    EXPECT_EQ(found.equilibria[0].starts, found.starts) << seed;
    ++certified;
  }
  EXPECT_GE(certified, 5u);
}

TEST(EquilibriaOf, TheSumOfTheIndicesIsOneForWildBoundedNetworks) {
  for (const char* text : {"2-6tanh", "2-5-2", "2-4tanh-3"})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const NetworkOf<double> network = random_network<double>(from_text<Architecture>(text), seed, 6);
      const EquilibriaOf found = equilibria_of<double>(network, random_numbers<double>(2, seed));
      EXPECT_FALSE(found.misses_some) << text << ", seed " << seed << ": " << found.degree;
      EXPECT_GE(found.equilibria.size(), 1u);
    }
}

// Just before a fold the two equilibria that are about to meet are close together, and just behind it they
// are gone. (Right before a cusp they have only just come into being.)
TEST(EquilibriaOf, TwoThatAreAboutToMeetAreBothFound) {
  std::size_t met = 0;
  for (std::uint64_t seed = 1; seed <= 14; ++seed) {
    const NetworkOf<double> network = random_network<double>(from_text<Architecture>("3-4tanh"), seed, 3);
    const PlainNetwork plain(network);
    const std::vector<double> x = random_numbers<double>(3, seed + 30);
    const Eigen::VectorXd z = plain.flow_limit(as_vector<double>(x));
    if (plain.residual(z, as_vector<double>(x)) > 1e-10) continue;
    const FoldDistance fold = fold_distance<double>(network, x, {z.data(), 4});
    if (!fold.fold) continue;
    const auto count_at = [&](double share) {
      std::vector<double> there = x;
      for (std::size_t i = 0; i < 3; ++i) there[i] += share * (fold.fold->input[i] - x[i]);
      const EquilibriaOf found = equilibria_of<double>(network, there, {.starts = 16, .edge = false});
      EXPECT_FALSE(found.misses_some) << seed << " at " << share;
      return found.equilibria.size();
    };
    const std::size_t before = count_at(0.9999), after = count_at(1.0001);
    EXPECT_TRUE(before == after + 2 || before == after) << seed << ": " << before << ", " << after;
    met += before == after + 2;
  }
  EXPECT_GE(met, 7u);
}

TEST(EquilibriaOf, TheSameBitsOnAnyNumberOfThreads) {
  ThreadPool one(1), three(3);
  const EquilibriaOf a = equilibria_of(five_equilibria(), 0, {}, one),
                     b = equilibria_of(five_equilibria(), 0, {}, three);
  ASSERT_EQ(a.equilibria.size(), b.equilibria.size());
  for (std::size_t k = 0; k < a.equilibria.size(); ++k) {
    EXPECT_EQ(a.equilibria[k].state, b.equilibria[k].state);
    EXPECT_EQ(a.equilibria[k].starts, b.equilibria[k].starts);
  }
  EXPECT_EQ(a.edge->from_path, b.edge->from_path);
}

}  // namespace
}  // namespace irn
