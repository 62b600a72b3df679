#include "experiments/sweep_claims.h"

#include <fmt/format.h>

#include "experiments/claim_parts.h"
#include "experiments/sweep_points.h"

namespace irn::experiments {
namespace {

// With fewer hidden neurons the kinds hardly differ (docs/paper.md), so the trend from here on is reported,
// too.
constexpr std::size_t differing_size = 3;

// Slope of a least-squares line through (log size, value) for each repeat; values[size][repeat], over the
// sizes from the `first`-th on.
Estimate slope_over_size(const std::vector<std::size_t>& sizes,
                         const std::vector<std::vector<double>>& values, std::size_t first = 0) {
  std::vector<double> slopes;
  const double n = double(sizes.size() - first);
  for (std::size_t r = 0; r < values[0].size(); ++r) {
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (std::size_t i = first; i < sizes.size(); ++i)
      mx += std::log(double(sizes[i])) / n, my += values[i][r] / n;
    for (std::size_t i = first; i < sizes.size(); ++i) {
      const double x = std::log(double(sizes[i])) - mx;
      xx += x * x, xy += x * (values[i][r] - my);
    }
    slopes.push_back(xy / xx);
  }
  return estimate(slopes);
}

Estimate negative(Estimate e) {
  e.mean = -e.mean;
  return e;
}

}  // namespace

Claim ahead_claim(const Protocol& p, const Results& results) {
  Claim claim{
      .number = 8,
      .statement = "The exact network is ahead at every hidden size, and at equal numbers of parameters."};
  const auto exact = points_of(p, results, NetworkKind::exact),
             forward = points_of(p, results, NetworkKind::feed_forward),
             semi = points_of(p, results, NetworkKind::semi);
  std::vector<ClaimPart> by_size, by_parameters;
  const auto add = [](std::vector<ClaimPart>& parts, const SizePoint& point, const std::string& other,
                      const std::vector<double>& errors) {
    if (!errors.empty())
      parts.push_back({fmt::format("{} hidden, {} minus exact", point.hidden, other),
                       paired_difference(errors, point.errors)});
  };
  for (std::size_t i = 0; i < exact.size(); ++i) {
    add(by_size, exact[i], "feed-forward", forward[i].errors);
    add(by_size, exact[i], "semi-gradient", semi[i].errors);
    add(by_parameters, exact[i], "feed-forward with as many parameters",
        errors_at(forward, exact[i].parameters));
  }
  claim.measured = fmt::format(
      "Of {} differences to the other two over hidden size, {} are certainly positive (95 %, within repeats) "
      "and {} certainly negative. Of {} to feed-forward networks with as many parameters (interpolated "
      "within "
      "repeats; semi-gradient networks have as many as exact ones anyway), {} and {}.",
      by_size.size(), count(by_size, Finding::holds), count(by_size, Finding::fails), by_parameters.size(),
      count(by_parameters, Finding::holds), count(by_parameters, Finding::fails));
  by_size.insert(by_size.end(), by_parameters.begin(), by_parameters.end());
  claim.numbers["parts"] = json(by_size);
  claim.finding = verdict(by_size);
  return claim;
}

Claim semi_claim(const Protocol& p, const Results& results) {
  Claim claim{.number = 9,
              .statement = "The semi-gradient's disadvantage shrinks as the hidden layer grows."};
  const auto exact = points_of(p, results, NetworkKind::exact),
             semi = points_of(p, results, NetworkKind::semi);
  std::vector<std::vector<double>> differences, ratios;
  std::string listed;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    differences.emplace_back();
    for (std::size_t r = 0; r < p.sweep_repeats; ++r)
      differences[i].push_back(semi[i].errors[r] - exact[i].errors[r]);
    ratios.push_back(log_ratios(semi[i].errors, exact[i].errors));
    const double difference = estimate(differences[i]).mean, ratio = std::exp(estimate(ratios[i]).mean);
    listed += fmt::format("{}{}: {:.2g} ({:.2f}x)", i ? ", " : "", exact[i].hidden, difference, ratio);
    claim.numbers["sizes"].push_back(
        {{"size", exact[i].hidden}, {"difference", difference}, {"ratio", ratio}});
  }
  const auto sizes = p.sweep_sizes();
  const auto from = static_cast<std::size_t>(std::ranges::find(sizes, differing_size) - sizes.begin());
  const Estimate of_difference = slope_over_size(sizes, differences),
                 of_ratio = slope_over_size(sizes, ratios);
  claim.measured = fmt::format(
      "Error of semi-gradient minus exact (and their ratio) by hidden size: {}. Slope over log(size): of the "
      "difference {} (from {} neurons on {}), of the logarithm of the ratio {} ({}).",
      listed, text(of_difference), differing_size, text(slope_over_size(sizes, differences, from)),
      text(of_ratio), text(slope_over_size(sizes, ratios, from)));
  const ClaimPart parts[] = {{"fall of the difference over log(size)", negative(of_difference)},
                             {"fall of the logarithm of the ratio over log(size)", negative(of_ratio)}};
  claim.numbers["parts"] = json(parts);
  claim.finding = verdict(parts);
  return claim;
}

}  // namespace irn::experiments
