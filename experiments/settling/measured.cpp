#include "experiments/settling/measured.h"

#include <cmath>

#include <fmt/format.h>

namespace irn::experiments {

void Measured::add(double measured, double settled_share, double evaluations_a_row, double seconds_a_run) {
  value.push_back(measured);
  settled.push_back(settled_share);
  evaluations.push_back(evaluations_a_row);
  seconds.push_back(seconds_a_run);
}

std::string settled_text(double share) {
  return share == 1 ? "100 %" : fmt::format("{:.2f} %", std::floor(1e4 * share) / 100);
}

std::string points_text(const Estimate& difference) {
  return fmt::format("{:+.2f} ± {:.2f} points", 100 * difference.mean, 100 * difference.half_width);
}

std::vector<report::Column> measured_columns(const std::string& value) {
  using report::Align;
  return {{"method"},
          {value, Align::right},
          {"settled", Align::right},
          {"evaluations", Align::right},
          {"seconds a run", Align::right}};
}

std::vector<report::Cell> measured_cells(const Measured& m) {
  return {text(estimate(m.value)), settled_text(mean(m.settled)), fmt::format("{:.1f}", mean(m.evaluations)),
          fmt::format("{:.2f}", mean(m.seconds))};
}

report::Series bars_of(const std::vector<Measured>& measured) {
  report::Series bars{.mark = report::Mark::bars, .show_values = true};
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const Estimate e = estimate(measured[i].value);
    bars.x.push_back(double(i));
    bars.y.push_back(e.mean);
    bars.low.push_back(e.low());
    bars.high.push_back(e.high());
  }
  return bars;
}

Finding better(const Estimate& difference) {
  return difference.low() > 0 ? Finding::holds : difference.high() < 0 ? Finding::fails : Finding::undecided;
}

Finding no_worse(const Estimate& difference, double allowed) {
  return difference.low() > -allowed ? Finding::holds
         : difference.high() < 0     ? Finding::fails
                                     : Finding::undecided;
}

Json json(const Estimate& e) { return {{"mean", e.mean}, {"low", e.low()}, {"high", e.high()}}; }

}  // namespace irn::experiments
