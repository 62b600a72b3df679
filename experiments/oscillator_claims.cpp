#include "experiments/oscillator_claims.h"

#include <fmt/format.h>

#include "experiments/claim_parts.h"
#include "experiments/oscillator_curves.h"
#include "experiments/settling/measured.h"

namespace irn::experiments {
namespace {

// One list for each kind of network.
using OfKinds = std::array<std::vector<double>, 3>;
constexpr std::size_t feed_forward = 0, semi = 1, exact = 2;

// The mean of the last tenth of the epochs of each repeat.
std::vector<double> late_training_error(const Protocol& p, const Values& values) {
  const std::size_t last = std::max<std::size_t>(1, p.epochs / 10);
  std::vector<double> errors(p.repeats, 0.0);
  for (std::size_t e = p.epochs - last; e < p.epochs; ++e)
    for (std::size_t r = 0; r < p.repeats; ++r) errors[r] += values[e][r] / double(last);
  return errors;
}

// Standard deviation from epoch to epoch within each repeat, over the second half of training.
std::vector<double> fluctuation(const Protocol& p, const Values& values) {
  std::vector<double> result;
  for (std::size_t r = 0; r < p.repeats; ++r) {
    std::vector<double> late;
    for (std::size_t e = p.epochs / 2; e < p.epochs; ++e) late.push_back(values[e][r]);
    result.push_back(estimate(late).error * std::sqrt(double(late.size())));
  }
  return result;
}

// Standard deviation over the repeats at the same epoch, its mean over all epochs.
double spread_over_repeats(const Protocol& p, const Values& values) {
  double sum = 0;
  for (const auto& repeats : values)
    sum += estimate(repeats).error * std::sqrt(double(p.repeats)) / double(values.size());
  return sum;
}

std::string ratio_text(const Estimate& logarithm) {
  if (!std::isfinite(logarithm.half_width)) return "an unknown number of";
  return fmt::format("{:.3g} ({:.3g} to {:.3g})", std::exp(logarithm.mean), std::exp(logarithm.low()),
                     std::exp(logarithm.high()));
}

void add_means(Claim& claim, const std::string& quantity, const OfKinds& values) {
  for (const NetworkKind kind : kinds) {
    Json mean = json(estimate(values[static_cast<std::size_t>(kind)]));
    mean["quantity"] = quantity, mean["network"] = name(kind);
    claim.numbers["means"].push_back(mean);
  }
}

std::string means_text(const OfKinds& values) {
  return fmt::format("feed-forward {}, semi-gradient {}, exact {}", text(estimate(values[feed_forward])),
                     text(estimate(values[semi])), text(estimate(values[exact])));
}

struct Deviations {
  OfKinds within;                 // from epoch to epoch, of each repeat
  std::array<double, 3> between;  // over repeats
  OfKinds logarithm;              // of `between`, as pseudo-values of each repeat
};

Deviations deviations_of(const Protocol& p, const Results& results) {
  Deviations d;
  for (const NetworkKind kind : kinds) {
    const std::size_t k = static_cast<std::size_t>(kind);
    const Values values = train_values(p, results, kind, "loss");
    d.within[k] = fluctuation(p, values);
    d.between[k] = spread_over_repeats(p, values);
    d.logarithm[k] = log_deviation(values);
  }
  return d;
}

std::vector<ClaimPart> variance_parts(const Deviations& d) {
  std::vector<ClaimPart> parts;
  const auto add = [&](const std::string& quantity, const OfKinds& values) {
    for (const NetworkKind other : {NetworkKind::semi, NetworkKind::exact})
      parts.push_back({fmt::format("{}, feed-forward minus {}", quantity, name(other)),
                       paired_difference(values[feed_forward], values[static_cast<std::size_t>(other)])});
  };
  add("deviation from epoch to epoch", d.within);
  add("logarithm of the deviation between repeats", d.logarithm);
  return parts;
}

}  // namespace

Claim order_claim(const Protocol& p, const Results& results) {
  Claim claim{.number = 6,
              .statement = fmt::format(
                  "Oscillator, {} hidden neurons: exact beats semi-gradient beats feed-forward, in "
                  "training and in test error.",
                  p.hidden)};
  std::vector<ClaimPart> parts;
  for (const bool test : {false, true}) {
    OfKinds errors;
    for (const NetworkKind kind : kinds)
      errors[static_cast<std::size_t>(kind)] =
          test ? final_errors(results, curve_run(p, kind), p.repeats)
               : late_training_error(p, train_values(p, results, kind, "loss"));
    const std::string quantity = test ? "test error" : "training error";
    claim.measured += fmt::format("{}: {}. ", test ? "Test" : "Training", means_text(errors));
    add_means(claim, quantity, errors);
    parts.push_back({quantity + ", feed-forward minus semi-gradient",
                     paired_difference(errors[feed_forward], errors[semi])});
    parts.push_back(
        {quantity + ", semi-gradient minus exact", paired_difference(errors[semi], errors[exact])});
  }
  claim.measured += fmt::format("{} of 4 differences within repeats are certainly positive (95 %).",
                                count(parts, Finding::holds));
  claim.numbers["parts"] = json(parts);
  claim.finding = verdict(parts);
  return claim;
}

Claim variance_claim(const Protocol& p, const Results& results) {
  Claim claim{.number = 7, .statement = "The feed-forward network's training error has the larger variance."};
  const Deviations d = deviations_of(p, results);
  const std::vector<ClaimPart> parts = variance_parts(d);
  claim.measured = fmt::format(
      "Standard deviation of an epoch's training error from epoch to epoch (second half of training): {}; "
      "within repeats feed-forward has {} more than semi-gradient and {} more than exact. Between repeats at "
      "the same epoch: {:.3g}, {:.3g}, {:.3g}; feed-forward has {} times as much as semi-gradient and {} "
      "times as much as exact.",
      means_text(d.within), text(parts[0].difference), text(parts[1].difference), d.between[feed_forward],
      d.between[semi], d.between[exact], ratio_text(parts[2].difference), ratio_text(parts[3].difference));
  add_means(claim, "deviation from epoch to epoch", d.within);
  for (const NetworkKind kind : kinds)
    claim.numbers["between_repeats"].push_back(
        {{"network", name(kind)}, {"deviation", d.between[static_cast<std::size_t>(kind)]}});
  claim.numbers["parts"] = json(parts);
  claim.finding = verdict(parts);
  return claim;
}

}  // namespace irn::experiments
