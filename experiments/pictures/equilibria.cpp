// The pictures of docs/equilibria.md:   equilibria_pictures FOLDER
// Networks of one and two neurons, small enough to be drawn completely. Everything in the pictures is
// computed: paths by the flow, branches by continuation. The same command gives the same files.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <numbers>

#include "experiments/pictures/small_networks.h"
#include "irn/base/file.h"

namespace irn::pictures {
namespace {

using report::Figure;
using report::Legend;
using report::Mark;
using report::Panel;
using report::Range;
using report::ReferenceLine;
using report::Series;

using Numbers = std::vector<double>;

// All solutions of z = tanh(w z + b), from signs of the difference on a fine grid, and bisection.
Numbers equilibria_of_one(double w, double b) {
  const auto pull = [&](double z) { return std::tanh(w * z + b) - z; };
  Numbers found;
  for (int i = -1000; i < 1000; ++i) {
    double low = i / 1000.0 + 1e-7, high = low + 1e-3;
    if (pull(low) * pull(high) > 0) continue;
    for (int k = 0; k < 60; ++k) (pull(low) * pull((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
    found.push_back(low);
  }
  return found;
}

Figure what_it_is() {
  constexpr double b = 0.2;
  Panel crossings{.title = "(a) An equilibrium is where F(z) meets z",
                  .x = {.label = "z", .range = Range{-1.15, 1.15}},
                  .y = {.label = "tanh(w z + 0.2)", .range = Range{-1.15, 1.15}},
                  .legend = Legend::bottom_right};
  crossings.series.push_back(
      {.label = "z itself", .x = {-1.15, 1.15}, .y = {-1.15, 1.15}, .colour = 4, .dash = 2});
  Series stable{.mark = Mark::points, .colour = 0},
      repelling{.mark = Mark::points, .colour = 0, .hollow = true};
  for (const auto& [w, colour] : {std::pair{-2.0, 2}, {3.0, 1}}) {
    Series curve{.label = fmt::format("w = {:g}", w), .colour = colour, .dash = 0};
    for (int i = -115; i <= 115; ++i)
      curve.x.push_back(i / 100.0), curve.y.push_back(std::tanh(w * i / 100.0 + b));
    crossings.series.push_back(std::move(curve));
    for (const double z : equilibria_of_one(w, b)) {
      Series& marks = w * (1 - z * z) < 1 ? stable : repelling;
      marks.x.push_back(z), marks.y.push_back(z);
    }
  }
  crossings.series.push_back(stable), crossings.series.push_back(repelling);
  Panel flows{.title = "(b) The flow from several starts, w = 3",
              .x = {.label = "time", .range = Range{0, 6}},
              .y = {.label = "z", .range = Range{-1.15, 1.15}}};
  for (const double start : {-1.0, -0.5, -0.2, -0.05, 0.0, 0.5, 1.0})
    flows.series.push_back(over_time(path(one_neuron(3), {b}, {start}, until(6)), 0, 6));
  for (Series& series : flows.series) series.dash = 0, series.colour = series.y.front() == 0 ? 1 : 0;
  return {.name = "equilibrium", .panels = {crossings, flows}};
}

Figure flow_and_iteration() {
  constexpr double w = -2, b = 0.5, end = 12;
  Series flow = over_time(path(one_neuron(w), {b}, {0}, until(end)), 0, end, "flow, over time");
  Series iteration{.label = "iteration, over steps", .mark = Mark::both};
  for (double z = 0, k = 0; k <= end; z = std::tanh(w * z + b), ++k)
    iteration.x.push_back(k), iteration.y.push_back(z);
  return {.name = "flow-and-iteration",
          .panels = {{.x = {.label = "time, or steps"},
                      .y = {.label = "z"},
                      .series = {std::move(flow), std::move(iteration)},
                      .references = {{.at = equilibria_of_one(w, b).front(), .label = "equilibrium"}}}},
          .plot_height = 220};
}

struct Linear {
  const char* label;
  Numbers a;
};
// With x = 0 all four have an equilibrium at z = 0, where J is A itself.
const std::vector<Linear>& four_kinds() {
  static const std::vector<Linear> all = {{"comes straight back", {0.3, 0.3, 0.3, 0.3}},
                                          {"turns on its way back", {0.75, -1.5, 1.5, 0.75}},
                                          {"turns away: a cycle", {1.15, -1.5, 1.5, 1.15}},
                                          {"leaves in one direction", {1.4, 0.2, 0.2, -0.5}}};
  return all;
}

Series eigenvalues(const Linear& kind) {
  const double trace = kind.a[0] + kind.a[3], determinant = kind.a[0] * kind.a[3] - kind.a[1] * kind.a[2];
  const double inside = trace * trace / 4 - determinant, root = std::sqrt(std::abs(inside));
  Series series{.label = kind.label, .mark = Mark::points};
  for (const double sign : {1.0, -1.0}) {
    series.x.push_back(trace / 2 - 1 + (inside > 0 ? sign * root : 0));
    series.y.push_back(inside > 0 ? 0 : sign * root);
  }
  return series;
}

Figure stability() {
  Panel plane{.title = "(a) Eigenvalues of J - I",
              .x = {.label = "real part: grows right of 0, falls left of it", .range = Range{-2, 1}},
              .y = {.label = "imaginary part: turns", .range = Range{-2, 2}},
              .legend = Legend::above,
              .references = {{ReferenceLine::Kind::vertical, 0, ""}}};
  Panel pushed{.title = "(b) After a small push away from z = 0",
               .x = {.label = "time"},
               .y = {.label = "first neuron", .range = Range{-1, 1}},
               .legend = Legend::none};
  for (const Linear& kind : four_kinds()) {
    plane.series.push_back(eigenvalues(kind));
    pushed.series.push_back(over_time(path(two_neurons(kind.a), {0, 0}, {0.15, 0}, until(20)), 0, 20));
  }
  return {.name = "stability", .panels = {plane, pushed}};
}

Figure several() {
  const NetworkOf<double> network = two_neurons({2, -0.3, -0.3, 2});
  const Numbers x = {0.1, 0.2};
  Panel plane{.title = "Nine equilibria of two neurons, four of them stable",
              .x = {.label = "first neuron"},
              .y = {.label = "second neuron"},
              .legend = Legend::above};
  const auto limit = [](const SettlingPath& p) { return 2 * (p.way.last()[0] > 0) + (p.way.last()[1] > 0); };
  constexpr std::array<int, 4> colours = {2, 3, 5, 6};
  for (int i = 0; i < 28; ++i) {
    const double angle = 2 * std::numbers::pi * (i + 0.5) / 28;
    const Numbers start = {1.1 * std::cos(angle), 1.1 * std::sin(angle)}, near = {start[0] / 8, start[1] / 8};
    for (const Numbers& from : {start, near}) {
      const SettlingPath way = path(network, x, from);
      plane.series.push_back(in_the_plane(way));
      plane.series.back().colour = colours[std::size_t(limit(way))], plane.series.back().dash = 0;
    }
  }
  plane.series.push_back(in_the_plane(path(network, x, {0, 0})));
  plane.series.back().label = "from rest", plane.series.back().colour = 1, plane.series.back().dash = 0;
  Series stable{.label = "stable", .mark = Mark::points, .colour = 0},
      unstable{.label = "unstable", .mark = Mark::points, .colour = 0, .hollow = true};
  for (const FoundEquilibrium& found : equilibria_of<double>(network, x, {.edge = false}).equilibria) {
    Series& marks = found.stability.attracts() ? stable : unstable;
    marks.x.push_back(found.state[0]), marks.y.push_back(found.state[1]);
  }
  plane.series.push_back({.x = {0}, .y = {0}, .mark = Mark::points, .colour = 1, .names = {"rest"}});
  plane.series.push_back(std::move(stable)), plane.series.push_back(std::move(unstable));
  return {.name = "several", .panels = {std::move(plane)}, .plot_width = 420, .plot_height = 380};
}

Figure folds() {
  constexpr double w = 2;
  const std::vector<Branch> all =
      branches(along_input<double>(one_neuron(w), Numbers{0}, 0), {.low = -1.5, .high = 1.5});
  Panel curve{.title = "(a) Equilibria over the input",
              .x = {.label = "input"},
              .y = {.label = "z"},
              .series = drawn(all, 0)};
  Panel slope{.title = "(b) How much the answer moves with the input",
              .x = {.label = "input"},
              .y = {.label = "dz/dx on the upper branch", .log = true}};
  Series upper;
  for (const BranchPoint& point : all.front().points) {
    const double d = 1 - point.state[0] * point.state[0];
    if (point.state[0] > std::sqrt(1 - 1 / w) + 1e-4)
      upper.x.push_back(point.p), upper.y.push_back(d / (1 - w * d));
  }
  const double fold = std::atanh(std::sqrt(1 - 1 / w)) - w * std::sqrt(1 - 1 / w);
  slope.references.push_back({ReferenceLine::Kind::vertical, fold, "fold"});
  slope.series.push_back(std::move(upper));
  return {.name = "folds", .panels = {curve, slope}};
}

Figure cycles() {
  const double angle = 0.9, c = std::cos(angle), s = std::sin(angle);
  const NetworkOf<double> turn = two_neurons({c, -s, s, c});
  const auto gained = [&](double g) { return two_neurons({g * c, -g * s, g * s, g * c}); };
  Panel picture{
      .title = "(a) Over the strength of the recurrence",
      .x = {.label = "strength"},
      .y = {.label = "first neuron", .range = Range{-1, 1}},
      .series = drawn(branches(along_gain<double>(turn, Numbers{0, 0}), {.low = 0.5, .high = 3}), 0),
      .legend = Legend::top_left};
  Series cycle{.label = "cycle: its ends", .mark = Mark::points, .colour = 2};
  for (double g = 1.65; g <= 3; g += 0.15) {
    const SettlingPath way = path(gained(g), {0, 0}, {0.1, 0}, {.longest = 300});
    for (const double sign : {1.0, -1.0})
      cycle.x.push_back(g),
          cycle.y.push_back(way.end == PathEnd::cycles ? sign * way.amplitude : std::nan(""));
  }
  picture.series.push_back(std::move(cycle));
  Panel time{.title = "(b) First neuron over time",
             .x = {.label = "time"},
             .y = {.label = "first neuron", .range = Range{-1, 1}}};
  for (const double g : {1.4, 2.2})
    time.series.push_back(
        over_time(path(gained(g), {0, 0}, {0.5, 0}, until(40)), 0, 40, fmt::format("strength {:g}", g)));
  return {.name = "cycles", .panels = {picture, time}};
}

Panel verdict(std::string title, const SettlingPath& path, double end) {
  return {.title = std::move(title),
          .x = {.label = "time", .range = Range{0, end}},
          .y = {.label = "residual", .log = true, .range = Range{1e-9, 10}},
          .series = {residual_over_time(path, end)},
          .references = {{.at = 1e-8, .label = "tolerance"}}};
}

Figure verdicts() {
  const double w = 2, edge = std::atanh(std::sqrt(1 - 1 / w)) - w * std::sqrt(1 - 1 / w);
  const NetworkOf<double> away(from_text<Architecture>("1-1identity"), {1, 1.3, 0});
  const NetworkOf<double> turning = two_neurons({1.4, -1.5, 1.5, 1.4});
  return {.name = "verdicts",
          .panels = {verdict("settled", path(one_neuron(0.5), {0.5}, {0}), 60),
                     verdict("slow", path(one_neuron(w), {edge + 1e-9}, {1}, until(400)), 400),
                     verdict("repels, after a nudge", path(one_neuron(w), {0}, {2e-9}, until(60)), 60),
                     verdict("cycles", path(turning, {0, 0}, {0.5, 0}, until(60)), 60),
                     verdict("runs_away", path(away, {0.01}, {0}, until(60)), 60),
                     verdict("ran_out", path(one_neuron(0.5), {0.5}, {0}, until(9)), 9)},
          .columns = 3};
}

int run(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: equilibria_pictures FOLDER\n";
    return 2;
  }
  for (const Figure& figure :
       {what_it_is(), flow_and_iteration(), stability(), several(), folds(), cycles(), verdicts()})
    write_file_atomically(std::filesystem::path(argv[1]) / ("equilibria-" + figure.name + ".svg"),
                          svg(figure));
  return 0;
}

}  // namespace
}  // namespace irn::pictures

int main(int argc, char** argv) {
  try {
    return irn::pictures::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "equilibria_pictures: " << error.what() << "\n";
    return 1;
  }
}
