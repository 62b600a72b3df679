// Claim 10: the gradient of the iterated network compared with that of the implicit one, over the number of
// iterations (appendix A.2 of the paper).
//
// The reverse pass through n plain iterations sums n terms of the series  sum_k (D A)^k,  at states that
// converge themselves. Where the iteration converges, the difference to the exact gradient falls like
// n rho^n, with rho the spectral radius of D A. Where it does not, the gradient of the iterated network has
// nothing to converge to. This is shown for networks whose neurons inhibit each other, which the differential
// equation settles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/iterated_gradient.h"
#include "experiments/small_parts.h"

namespace irn::experiments {
namespace {

constexpr std::array<std::size_t, 3> sizes = {2, 8, 32};
// Recurrent weights uniform in [-w, w] with w = 4 r sqrt(3 / n): by the circular law W has the spectral
// radius 4 r, and D, at most 1/4, reduces it to r or below.
constexpr std::array radii = {0.3, 0.6, 0.9};
constexpr double converged = 1e-6;
// Below this, only rounding is left.
constexpr double floor_of_rounding = 1e-12;

Ensemble with_radius(std::size_t size, double radius) {
  const double w = 4 * radius * std::sqrt(3 / double(size));
  return {size, {-w, w}};
}
// All weights negative: one eigenvalue of D A is far below -1, and the plain iteration jumps to and fro.
constexpr Ensemble inhibiting = {32, {-1, 0}};
constexpr const char* inhibiting_key = "iterated-inhibiting";

std::string key(std::size_t size, double radius) {
  return fmt::format("iterated-n{:02}-r{:.1f}", size, radius);
}

std::vector<Job> jobs(const Protocol& p) {
  std::vector<Job> all;
  const auto add = [&](std::string name, const Ensemble& e) {
    all.push_back({std::move(name), 0.02 + 3e-4 * double(e.size * e.size),
                   [p, e](const Watch& watch) { return compare_gradients(p, e, watch); }});
  };
  for (const std::size_t size : sizes)
    for (const double radius : radii) add(key(size, radius), with_radius(size, radius));
  add(inhibiting_key, inhibiting);
  return all;
}

// The factor for each iteration, from the last two points above rounding.
double decay(const std::vector<double>& differences) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < differences.size() && differences[i] > floor_of_rounding; ++i) last = i;
  if (last == 0) return std::nan("");
  const double steps = double(unrolled_iterations[last] - unrolled_iterations[last - 1]);
  return std::pow(differences[last] / differences[last - 1], 1 / steps);
}

struct Tally {
  std::size_t networks = 0, converging = 0, agreeing = 0;
  double worst = 0;                      // difference at the largest number of iterations
  std::vector<double> rate_over_radius;  // of those that converge
};

Tally tally_of(const Results& results) {
  Tally t;
  for (const std::size_t size : sizes)
    for (const double radius : radii)
      for (const Json& network : results.at(key(size, radius))) {
        ++t.networks;
        if (!network.at("settles").get<bool>()) continue;
        const std::vector<double> d = numbers(network.at("differences"));
        ++t.converging;
        t.agreeing += d.back() < converged;
        t.worst = std::max(t.worst, d.back());
        t.rate_over_radius.push_back(decay(d) / number(network.at("radius")));
      }
  return t;
}

report::Series median_curve(const Json& networks, std::string label) {
  constexpr double least = 1e-15;  // what is lower is rounding
  report::Series s{.label = std::move(label), .x = {unrolled_iterations.begin(), unrolled_iterations.end()}};
  for (std::size_t i = 0; i < unrolled_iterations.size(); ++i) {
    std::vector<double> values;
    for (const Json& network : networks) values.push_back(number(network.at("differences").at(i)));
    s.y.push_back(std::max(quantile(values, 0.5), least));
    s.low.push_back(std::max(quantile(values, 0.1), least));
    s.high.push_back(std::max(quantile(values, 0.9), least));
  }
  return s;
}

report::Panel decay_panel(const Results& results) {
  report::Panel panel{.title = "(a) 8 neurons",
                      .x = {.label = "iterations"},
                      .y = {.label = "relative difference", .log = true, .range = report::Range{1e-16, 10}},
                      .legend = report::Legend::above};
  for (const double radius : radii)
    panel.series.push_back(
        median_curve(results.at(key(8, radius)), fmt::format("radius up to {:g}", radius)));
  return panel;
}

report::Panel rate_panel(const Results& results) {
  report::Panel panel{.title = "(b) All networks",
                      .x = {.label = "spectral radius of D A"},
                      .y = {.label = "factor an iteration"}};
  panel.series.push_back({.label = "equal", .x = {0, 1}, .y = {0, 1}, .colour = 4, .dash = 1});
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    report::Series s{
        .label = fmt::format("{} neurons", sizes[k]), .mark = report::Mark::points, .colour = int(k)};
    for (const double radius : radii)
      for (const Json& network : results.at(key(sizes[k], radius)))
        if (network.at("settles").get<bool>())
          s.x.push_back(number(network.at("radius"))),
              s.y.push_back(decay(numbers(network.at("differences"))));
    panel.series.push_back(s);
  }
  panel.legend = report::Legend::bottom_right;
  return panel;
}

report::Panel inhibiting_panel(const Results& results) {
  return {.title = "(c) Inhibiting neurons",
          .x = {.label = "iterations"},
          .y = {.label = "relative difference", .log = true, .range = report::Range{1e-16, 10}},
          .series = {median_curve(results.at(inhibiting_key), "")}};
}

report::Figure figure(const Results& results) {
  return {.name = "iterated",
          .caption =
              "The gradient of n plain iterations against the exact gradient of the equilibrium. (a) Random "
              "networks: median and the band that holds 80 % of them, down to rounding (1e-15). (b) The "
              "factor by "
              "which the difference falls with an iteration is the spectral radius of D A. (c) Where neurons "
              "inhibit "
              "each other (32 of them, weights in [-1, 0]) the differential equation settles and the plain "
              "iteration "
              "does not: its gradient has nothing to converge to.",
          .panels = {decay_panel(results), rate_panel(results), inhibiting_panel(results)},
          .columns = 3};
}

// The smallest difference after all iterations among the inhibiting networks, and how many of them the
// iteration settles.
struct Counterexample {
  std::size_t settling = 0;
  double least = std::numeric_limits<double>::infinity();
};

Counterexample counterexample(const Results& results) {
  Counterexample c;
  for (const Json& network : results.at(inhibiting_key)) {
    c.settling += network.at("settles").get<bool>();
    c.least = std::min(c.least, number(network.at("differences").back()));
  }
  return c;
}

Claim judge(const Tally& t, const Counterexample& c) {
  const double rate = quantile(t.rate_over_radius, 0.5);
  const bool all = t.converging > 0 && t.agreeing == t.converging;
  return {.number = 10,
          .statement =
              "The gradient of the iterated network converges to the implicit one as the iterations grow.",
          .measured = fmt::format("{} of {} random networks whose plain iteration converges have a relative "
                                  "difference below {:g} after {} "
                                  "iterations (holds if all), the largest is {:.1e}; it falls by {:.3f} "
                                  "times the spectral radius an iteration "
                                  "(median). Of {} networks of inhibiting neurons the iteration settles {}; "
                                  "their smallest difference is {:.2g}",
                                  t.agreeing, t.converging, converged, unrolled_iterations.back(), t.worst,
                                  rate, networks_an_ensemble, c.settling, c.least),
          .finding = all              ? Finding::holds
                     : t.agreeing > 0 ? Finding::partly
                                      : Finding::fails,
          .numbers = {{"networks", t.networks},
                      {"converging", t.converging},
                      {"agreeing", t.agreeing},
                      {"largest_difference", t.worst},
                      {"median_rate_over_radius", rate},
                      {"inhibiting_settling", c.settling},
                      {"inhibiting_least_difference", c.least}}};
}

PartReport assemble(const Protocol&, const Results& results) {
  const Tally t = tally_of(results);
  PartReport report;
  report.text = {
      fmt::format("{} random one-layer networks of {}, {} and {} neurons; {} of them have a plain iteration "
                  "that settles. The paper "
                  "derives the claim under that condition and with powers of D A that vanish, which is the "
                  "same near an equilibrium. "
                  "The memory of the iterated gradient grows with the iterations; the exact one solves one "
                  "linear system.",
                  t.networks, sizes[0], sizes[1], sizes[2], t.converging)};
  report.figures = {figure(results)};
  report.claims = {judge(t, counterexample(results))};
  return report;
}

}  // namespace

Part iterated_part() { return {"iterated", "The iterated network's gradient", jobs, assemble}; }

}  // namespace irn::experiments
