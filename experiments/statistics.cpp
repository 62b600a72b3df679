#include "experiments/statistics.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace irn::experiments {
namespace {

// Student's t for a two-sided 95 % interval with n degrees of freedom (Abramowitz and Stegun, table 26.10); within 1 % of
// it between the entries.
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

std::string text(const Estimate& e) { return fmt::format("{:.4g} ± {:.2g}", e.mean, e.half_width); }
std::string text(const Share& s) {
  return fmt::format("{:.1f} % ({:.1f} to {:.1f} %)", 100 * s.value, 100 * s.low, 100 * s.high);
}

}  // namespace irn::experiments
