// Every method on every generated table, with three activations.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/settling/parts.h"
#include "experiments/settling/table_results.h"

namespace irn::experiments {
namespace {

std::vector<Job> jobs(const SettlingSettings& s) {
  std::vector<Job> all;
  for (const auto& [table, f] : cases())
    for (const Method& m : methods())
      for (std::size_t r = 0; r < s.repeats; ++r) all.push_back(job_of(s, {table, f, &m, r}));
  return all;
}

Claim settles_claim(const Trained& trained) {
  Claim claim{.number = 1, .statement = "Certified training settles every held-out row."};
  std::size_t all = 0, lost = 0;
  for (const Method& m : methods())
    if (m.hold == Hold::symmetric && !m.certified_apart()) {
      all += trained.held_out_rows(), lost += trained.lost(m);
      claim.numbers[std::string(m.name)] = trained.lost(m);
    }
  claim.measured = fmt::format(
      "{} of {} rows without an answer (holds if none; bounds 0.5, 0.8 and 0.95, the "
      "exact gradient and the semi-gradient)",
      lost, all);
  claim.finding = lost == 0 ? Finding::holds : lost * 1000 < all ? Finding::partly : Finding::fails;
  return claim;
}

Claim loses_claim(const Trained& trained) {
  Claim claim{.number = 2, .statement = "Free training leaves rows without an answer."};
  const Method& free = method("free");
  std::size_t most = 0, hit = 0;
  Case worst = cases().front();
  for (const Case& c : cases()) {
    const std::size_t lost = trained.lost(c, free);
    hit += lost > 0;
    if (lost > most) most = lost, worst = c;
  }
  const std::size_t lost = trained.lost(free), averaged = trained.lost(method("averaged"));
  claim.measured = fmt::format(
      "{:.1f} % of the held-out rows, in {} of {} cases (holds above 1 %); most, {:.1f} %, on {}, {}. With a "
      "mean of the weights {:.1f} %",
      100 * double(lost) / double(trained.held_out_rows()), hit, cases().size(),
      100 * double(most) * double(cases().size()) / double(trained.held_out_rows()), worst.table->label,
      name(worst.activation), 100 * double(averaged) / double(trained.held_out_rows()));
  claim.finding = lost * 100 > trained.held_out_rows() ? Finding::holds
                  : lost > 0                           ? Finding::partly
                                                       : Finding::fails;
  claim.numbers = {{"lost", lost}, {"averaged", averaged}, {"rows", trained.held_out_rows()}};
  return claim;
}

// Half a point, as much as the choice of a seed changes.
constexpr double allowed = 0.005;

Claim better_claim(int number, const std::string& statement, const Trained& trained, std::string_view a,
                   std::string_view b) {
  const Comparison c = compare(trained, a, b);
  return {.number = number,
          .statement = statement,
          .measured = c.words() + " (holds if the interval lies above zero)",
          .finding = better(c.overall),
          .numbers = c.numbers()};
}

Claim no_worse_claim(int number, const std::string& statement, const Trained& trained, std::string_view a,
                     std::string_view b) {
  const Comparison c = compare(trained, a, b);
  return {.number = number,
          .statement = statement,
          .measured = c.words() + " (holds if the interval lies above -0.5)",
          .finding = no_worse(c.overall, allowed),
          .numbers = c.numbers()};
}

report::Figure accuracy_figure(const SettlingSettings& s, const Trained& trained) {
  report::Figure figure{
      .name = "settling-accuracy",
      .caption = fmt::format("Share of held-out rows that are right, one without an answer being wrong. One "
                             "lateral layer of {} neurons, {} rows, {} epochs; mean of {} repeats, whiskers: "
                             "95 % intervals.",
                             s.width, s.rows, s.epochs, s.repeats)};
  for (const GeneratedTable& table : generated_tables()) {
    report::Panel panel{.title = std::string(table.label),
                        .y = {.label = "right", .range = report::Range{0, 1.05}},
                        .legend = report::Legend::above};
    for (const Activation f : table_activations) panel.x.categories.emplace_back(name(f));
    for (const char* shown : {"none", "free", "penalised", "certified-95", "rows", "monotone"}) {
      report::Series bars{.label = std::string(method(shown).label),
                          .mark = report::Mark::bars,
                          .colour = method(shown).colour};
      for (std::size_t k = 0; k < std::size(table_activations); ++k) {
        const Estimate e = estimate(trained.at({&table, table_activations[k]}, method(shown)).value);
        bars.x.push_back(double(k)), bars.y.push_back(e.mean);
        bars.low.push_back(std::max(0.0, e.low())), bars.high.push_back(std::min(1.0, e.high()));
      }
      panel.series.push_back(std::move(bars));
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

report::Table overall_table(const Trained& trained) {
  report::Table table{
      .caption = fmt::format("All {} cases together: held-out rows that are right (one without an answer is "
                             "wrong), that settle, evaluations of the network a row.",
                             cases().size()),
      .columns = measured_columns("right")};
  for (const Method& m : methods()) {
    std::vector<report::Cell> row = {std::string(m.label)};
    for (report::Cell& cell : measured_cells(trained.overall(m))) row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string brief(const Measured& m) {
  const Estimate e = estimate(m.value);
  const double settled = mean(m.settled);
  return fmt::format("{:.3f} ± {:.3f}", e.mean, e.half_width) +
         (settled < 1 ? ", " + settled_text(settled) : "");
}

report::Table table_table(const Trained& trained, const GeneratedTable& of) {
  report::Table table{.caption = std::string(of.label) +
                                 ": right, with its interval, and the share settled where that is not all.",
                      .columns = {{"method"}}};
  for (const Activation f : table_activations)
    table.columns.push_back({std::string(name(f)), report::Align::right});
  for (const Method& m : methods()) {
    std::vector<report::Cell> row = {std::string(m.label)};
    for (const Activation f : table_activations) row.emplace_back(brief(trained.at({&of, f}, m)));
    table.rows.push_back(std::move(row));
  }
  for (const char* which : {"free", "pulled"}) {
    std::vector<report::Cell> last = {std::string(method(which).label) + ": settled after the last epoch"};
    for (const Activation f : table_activations)
      last.emplace_back(settled_text(trained.settled_last({&of, f}, method(which))));
    table.rows.push_back(std::move(last));
  }
  return table;
}

std::string introduction(const SettlingSettings& s) {
  return fmt::format(
      "One lateral layer of {} neurons and a forward read-out learn four tables that the program draws, with "
      "three "
      "activations. {} rows, {} epochs of Adam in batches of 32, rates from {:g} along a cosine, gradients "
      "clipped "
      "to norm 1; the epoch that does best on {} rows of its own is kept and judged on {} others. The "
      "methods, and "
      "what they cost and bring in the mean of all cases:",
      s.width, s.rows, s.epochs, s.rate, s.rows / 5, s.held_out);
}

std::string in_words(const Method& m, const Trained& trained) {
  const Measured own = trained.overall(m), free = trained.overall(method("free"));
  const std::string what =
      fmt::format("{}: {} {:.1f} % right, {} settled, {:.1f} evaluations a row", m.label, m.about,
                  100 * mean(own.value), settled_text(mean(own.settled)), mean(own.evaluations));
  if (m.name == "free") return what + ".";
  return what + fmt::format("; beside free training {}, in {:.2g} times its time.",
                            points_text(paired_difference(own.value, free.value)),
                            mean(own.seconds) / mean(free.seconds));
}

PartReport assemble(const SettlingSettings& s, const Results& results) {
  const Trained trained(s, results);
  PartReport report;
  report.text = {introduction(s)};
  for (const Method& m : methods()) report.text.push_back(in_words(m, trained));
  report.figures = {accuracy_figure(s, trained)};
  report.tables = {overall_table(trained)};
  for (const GeneratedTable& table : generated_tables()) report.tables.push_back(table_table(trained, table));
  report.claims = {
      settles_claim(trained),
      loses_claim(trained),
      no_worse_claim(3, "The certificate costs no accuracy: certified (0.95) against free.", trained,
                     "certified-95", "free"),
      better_claim(4, "Under the certificate (0.95) the exact gradient beats the semi-gradient.", trained,
                   "certified-95", "semi-95"),
      better_claim(5, "The certificate (0.95) lets a network learn more than bounded rows do.", trained,
                   "certified-95", "rows"),
      no_worse_claim(6, "Projection learns no less than the monotone parametrisation of the same set.",
                     trained, "certified-95", "monotone"),
      better_claim(7, "Recurrence pays under the certificate (0.95): against the same width without it.",
                   trained, "certified-95", "none"),
      no_worse_claim(8, "The bound hardly matters: 0.5 learns no less than 0.95.", trained, "certified-50",
                     "certified-95"),
      better_claim(19, "Weights of the neurons, optimised, let a certified network (0.95) learn more.",
                   trained, "optimised", "certified-95"),
      better_claim(20, "Under the certificate (0.95) loops learn more at twice the rate.", trained,
                   "faster-2", "certified-95"),
      better_claim(21, "A free network that is kept away from folds learns more.", trained, "folds", "free"),
      better_claim(22, "A free network whose lost samples pull back learns more.", trained, "pulled",
                   "free")};
  return report;
}

}  // namespace

SettlingPart held_tables_part() { return {"tables", "Tables drawn by the program", jobs, assemble}; }

}  // namespace irn::experiments
