// Claim 1: the derivative of a single implicit neuron (figure 1 of the paper),
//
//   y = f(W y + Q x + T)        dy/dW = f' y / (1 - f' W)
//
// The library's exact gradient and the paper's closed form are compared with central differences of the
// settled equilibrium, over W on both sides of zero and beyond the fold f' W = 1, where the equilibrium
// reached from rest vanishes and the state jumps to another.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/small_parts.h"
#include "irn/data/sample_table.h"
#include "irn/engine/batch_gradient.h"

namespace irn::experiments {
namespace {

// Q = 1 and T = 0: only Q x + T matters, and x = -3 has a fold within the range of W.
constexpr std::array inputs = {-3.0, -1.0, 1.0};
constexpr double least_w = -10, greatest_w = 12;
constexpr std::size_t even_points = 221, near_points = 9;
// Half the step of a central difference: its error is about h^2 y''' / 6, rounding adds 1e-15 / h.
constexpr double h = 1e-4;
// Towards the fold dy/dW grows like 1 / (1 - f' W), and the error of a difference like the fifth power of
// that: points closer than this are shown but not judged.
constexpr double judged_margin = 0.1;
constexpr double judged_limit = 1e-5;

// All equilibria are on W(y) = (logit y - x) / y. The fold is where this turns back: its first maximum.
double fold(double x) {
  const auto w = [x](double y) { return (std::log(y / (1 - y)) - x) / y; };
  double y = 1e-4;
  while (w(y + 1e-5) > w(y)) y += 1e-5;
  return w(y);
}

// Evenly spaced points, and others that approach the fold of the first input from below.
const std::vector<double>& all_w() {
  static const std::vector<double> all = [] {
    std::vector<double> w;
    for (std::size_t i = 0; i < even_points; ++i)
      w.push_back(least_w + (greatest_w - least_w) * double(i) / double(even_points - 1));
    for (std::size_t i = 0; i < near_points; ++i)
      w.push_back(fold(inputs[0]) - std::pow(10, -0.5 * double(i + 1)));
    std::sort(w.begin(), w.end());
    return w;
  }();
  return all;
}

class Neuron {
 public:
  Neuron() : samples_(1, 1, {inputs.begin(), inputs.end()}, {0, 0, 0}) {}

  double settle(double w, std::size_t input) {
    move_to(w);
    gradient_.forward(samples_, std::span(&(index_ = input), 1), forward_);
    return forward_.equilibria.state(0)[0];
  }
  // dy/dW: the gradient of the loss y.
  double slope(double w, std::size_t input) {
    settle(w, input);
    const double one = 1;
    gradient_.backward(forward_, std::span(&one, 1), result_);
    return result_.parameters[network_.architecture().blocks()[1].weights];
  }

 private:
  void move_to(double w) {
    network_.parameters()[network_.architecture().blocks()[0].weights] = 1;
    network_.parameters()[network_.architecture().blocks()[1].weights] = w;
    gradient_.update(network_);
  }

  ThreadPool threads_{1};
  NetworkOf<double> network_{from_text<Architecture>("1-1"), std::vector<double>(3, 0.0)};
  SampleTable<double> samples_;
  BatchGradient<double> gradient_{network_,
                                  {.settle = {.tolerance = least_tolerance<double>()},
                                   .on_fold = OnFold::keep,
                                   .amplification_limit = 1e12},
                                  threads_};
  Forward<double> forward_;
  GradientResult<double> result_;
  std::uint64_t index_ = 0;
};

Json curve(Neuron& neuron, std::size_t input, const Watch& watch) {
  Json curve = {{"x", inputs[input]}};
  for (const double w : all_w()) {
    watch.check();
    const double y = neuron.settle(w, input), slope = y * (1 - y);
    curve["y"].push_back(y);
    curve["margin"].push_back(1 - slope * w);
    curve["closed_form"].push_back(slope * y / (1 - slope * w));
    curve["exact"].push_back(neuron.slope(w, input));
    curve["difference"].push_back((neuron.settle(w + h, input) - neuron.settle(w - h, input)) / (2 * h));
  }
  return curve;
}

Json run(const Watch& watch) {
  Neuron neuron;
  Json curves = Json::array();
  for (std::size_t input = 0; input < inputs.size(); ++input) curves.push_back(curve(neuron, input, watch));
  return {{"curves", curves}};
}

std::vector<Job> jobs(const Protocol&) { return {{.key = "neuron", .cost = 0.1, .run = run}}; }

std::vector<double> relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = std::abs(a[i] - b[i]) / std::abs(b[i]);
  return d;
}

// With the unstable equilibria and those not reached from rest.
report::Series every_equilibrium(double x) {
  report::Series s{.label = fmt::format("x = {:g}, all", x), .colour = 0, .dash = 2};
  for (int i = 1; i < 2000; ++i) {
    const double y = i / 2000.0, w = (std::log(y / (1 - y)) - x) / y;
    if (w >= least_w && w <= greatest_w) s.x.push_back(w), s.y.push_back(y);
  }
  return s;
}

struct Worst {
  double judged = 0, anywhere = 0, closed_form = 0;
};

Worst worst_of(const Json& result) {
  Worst worst;
  for (const Json& curve : result.at("curves")) {
    const auto exact = numbers(curve.at("exact")), margin = numbers(curve.at("margin"));
    const auto d = relative_difference(numbers(curve.at("difference")), exact);
    const auto c = relative_difference(numbers(curve.at("closed_form")), exact);
    for (std::size_t i = 0; i < d.size(); ++i) {
      worst.anywhere = std::max(worst.anywhere, d[i]);
      if (margin[i] > judged_margin) worst.judged = std::max(worst.judged, d[i]);
      worst.closed_form = std::max(worst.closed_form, c[i]);
    }
  }
  return worst;
}

// A curve over W, interrupted where the state jumps.
report::Series over_w(std::size_t input, const std::vector<double>& y) {
  report::Series s{
      .label = fmt::format("x = {:g}", inputs[input]), .colour = static_cast<int>(input), .dash = 0};
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double w = all_w()[i];
    if (input == 0 && i > 0 && w > fold(inputs[0]) && all_w()[i - 1] <= fold(inputs[0]))
      s.x.push_back(w), s.y.push_back(std::nan(""));
    s.x.push_back(w), s.y.push_back(y[i]);
  }
  return s;
}

report::Series dots(std::size_t input, const std::vector<double>& y) {
  report::Series s{.mark = report::Mark::points, .colour = static_cast<int>(input)};
  for (std::size_t i = 0; i < y.size(); i += 10) s.x.push_back(all_w()[i]), s.y.push_back(y[i]);
  return s;
}

report::Panel panel(std::string title, report::Axis y) {
  const report::ReferenceLine line{
      .kind = report::ReferenceLine::Kind::vertical, .at = fold(inputs[0]), .label = "fold"};
  return {.title = std::move(title),
          .x = {.label = "recurrent weight W"},
          .y = std::move(y),
          .references = {line}};
}

std::string caption() {
  return fmt::format(
      "A single implicit neuron, y = f(W y + x). (a) The equilibrium reached from rest; dotted, all "
      "equilibria for "
      "x = {:g}: beyond the fold at W = {:.3f}, where f' W = 1, the lower one is gone and the state jumps. "
      "(b) Exact "
      "gradient and central differences (every tenth point). (c) Their relative difference; it rises towards "
      "the "
      "fold, where the derivative grows without bound and a difference of finite width fails.",
      inputs[0], fold(inputs[0]));
}

report::Figure figure(const Json& result) {
  report::Panel states =
      panel("(a) Equilibrium reached from rest", {.label = "y", .range = report::Range{0, 1}});
  report::Panel slopes = panel("(b) Exact (lines), numerical (points)", {.label = "dy/dW", .log = true});
  report::Panel differences =
      panel("(c) Exact against numerical", {.label = "relative difference", .log = true});
  states.series.push_back(every_equilibrium(inputs[0]));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Json& curve = result.at("curves").at(k);
    const auto exact = numbers(curve.at("exact")), numerical = numbers(curve.at("difference"));
    states.series.push_back(over_w(k, numbers(curve.at("y"))));
    slopes.series.push_back(over_w(k, exact));
    slopes.series.push_back(dots(k, numerical));
    differences.series.push_back(over_w(k, relative_difference(numerical, exact)));
  }
  return {.name = "neuron", .caption = caption(), .panels = {states, slopes, differences}, .columns = 3};
}

PartReport assemble(const Protocol&, const Results& results) {
  const Json& result = results.at("neuron");
  const Worst worst = worst_of(result);
  PartReport report;
  report.figures.push_back(figure(result));
  report.text.push_back(fmt::format(
      "{} values of W from {:g} to {:g} for three inputs. The largest relative difference between the "
      "library's "
      "exact gradient and central differences (h = {:g}) is {:.1e} where 1 - f' W is above {:g}, and {:.1e} "
      "anywhere, right at the fold; against the paper's closed form it is {:.1e}.",
      all_w().size(), least_w, greatest_w, h, worst.judged, judged_margin, worst.anywhere,
      worst.closed_form));
  report.claims.push_back(
      {.number = 1,
       .statement = "The derivative of a single implicit neuron equals the numerical one.",
       .measured = fmt::format("largest relative difference {:.1e} away from the fold (holds below {:g}); "
                               "exact gradient and closed form agree to {:.1e}",
                               worst.judged, judged_limit, worst.closed_form),
       .finding =
           worst.judged < judged_limit && worst.closed_form < judged_limit ? Finding::holds : Finding::fails,
       .numbers = {{"max_relative_difference", worst.judged},
                   {"max_relative_difference_next_to_the_fold", worst.anywhere},
                   {"max_relative_difference_closed_form", worst.closed_form},
                   {"limit", judged_limit}}});
  return report;
}

}  // namespace

Part neuron_part() { return {"neuron", "The derivative of a single implicit neuron", jobs, assemble}; }

}  // namespace irn::experiments
