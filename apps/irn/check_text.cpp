#include "apps/irn/check_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/irn/check_quantities.h"
#include "apps/irn/counted.h"
#include "irn/data/date.h"

namespace irn::app {
namespace {

std::string certificates_text(const Certificates& network) {
  if (!network.recurrent) return "certificates\n  no recurrence: one sweep through the layers is exact\n";
  std::string text = "certificates (one below 1 is enough: every sample settles)\n";
  for (const Certificate& certificate : network.all)
    text += fmt::format("  {:<22} {:>9}  {}\n", name(certificate.kind), number_text(certificate.bound),
                        certificate_verdict(certificate));
  return text + fmt::format("  rightmost eigenvalue at rest {}\n", number_text(network.at_rest.abscissa()));
}

std::string outcomes_text(const CheckStory& story) {
  const CheckSummary& all = story.check.summary;
  std::string text = fmt::format("samples {}\n", all.outcomes.samples);
  for (std::size_t k = 0; k < outcome_names.size(); ++k)
    if (all.outcomes.count[k] > 0)
      text += fmt::format("  {:<12} {:>8}  {:.4g} %\n", outcome_names[k], all.outcomes.count[k],
                          100 * double(all.outcomes.count[k]) / double(all.outcomes.samples));
  text +=
      fmt::format("at rest: {} attract, {} repel, {} undecided\n", all.attracts, all.repels, all.undecided);
  return text;
}

std::string spreads_text(const CheckSummary& summary) {
  std::string text = fmt::format("{:<26} {:>11} {:>11} {:>11}\n", "", "least", "median", "largest");
  for (const Quantity& q : quantities) {
    const Spread& spread = summary.*q.spread;
    if (spread.samples == 0) continue;
    text += fmt::format("{:<26} {:>11} {:>11} {:>11}\n", q.words, number_text(spread.least),
                        number_text(spread.median), number_text(spread.largest));
  }
  return text;
}

std::string fold_text(const std::optional<FoldDistance>& fold) {
  if (!fold) return "none reached from rest";
  return fold->fold ? fmt::format("fold at {:.3g}", fold->fold->distance)
                    : fmt::format("no fold within {:.3g}", fold->range);
}

std::string closer_text(const CheckStory& story) {
  std::string text = "most doubtful\n";
  for (const RowStory& row : story.closer) {
    const SampleCheck& sample = story.check.samples[row.sample];
    text += fmt::format("  {:<10} {:<10} {}", story.row_name(row.sample), name(sample.verdict.outcome),
                        path_text(*row.path));
    if (row.closer && row.closer->equilibria) {
      const EquilibriaOf& found = *row.closer->equilibria;
      text += fmt::format("; {} {}, {} stable{}", found.equilibria.size(),
                          found.equilibria.size() == 1 ? "equilibrium" : "equilibria", found.stable(),
                          found.misses_some ? ", and more" : "");
      if (found.edge) text += fmt::format(", edge at {:.3g}", found.edge->from_path);
      text += ", " + fold_text(row.closer->fold);
    }
    text += "\n";
  }
  return story.proven() ? text + "  proven: no other equilibria, no folds\n" : text;
}

std::string vary_text(const VaryStory& vary) {
  std::string text =
      fmt::format("{} from {} to {}{}: {} {} of equilibria\n", vary.what, varied_text(vary, vary.low, 4),
                  varied_text(vary, vary.high, 4), vary.place.empty() ? "" : ", " + vary.place,
                  vary.branches.size(), vary.branches.size() == 1 ? "branch" : "branches");
  constexpr std::size_t most = 12;
  const std::vector<TurningPoint> all = turnings_in_order(vary);
  for (std::size_t k = 0; k < std::min(most, all.size()); ++k)
    text += fmt::format("  {} at {}\n", turning_text(all[k].kind), varied_text(vary, all[k].p, 6));
  if (all.size() > most) text += fmt::format("  ... and {} more (--json lists all)\n", all.size() - most);
  return text;
}

std::string gradients_text(const GradientStory& story) {
  const GradientComparison& all = story.comparison;
  std::string text =
      fmt::format("gradients of {} samples beside the exact one\n  {:<24} {:>8} {:>12} {:>12} {:>14}\n",
                  all.samples.size(), "", "samples", "median angle", "largest", "median length");
  for (std::size_t k = 0; k < story.names.size(); ++k) {
    const GradientSpread& s = all.spreads[k];
    text += fmt::format("  {:<24} {:>8} {:>12} {:>12} {:>14}\n", story.names[k], s.samples,
                        fmt::format("{:.3g}°", s.median_angle), fmt::format("{:.3g}°", s.largest_angle),
                        fmt::format("{:.3g}", s.median_length));
  }
  return text + fmt::format("  the exact one differs from differences by {:.2g} at most, of {} samples\n",
                            all.largest_difference, story.with_differences());
}

}  // namespace

std::size_t GradientStory::with_differences() const {
  const auto& all = comparison.samples;
  return std::size_t(
      std::count_if(all.begin(), all.end(), [](const auto& s) { return s.differences.has_value(); }));
}

std::string turning_text(Turning turning) {
  return turning == Turning::hopf ? "Hopf point" : std::string(name(turning));
}

std::string number_text(double value) {
  return std::isnan(value)      ? "-"
         : std::isfinite(value) ? fmt::format("{:.4g}", value)
         : value > 0            ? "infinite"
                                : "-infinite";
}

std::string varied_text(const VaryStory& vary, double value, int digits) {
  return vary.date ? date_text(value) : fmt::format("{:.{}g}", value, digits);
}

std::string certificate_verdict(const Certificate& certificate) {
  if (certificate.holds) return "holds: " + std::string(promise(certificate.kind));
  if (!std::isfinite(certificate.bound)) return "not known: the loop is too wide";
  return certificate.bound < 1
             ? "too close to 1 to be proven"
             : fmt::format("would hold with recurrent weights {:.3g} times smaller", certificate.bound);
}

std::string path_text(const SettlingPath& path) {
  switch (path.end) {
    case PathEnd::settled:
      return path.way.times.back() == 0 ? "is at rest where it starts"
                                        : fmt::format("settles in {:.3g}", path.way.times.back());
    case PathEnd::slow:
      return fmt::format("still falls, another {:.3g} to go", path.time_left);
    case PathEnd::cycles:
      return fmt::format("cycles, period {:.4g}, amplitude {:.3g}", path.period, path.amplitude);
    case PathEnd::runs_away:
      return "runs away";
    case PathEnd::wanders:
      break;
  }
  return fmt::format("wanders, amplitude {:.3g}", path.amplitude);
}

std::string summary_text(const CheckStory& story) {
  std::string text = fmt::format("network {}, {}\n{}", story.network, counted(story.neurons, "neuron"),
                                 certificates_text(story.check.network));
  if (story.has_table()) {
    text += outcomes_text(story) + spreads_text(story.check.summary);
    if (!story.closer.empty()) text += closer_text(story);
  }
  if (story.vary) text += vary_text(*story.vary);
  if (story.gradients) text += gradients_text(*story.gradients);
  return text;
}

}  // namespace irn::app
