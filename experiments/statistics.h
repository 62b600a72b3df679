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
// Of the pairs a - b: repeats share their seeds, so differences are taken within repeats.
Estimate paired_difference(std::span<const double> a, std::span<const double> b);

// The jackknife: n s - (n - 1) s_i for every repeat, where s is a smooth statistic of all n repeats and s_i
// the same statistic without repeat i (Tukey's pseudo-values). Their estimate() is s without its bias of
// order 1/n, and its error is the jackknife's, sqrt((n - 1)/n sum (s_i - mean)^2). Pseudo-values of two
// statistics of the same repeats form pairs.
std::vector<double> pseudo_values(double whole, std::span<const double> without);
// Pseudo-values of log(mean over points of the standard deviation over repeats), from values[point][repeat].
// A repeat is left out of all points at once, because its points depend on each other. NaNs for fewer than
// three repeats.
std::vector<double> log_deviation(const std::vector<std::vector<double>>& values);
double median(std::vector<double> values);
// A share of successes with Wilson's 95 % interval.
struct Share {
  double value = 0, low = 0, high = 0;
};
Share share(std::size_t successes, std::size_t trials);

std::string text(const Estimate& e);  // "0.02413 ± 0.00062" (95 %)
std::string text(const Share& s);     // "98.2 % (97.1 to 98.9 %)"

}  // namespace irn::experiments
