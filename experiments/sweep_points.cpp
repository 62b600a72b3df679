#include "experiments/sweep_points.h"

#include <cmath>

namespace irn::experiments {

std::vector<SizePoint> points_of(const Protocol& p, const Results& results, NetworkKind kind) {
  std::vector<SizePoint> points;
  for (const std::size_t hidden : p.sweep_sizes()) {
    const OscillatorRun run{.kind = kind, .hidden = hidden};
    points.push_back({hidden, results.at(run.key()).at("parameters").get<double>(),
                      final_errors(results, run, p.sweep_repeats)});
  }
  return points;
}

std::vector<double> errors_at(const std::vector<SizePoint>& points, double parameters) {
  std::vector<double> errors;
  for (std::size_t i = 0; i + 1 < points.size() && errors.empty(); ++i) {
    const SizePoint &below = points[i], &above = points[i + 1];
    if (parameters < below.parameters || parameters > above.parameters) continue;
    const double way =
        std::log(parameters / below.parameters) / std::log(above.parameters / below.parameters);
    for (std::size_t r = 0; r < below.errors.size(); ++r)
      errors.push_back(below.errors[r] * std::pow(above.errors[r] / below.errors[r], way));
  }
  return errors;
}

std::vector<double> log_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < a.size(); ++r) ratios.push_back(std::log(a[r] / b[r]));
  return ratios;
}

}  // namespace irn::experiments
