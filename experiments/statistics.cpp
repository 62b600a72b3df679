#include "experiments/statistics.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace irn::experiments {
namespace {

// Student's t for a two-sided 95 % interval with n degrees of freedom (Abramowitz and Stegun, table 26.10);
// between the entries within 1 % of it.
double student_t(std::size_t n) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201};
  if (n == 0) return std::numeric_limits<double>::infinity();
  if (n <= std::size(table)) return table[n - 1];
  const double d = static_cast<double>(n);
  return 1.960 + 2.4 / d + 3.0 / (d * d);
}

}  // namespace

Estimate estimate(std::span<const double> values) {
  Estimate e;
  const double count = static_cast<double>(values.size());
  for (const double v : values) e.mean += v / count;
  double squares = 0;
  for (const double v : values) squares += (v - e.mean) * (v - e.mean);
  e.error = e.half_width = std::numeric_limits<double>::infinity();  // one value says nothing of its spread
  if (values.size() < 2) return e;
  e.error = std::sqrt(squares / (count - 1) / count);
  e.half_width = student_t(values.size() - 1) * e.error;
  return e;
}

Estimate paired_difference(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) differences.push_back(a[i] - b[i]);
  return estimate(differences);
}

std::vector<double> pseudo_values(double whole, std::span<const double> without) {
  const double n = static_cast<double>(without.size());
  std::vector<double> values;
  for (const double rest : without) values.push_back(n * whole - (n - 1) * rest);
  return values;
}

std::vector<double> log_deviation(const std::vector<std::vector<double>>& values) {
  const std::size_t repeats = values.empty() ? 0 : values[0].size();
  const double n = static_cast<double>(repeats);
  double whole = 0;
  std::vector<double> without(repeats, 0.0);
  for (const std::vector<double>& at_point : values) {
    const double mean = estimate(at_point).mean;
    double squares = 0;
    for (const double v : at_point) squares += (v - mean) * (v - mean);
    whole += std::sqrt(squares / (n - 1));
    // Without v, the mean moves by (mean - v) / (n - 1), and the sum of squares falls by
    // n / (n - 1) (v - mean)^2.
    for (std::size_t r = 0; r < repeats; ++r) {
      const double d = at_point[r] - mean;
      without[r] += std::sqrt(std::max(0.0, squares - n / (n - 1) * d * d) / (n - 2));
    }
  }
  const double points = static_cast<double>(values.size());
  for (double& rest : without) rest = std::log(rest / points);
  return pseudo_values(std::log(whole / points), without);
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Share share(std::size_t successes, std::size_t trials) {
  if (trials == 0) return {};
  const double n = static_cast<double>(trials), p = static_cast<double>(successes) / n, z = 1.96;
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {p, centre - half, centre + half};
}

// With the number of decimals that gives the half width two digits.
std::string text(const Estimate& e) {
  const double decimals = 1 - std::floor(std::log10(e.half_width));
  if (!(decimals >= 0 && decimals <= 9)) return fmt::format("{:.4g} ± {:.2g}", e.mean, e.half_width);
  return fmt::format("{0:.{2}f} ± {1:.{2}f}", e.mean, e.half_width, static_cast<int>(decimals));
}
std::string text(const Share& s) {
  return fmt::format("{:.1f} % ({:.1f} to {:.1f} %)", 100 * s.value, 100 * s.low, 100 * s.high);
}

}  // namespace irn::experiments
