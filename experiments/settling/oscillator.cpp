// The paper's oscillator task with every method, and over its hidden size with some: does the certificate cost anything there?
#include <fmt/format.h>

#include "experiments/oscillator_training.h"
#include "experiments/settling/measured.h"
#include "experiments/settling/parts.h"
#include "experiments/small_parts.h"

namespace irn::experiments {
namespace {

// w0 - 1 and d / 2 are uniform on [0, 1]: who answers 1/2 is wrong by a square of 1/12 in the mean. A sample without an answer costs as much.
constexpr double knowing_nothing = 1.0 / 12;

constexpr std::size_t sweep_sizes[] = {2, 5, 12, 20};
constexpr const char* sweep_methods[] = {"none", "semi-95", "free", "certified-95"};

OscillatorRun run_of(const Method& m, std::size_t hidden, std::size_t repeat) {
  return {.hidden = hidden, .repeat = repeat, .method = &m};
}

Measured measured(const SettlingSettings& s, const Results& results, const Method& m, std::size_t hidden) {
  Measured all;
  for (std::size_t r = 0; r < s.oscillator_repeats; ++r) {
    const std::string key = run_of(m, hidden, r).key();
    const Json& test = results.at(key).at("test").back();
    const double settled = number(test.at("settled")), error = number(test.at("loss"));
    all.add((settled > 0 ? settled * error : 0) + (1 - settled) * knowing_nothing, settled,
            number(test.at("evaluations")), results.seconds(key));
  }
  return all;
}

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

// Lower errors are better: b - a.
Estimate gain(const SettlingSettings& s, const Results& results, std::string_view a, std::string_view b,
              std::size_t hidden) {
  return paired_difference(measured(s, results, method(b), hidden).value,
                           measured(s, results, method(a), hidden).value);
}

// A tenth of the error is far less than what the paper's networks differ by.
constexpr double allowed_share = 0.1;

Claim cost_claim(const SettlingSettings& s, const Results& results) {
  const std::size_t hidden = s.paper().hidden;
  const Measured free = measured(s, results, method("free"), hidden),
                 held = measured(s, results, method("certified-95"), hidden);
  const Estimate saved = gain(s, results, "certified-95", "free", hidden);
  const double bound = allowed_share * mean(free.value);
  return {.number = 11,
          .statement = "On the paper's oscillator the certificate costs nothing, and every sample settles.",
          .measured = fmt::format(
              "error {} certified (0.95), {} free; certified - free, within repeats: {:+.2g} ± {:.2g} "
              "(holds if the interval lies below a tenth of the error); settled {} and {}",
              text(estimate(held.value)), text(estimate(free.value)), -saved.mean, saved.half_width,
              settled_text(mean(held.settled)), settled_text(mean(free.settled))),
          .finding = mean(held.settled) == 1 ? no_worse(saved, bound) : Finding::fails,
          .numbers = {{"certified", json(estimate(held.value))},
                      {"free", json(estimate(free.value))},
                      {"gain", json(saved)}}};
}

Claim order_claim(const SettlingSettings& s, const Results& results) {
  const std::size_t hidden = s.paper().hidden;
  const Estimate semi = gain(s, results, "certified-95", "semi-95", hidden),
                 none = gain(s, results, "semi-95", "none", hidden);
  const int certain = (semi.low() > 0) + (none.low() > 0), reversed = (semi.high() < 0) + (none.high() < 0);
  return {
      .number = 12,
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
      .plot_width = 620};
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
  report.claims = {cost_claim(s, results), order_claim(s, results)};
  return report;
}

std::vector<Job> sweep_jobs(const SettlingSettings& s) {
  std::vector<Job> all;
  for (const char* name : sweep_methods)
    for (const std::size_t hidden : sweep_sizes)
      for (std::size_t r = 0; r < s.oscillator_repeats; ++r)
        all.push_back(job_of(s.paper(), run_of(method(name), hidden, r)));
  return all;
}

Claim sweep_claim(const SettlingSettings& s, const Results& results) {
  std::size_t ahead = 0, certain = 0, behind = 0, all = 0;
  Claim claim{.number = 13,
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

Claim sweep_cost_claim(const SettlingSettings& s, const Results& results) {
  Claim claim{.number = 14, .statement = "The certificate (0.95) costs nothing at any hidden size."};
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

PartReport assemble_sweep(const SettlingSettings& s, const Results& results) {
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
          .claims = {sweep_claim(s, results), sweep_cost_claim(s, results)}};
}

}  // namespace

SettlingPart held_oscillator_part() { return {"oscillator", "The paper's oscillator", jobs, assemble}; }
SettlingPart held_sweep_part() {
  return {"sweep", "The oscillator over hidden size", sweep_jobs, assemble_sweep};
}

}  // namespace irn::experiments
