// The paper's oscillator task with every method: does the certificate have a cost there?
#include <fmt/format.h>

#include "experiments/settling/oscillator_results.h"
#include "experiments/settling/parts.h"

namespace irn::experiments {
namespace {

std::vector<Measured> all_methods(const SettlingSettings& s, const Results& results) {
  std::vector<Measured> all;
  for (const Method& m : methods()) all.push_back(measured(s, results, m, s.paper().hidden));
  return all;
}

std::vector<Job> jobs(const SettlingSettings& s) {
  std::vector<Job> all;
  for (const Method& m : methods())
    for (std::size_t r = 0; r < s.oscillator_repeats; ++r)
      all.push_back(job_of(s.paper(), run_of(m, s.paper().hidden, r)));
  return all;
}

Claim cost_claim(const SettlingSettings& s, const Results& results) {
  const std::size_t hidden = s.paper().hidden;
  const Measured free = measured(s, results, method("free"), hidden),
                 held = measured(s, results, method("certified-95"), hidden);
  const Estimate saved = gain(s, results, "certified-95", "free", hidden);
  const double bound = allowed_share * mean(free.value);
  return {.number = 11,
          .statement = "On the paper's oscillator the certificate costs nothing.",
          .measured = fmt::format(
              "error {} certified (0.95), {} free; certified - free, within repeats: {:+.2g} ± {:.2g} "
              "(holds if the interval lies below a tenth of the error); settled {} and {}",
              text(estimate(held.value)), text(estimate(free.value)), -saved.mean, saved.half_width,
              settled_text(mean(held.settled)), settled_text(mean(free.settled))),
          .finding = no_worse(saved, bound),
          .numbers = {{"certified", json(estimate(held.value))},
                      {"free", json(estimate(free.value))},
                      {"gain", json(saved)}}};
}

std::vector<std::string_view> certified_names(std::span<const Method> among) {
  std::vector<std::string_view> names;
  for (const Method& m : among)
    if (m.certified()) names.push_back(m.name);
  return names;
}

Claim order_claim(const SettlingSettings& s, const Results& results) {
  const std::size_t hidden = s.paper().hidden;
  const Estimate semi = gain(s, results, "certified-95", "semi-95", hidden),
                 none = gain(s, results, "semi-95", "none", hidden);
  const int certain = (semi.low() > 0) + (none.low() > 0), reversed = (semi.high() < 0) + (none.high() < 0);
  return {
      .number = 13,
      .statement =
          "The paper's order (its claim 6) stands under the certificate: exact beats semi-gradient beats "
          "no recurrence.",
      .measured = fmt::format("error lower by {} than the semi-gradient's, which is lower by {} than without "
                              "recurrence (holds if both intervals lie above zero)",
                              text(semi), text(none)),
      .finding = certain == 2                                      ? Finding::holds
                 : reversed == 0 && semi.mean > 0 && none.mean > 0 ? Finding::partly
                                                                   : Finding::fails,
      .numbers = {{"exact_over_semi", json(semi)}, {"semi_over_none", json(none)}}};
}

report::Figure error_figure(const SettlingSettings& s, const std::vector<Measured>& all) {
  report::Figure figure{
      .name = "settling-oscillator",
      .caption =
          fmt::format("The paper's oscillator, {} hidden neurons, {} epochs: error on {} held-out samples, "
                      "mean of {} repeats with 95 % intervals. A sample without an answer costs 1/12, "
                      "as much as knowing nothing.",
                      s.paper().hidden, s.oscillator_epochs, s.oscillator_held_out, s.oscillator_repeats),
      .plot_width = 820};
  report::Panel panel{.y = {.label = "mean squared error"}};
  for (const Method& m : methods()) panel.x.categories.emplace_back(m.label);
  panel.series = {bars_of(all)};
  figure.panels = {panel};
  return figure;
}

PartReport assemble(const SettlingSettings& s, const Results& results) {
  const std::vector<Measured> all = all_methods(s, results);
  report::Table table{.caption = "The oscillator: error on held-out samples.",
                      .columns = measured_columns("error")};
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::vector<report::Cell> row = {std::string(methods()[k].label)};
    for (report::Cell& cell : measured_cells(all[k])) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  PartReport report;
  report.text = {
      fmt::format("The paper's network of {} hidden neurons and its training (batches of {}, Adam at {:g}, "
                  "the last weights "
                  "answer), with what each method holds. The loop is all of A, seven neurons; an operator is "
                  "one block, so "
                  "that the monotone network has lateral connections and no feedback from the read-out.",
                  s.paper().hidden, s.paper().batch, s.paper().rate)};
  report.figures = {error_figure(s, all)};
  report.tables = {table};
  const std::size_t sizes[] = {s.paper().hidden};
  report.claims = {
      cost_claim(s, results),
      settles_claim(12, "Every certified network settles every held-out sample of the oscillator.", s,
                    results, certified_names(methods()), sizes),
      order_claim(s, results)};
  return report;
}

}  // namespace

SettlingPart held_oscillator_part() { return {"oscillator", "The paper's oscillator", jobs, assemble}; }

}  // namespace irn::experiments
