// Means, their standard errors and 95 % intervals over repeats.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace irn::experiments {

struct Estimate {
  double mean = 0;
  double error = 0;       // standard deviation of the mean
  double half_width = 0;  // of the 95 % interval (Student's t)
  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

Estimate estimate(std::span<const double> values);
// Of pairs a - b: repeats share their seeds, so differences are taken within each.
Estimate paired_difference(std::span<const double> a, std::span<const double> b);
double median(std::vector<double> values);
// A share of successes with Wilson's 95 % interval.
struct Share {
  double value = 0, low = 0, high = 0;
};
Share share(std::size_t successes, std::size_t trials);

std::string text(const Estimate& e);  // "0.0241 ± 0.0006" (95 %)
std::string text(const Share& s);     // "98.2 % (97.1 to 98.9 %)"

}  // namespace irn::experiments
