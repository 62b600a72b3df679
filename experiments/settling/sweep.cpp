// The oscillator over hidden size: free, certified, with the semi-gradient, and without recurrence.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/settling/oscillator_results.h"
#include "experiments/settling/parts.h"

namespace irn::experiments {
namespace {

constexpr std::size_t sweep_sizes[] = {2, 5, 12, 20};
constexpr const char* sweep_methods[] = {"none", "semi-95", "free", "certified-95"};

std::vector<Job> jobs(const SettlingSettings& s) {
  std::vector<Job> all;
  for (const char* name : sweep_methods)
    for (const std::size_t hidden : sweep_sizes)
      for (std::size_t r = 0; r < s.oscillator_repeats; ++r)
        all.push_back(job_of(s.paper(), run_of(method(name), hidden, r)));
  return all;
}

Claim order_claim(const SettlingSettings& s, const Results& results) {
  std::size_t ahead = 0, certain = 0, behind = 0, all = 0;
  Claim claim{.number = 14,
              .statement =
                  "Under the certificate the exact network is ahead at every hidden size (the paper's "
                  "claim 8)."};
  for (const std::size_t hidden : sweep_sizes)
    for (const char* other : {"none", "semi-95"}) {
      const Estimate gap = gain(s, results, "certified-95", other, hidden);
      ++all, ahead += gap.mean > 0, certain += gap.low() > 0, behind += gap.high() < 0;
      claim.numbers.push_back({{"hidden", hidden}, {"than", other}, {"gain", json(gap)}});
    }
  claim.measured = fmt::format(
      "of {} comparisons with the semi-gradient and without recurrence: ahead in the mean "
      "in {}, certainly ahead (95 %) in {}, certainly behind in {}",
      all, ahead, certain, behind);
  claim.finding = certain == all                   ? Finding::holds
                  : behind == 0 && 2 * ahead > all ? Finding::partly
                                                   : Finding::fails;
  return claim;
}

Claim cost_claim(const SettlingSettings& s, const Results& results) {
  Claim claim{.number = 15, .statement = "The certificate (0.95) costs nothing at any hidden size."};
  std::string words;
  Finding worst = Finding::holds;
  for (const std::size_t hidden : sweep_sizes) {
    const Estimate saved = gain(s, results, "certified-95", "free", hidden);
    const double free = mean(measured(s, results, method("free"), hidden).value);
    words += fmt::format("{}: {:+.1f} ± {:.1f} %; ", hidden, -100 * saved.mean / free,
                         100 * saved.half_width / free);
    worst = std::max(worst, no_worse(saved, allowed_share * free));
    claim.numbers.push_back({{"hidden", hidden}, {"gain", json(saved)}});
  }
  claim.measured =
      "error beside that of free training, by hidden size: " + words +
      "(holds if all intervals lie below 10 %, fails if one lies above zero and reaches beyond 10 %)";
  claim.finding = worst;
  return claim;
}

PartReport assemble(const SettlingSettings& s, const Results& results) {
  report::Figure figure{.name = "settling-sweep",
                        .caption = "Error over hidden size: mean and 95 % intervals over the repeats."};
  report::Panel panel{.x = {.label = "hidden neurons", .log = true},
                      .y = {.label = "mean squared error", .log = true}};
  report::Table table{.caption = "Error over hidden size, with the share settled where that is not all.",
                      .columns = {{"method"}}};
  for (const std::size_t hidden : sweep_sizes) {
    panel.x.ticks.push_back(double(hidden));
    table.columns.push_back({fmt::format("{} hidden", hidden), report::Align::right});
  }
  for (const char* name : sweep_methods) {
    report::Series series{
        .label = std::string(method(name).label), .mark = report::Mark::both, .colour = method(name).colour};
    std::vector<report::Cell> row = {series.label};
    for (const std::size_t hidden : sweep_sizes) {
      const Measured m = measured(s, results, method(name), hidden);
      const Estimate e = estimate(m.value);
      series.x.push_back(double(hidden)), series.y.push_back(e.mean);
      series.low.push_back(e.low()), series.high.push_back(e.high());
      row.emplace_back(text(e) + (mean(m.settled) < 1 ? ", " + settled_text(mean(m.settled)) : ""));
    }
    panel.series.push_back(std::move(series));
    table.rows.push_back(std::move(row));
  }
  figure.panels = {panel};
  return {.text = {"The same task and training with more and fewer hidden neurons."},
          .figures = {figure},
          .tables = {table},
          .claims = {order_claim(s, results), cost_claim(s, results),
                     settles_claim(
                         16, "Certified networks (0.95) settle every held-out sample at every hidden size.",
                         s, results, std::vector<std::string_view>{"certified-95", "semi-95"}, sweep_sizes)}};
}

}  // namespace

SettlingPart held_sweep_part() { return {"sweep", "The oscillator over hidden size", jobs, assemble}; }

}  // namespace irn::experiments
