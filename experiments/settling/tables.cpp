// Every method on every table that the program draws, with three activations.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/settling/measured.h"
#include "experiments/settling/parts.h"
#include "experiments/settling/table_training.h"
#include "experiments/small_parts.h"

namespace irn::experiments {
namespace {

constexpr Activation activations[] = {Activation::relu, Activation::tanh, Activation::sigmoid};

// A table with an activation.
struct Case {
  const GeneratedTable* table;
  Activation activation;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const GeneratedTable& table : generated_tables())
    for (const Activation f : activations) all.push_back({&table, f});
  return all;
}

std::vector<Job> jobs(const SettlingSettings& s) {
  std::vector<Job> all;
  for (const auto& [table, f] : cases())
    for (const Method& m : methods())
      for (std::size_t r = 0; r < s.repeats; ++r) all.push_back(job_of(s, {table, f, &m, r}));
  return all;
}

// The results, asked for by method.
class Trained {
 public:
  Trained(const SettlingSettings& s, const Results& results) : settings_(s), results_(results) {}

  Measured at(const Case& c, const Method& m) const {
    Measured all;
    each(c, m, [&](const Json& run, double seconds) {
      all.add(number(run.at("right")), number(run.at("settled")), number(run.at("evaluations")), seconds);
    });
    return all;
  }
  // The mean over all cases, repeat by repeat.
  Measured overall(const Method& m) const {
    Measured all;
    for (std::size_t r = 0; r < settings_.repeats; ++r) {
      std::vector<double> v[4];
      for (const Case& c : cases()) {
        const Measured one = at(c, m);
        v[0].push_back(one.value[r]), v[1].push_back(one.settled[r]);
        v[2].push_back(one.evaluations[r]), v[3].push_back(one.seconds[r]);
      }
      all.add(mean(v[0]), mean(v[1]), mean(v[2]), mean(v[3]));
    }
    return all;
  }
  std::size_t lost(const Case& c, const Method& m) const {
    std::size_t rows = 0;
    each(c, m, [&](const Json& run, double) { rows += run.at("lost").get<std::size_t>(); });
    return rows;
  }
  std::size_t lost(const Method& m) const {
    std::size_t rows = 0;
    for (const Case& c : cases()) rows += lost(c, m);
    return rows;
  }
  double settled_last(const Case& c, const Method& m) const {
    std::vector<double> shares;
    each(c, m, [&](const Json& run, double) { shares.push_back(number(run.at("settled_last"))); });
    return mean(shares);
  }
  std::size_t held_out_rows() const { return cases().size() * settings_.repeats * settings_.held_out; }

 private:
  template <class Visit>
  void each(const Case& c, const Method& m, const Visit& visit) const {
    for (std::size_t r = 0; r < settings_.repeats; ++r) {
      const std::string key = TableRun{c.table, c.activation, &m, r}.key();
      visit(results_.at(key), results_.seconds(key));
    }
  }
  const SettlingSettings& settings_;
  const Results& results_;
};

// a - b in what is right: over all cases, and in how many it is certainly more or less.
struct Comparison {
  Estimate overall;
  std::size_t better = 0, worse = 0;
  std::string words() const {
    return fmt::format("{} in the mean of the {} cases; certainly (95 %) more in {}, less in {}",
                       points_text(overall), cases().size(), better, worse);
  }
  Json numbers() const { return {{"difference", json(overall)}, {"better", better}, {"worse", worse}}; }
};

Comparison compare(const Trained& trained, std::string_view a, std::string_view b) {
  const Method &first = method(a), &second = method(b);
  Comparison result{.overall =
                        paired_difference(trained.overall(first).value, trained.overall(second).value)};
  for (const Case& c : cases()) {
    const Estimate gap = paired_difference(trained.at(c, first).value, trained.at(c, second).value);
    result.better += gap.low() > 0, result.worse += gap.high() < 0;
  }
  return result;
}

Claim settles_claim(const Trained& trained) {
  Claim claim{.number = 1, .statement = "Certified training settles every held-out row."};
  std::size_t all = 0, lost = 0;
  for (const Method& m : methods())
    if (m.hold == Hold::symmetric) {
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

// Half a point is what the choice of a seed moves.
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
    for (const Activation f : activations) panel.x.categories.emplace_back(name(f));
    for (const char* shown : {"none", "free", "penalised", "certified-95", "rows", "monotone"}) {
      report::Series bars{.label = std::string(method(shown).label),
                          .mark = report::Mark::bars,
                          .colour = method(shown).colour};
      for (std::size_t k = 0; k < std::size(activations); ++k) {
        const Estimate e = estimate(trained.at({&table, activations[k]}, method(shown)).value);
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

report::Table case_table(const Trained& trained) {
  report::Table table{
      .caption =
          "Each case: right, with its interval, and the share settled where that is not all. Last: what "
          "free training settles after the last epoch, where no better one is chosen.",
      .columns = {{"table"}, {"activation"}}};
  for (const Method& m : methods()) table.columns.push_back({std::string(m.label), report::Align::right});
  table.columns.push_back({"free, last epoch settled", report::Align::right});
  for (const Case& c : cases()) {
    std::vector<report::Cell> row = {std::string(c.table->label), std::string(name(c.activation))};
    for (const Method& m : methods()) row.emplace_back(brief(trained.at(c, m)));
    row.emplace_back(settled_text(trained.settled_last(c, method("free"))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> paragraphs(const SettlingSettings& s) {
  return {
      fmt::format(
          "One lateral layer of {} neurons and a forward read-out learn four tables that the program draws, "
          "with three activations. {} rows, {} epochs of Adam in batches of 32, rates from {:g} along a "
          "cosine, "
          "gradients clipped to norm 1; the epoch that does best on {} rows of its own is kept and judged "
          "on {} others.",
          s.width, s.rows, s.epochs, s.rate, s.rows / 5, s.held_out),
      "free: nothing is held. Weights averaged: a mean over about a hundred steps answers. Certified: after "
      "steps, what exceeds the bound is taken out of the symmetric part of A over its loops, so that every "
      "input has one equilibrium, which the flow reaches from everywhere. Rows bounded: rows of A are scaled "
      "so that the flow contracts in the maximum norm. Monotone: A = (0.95 I - P^T P + Q - Q^T) / s, the "
      "certificate's set as a parametrisation, twice as many numbers; its products "
      "lack the kernels of dense blocks, so that its time says little."};
}

// What a method costs and brings beside free training.
std::string in_words(const Method& m, const Trained& trained) {
  const Measured own = trained.overall(m), free = trained.overall(method("free"));
  const std::string what =
      fmt::format("{}: {:.1f} % right, {} settled, {:.1f} evaluations a row", m.label, 100 * mean(own.value),
                  settled_text(mean(own.settled)), mean(own.evaluations));
  if (m.name == "free") return what + ".";
  return what + fmt::format("; beside free training {}, and {:.2g} times its time.",
                            points_text(paired_difference(own.value, free.value)),
                            mean(own.seconds) / mean(free.seconds));
}

PartReport assemble(const SettlingSettings& s, const Results& results) {
  const Trained trained(s, results);
  PartReport report;
  report.text = paragraphs(s);
  for (const Method& m : methods()) report.text.push_back(in_words(m, trained));
  report.figures = {accuracy_figure(s, trained)};
  report.tables = {overall_table(trained), case_table(trained)};
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
                     "certified-95")};
  return report;
}

}  // namespace

SettlingPart held_tables_part() { return {"tables", "Tables drawn by the program", jobs, assemble}; }

}  // namespace irn::experiments
