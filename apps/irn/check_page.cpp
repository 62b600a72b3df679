#include "apps/irn/check_page.h"

#include <cmath>

#include <fmt/format.h>

#include "apps/irn/check_figures.h"
#include "apps/irn/check_text.h"
#include "apps/irn/model_notes.h"
#include "irn/report/page.h"

namespace irn::app {
namespace {

using report::Align;
using report::Badge;
using report::Cell;
using report::Page;
using report::Table;

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

Badge badge_of(Outcome outcome) {
  return outcome == Outcome::settled ? Badge::good : has_answer(outcome) ? Badge::neutral : Badge::bad;
}
Badge badge_of(Attraction attraction) {
  return attraction == Attraction::attracts ? Badge::good
         : attraction == Attraction::repels ? Badge::bad
                                            : Badge::mixed;
}

void add_facts(Page& page, const CheckStory& story) {
  const Certificate* proven = story.check.network.strongest();
  std::vector<std::pair<std::string, std::string>> facts = {
      {"neurons", std::to_string(story.neurons)},
      {"proven", !story.check.network.recurrent ? "no recurrence"
                 : proven                       ? std::string(name(proven->kind))
                                                : "nothing"}};
  if (story.has_table()) {
    const CheckSummary& all = story.check.summary;
    facts.insert(facts.begin(),
                 {{"samples", std::to_string(all.outcomes.samples)},
                  {"settled", percent(all.outcomes.settled_share())},
                  {"without an answer", std::to_string(all.outcomes.samples - all.outcomes.answered())}});
    if (all.time_constant.samples > 0)
      facts.emplace_back("slowest time constant", number_text(all.time_constant.largest));
    if (all.singular.samples > 0)
      facts.emplace_back("smallest singular value", number_text(all.singular.least));
  }
  page.facts(facts);
}

void add_certificates(Page& page, const CheckStory& story) {
  const Certificates& network = story.check.network;
  page.section("What is proven of the network");
  if (!network.recurrent) {
    page.paragraph("It has no recurrence: one sweep through its layers is exact, and every sample settles.");
    return;
  }
  Table table{
      .caption =
          "Certificates, whatever the input. Each is a number below 1; divided by a little more than that "
          "number, the "
          "recurrent weights would have it. The first is enough for one equilibrium, reached from every "
          "start.",
      .columns = {
          {"certificate"}, {"bound", Align::right}, {"proven"}, {"what it promises"}, {"how far away"}}};
  for (const Certificate& c : network.all)
    table.rows.push_back({std::string(name(c.kind)), number_text(c.bound),
                          c.holds ? Cell("holds", Badge::good) : Cell("no", Badge::neutral),
                          std::string(promise(c.kind)), c.holds ? "" : certificate_verdict(c)});
  page.table(table);
  page.paragraph(fmt::format("At rest, without input, the rightmost eigenvalue of the dynamics is {}.",
                             number_text(network.at_rest.abscissa())));
  if (!network.strongest())
    page.note(
        "Nothing is proven: the samples below speak for themselves alone. irn train --certify 0.95 trains "
        "a network with the first of these.",
        Badge::mixed);
}

Table outcomes_table(const CheckSummary& all) {
  Table table{.caption = "What became of the samples.",
              .columns = {{"verdict"}, {"samples", Align::right}, {"share", Align::right}}};
  for (std::size_t k = 0; k < outcome_names.size(); ++k)
    if (all.outcomes.count[k] > 0)
      table.rows.push_back({Cell(std::string(outcome_names[k]), badge_of(static_cast<Outcome>(k))),
                            std::to_string(all.outcomes.count[k]),
                            percent(double(all.outcomes.count[k]) / double(all.outcomes.samples))});
  return table;
}

Table spreads_table(const CheckSummary& all) {
  Table table{
      .caption = "Over the samples that are at rest, attracting or not; residual and evaluations over all.",
      .columns = {{""}, {"least", Align::right}, {"median", Align::right}, {"largest", Align::right}}};
  const auto add = [&](const char* what, const Spread& spread) {
    if (spread.samples > 0)
      table.rows.push_back(
          {what, number_text(spread.least), number_text(spread.median), number_text(spread.largest)});
  };
  add("residual", all.residual);
  add("estimated distance to the limit", all.distance);
  add("evaluations", all.evaluations);
  add("rightmost eigenvalue (real part)", all.abscissa);
  add("slowest time constant", all.time_constant);
  add("turns of the slowest mode a unit of time", all.frequency);
  add("smallest singular value of I - J", all.singular);
  add("sensitivity of the outputs to the (scaled) inputs", all.sensitivity);
  add("amplification of a gradient", all.amplification);
  return table;
}

void add_samples(Page& page, const CheckStory& story) {
  const CheckSummary& all = story.check.summary;
  page.section("The samples");
  const std::size_t lost = all.outcomes.samples - all.outcomes.answered();
  if (lost > 0)
    page.note(fmt::format("{} of {} samples have no answer; {}.", lost, all.outcomes.samples,
                          settling_advice(story.certified)),
              Badge::bad);
  if (all.doubtful > 0)
    page.note(
        fmt::format(
            "{} samples count as settled although the eigenvalues there do not say that the state attracts.",
            all.doubtful),
        Badge::mixed);
  if (story.dropped > 0)
    page.paragraph(fmt::format("{} rows with missing values were left out.", story.dropped));
  page.table(outcomes_table(all)).table(spreads_table(all));
  page.figure(histograms_figure(story));
  if (all.abscissa.samples > 0) page.figure(eigenvalues_figure(story));
}

std::string heading(const CheckStory& story, const RowStory& row) {
  return "Row " + std::to_string(story.rows[row.sample]);
}

Table worst_table(const CheckStory& story) {
  Table table{.caption = "The most doubtful samples: without an answer first, then those nearest to a fold.",
              .columns = {{"", Align::right},
                          {"verdict"},
                          {"the flow"},
                          {"eigenvalue", Align::right},
                          {"singular", Align::right},
                          {"equilibria", Align::right},
                          {"stable", Align::right},
                          {"edge", Align::right},
                          {"fold", Align::right}}};
  for (const RowStory& row : story.closer) {
    const SampleCheck& sample = story.check.samples[row.sample];
    std::vector<Cell> cells = {
        Cell::link(heading(story, row), report::address_of(heading(story, row))),
        Cell(std::string(name(sample.verdict.outcome)), badge_of(sample.verdict.outcome)),
        row.path ? path_text(*row.path) : "",
        sample.state ? number_text(sample.state->stability.abscissa()) : "",
        sample.state ? number_text(sample.state->singular) : ""};
    if (row.closer && row.closer->equilibria) {
      const EquilibriaOf& found = *row.closer->equilibria;
      cells.emplace_back(std::to_string(found.equilibria.size()) + (found.misses_some ? " or more" : ""));
      cells.emplace_back(std::to_string(found.stable()));
      cells.emplace_back(found.edge ? number_text(found.edge->from_path) : "");
      const std::optional<FoldDistance>& fold = row.closer->fold;
      cells.emplace_back(!fold        ? ""
                         : fold->fold ? number_text(fold->fold->distance)
                                      : fmt::format("> {:g}", fold->range));
    }
    if (!row.closer && story.proven()) cells.insert(cells.end(), {"1, proven", "1", "", "none"});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table equilibria_table(const EquilibriaOf& found, const std::vector<std::string>& answers) {
  Table table{
      .caption = fmt::format("Its equilibria. {} starts were followed{}.", found.starts,
                             found.unsettled > 0 ? fmt::format(", {} ended in none", found.unsettled) : ""),
      .columns = {{"answer"},
                  {"stability"},
                  {"rightmost eigenvalue", Align::right},
                  {"starts", Align::right},
                  {"from rest"}}};
  for (std::size_t k = 0; k < found.equilibria.size(); ++k) {
    const FoundEquilibrium& e = found.equilibria[k];
    const std::complex<double> rightmost = e.stability.rightmost();
    table.rows.push_back(
        {k < answers.size() ? answers[k] : "",
         Cell(std::string(name(e.stability.attraction())), badge_of(e.stability.attraction())),
         rightmost.imag() == 0
             ? number_text(rightmost.real())
             : fmt::format("{:.4g} ± {:.4g}i", rightmost.real(), std::abs(rightmost.imag())),
         std::to_string(e.starts), e.from_rest ? "reached" : ""});
  }
  return table;
}

std::string in_a_line(const RowStory& row) {
  std::string text;
  for (const auto& [column, value] : row.columns)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column, value.empty() ? "missing" : value);
  return text;
}

// A few columns stand in the text; many are folded away, of an image some.
void add_columns(Page& page, const RowStory& row) {
  constexpr std::size_t few = 10, most = 100;
  if (row.columns.size() <= few) {
    page.paragraph(fmt::format("{}: {}.", row.place, in_a_line(row)));
    return;
  }
  page.paragraph(row.place + ".");
  Table values{.columns = {{"column"}, {"value", Align::right}}};
  for (std::size_t k = 0; k < std::min(most, row.columns.size()); ++k)
    values.rows.push_back({row.columns[k].first, row.columns[k].second});
  page.details(row.columns.size() > most
                   ? fmt::format("The first {} of its {} columns", most, row.columns.size())
                   : "Its columns",
               [&](Page& inside) { inside.table(values); });
}

void add_row(Page& page, const CheckStory& story, const RowStory& row) {
  page.subsection(heading(story, row));
  add_columns(page, row);
  if (row.path) page.paragraph(fmt::format("From rest the flow {}.", path_text(*row.path)));
  if (row.closer && row.closer->equilibria && !row.closer->equilibria->equilibria.empty())
    page.table(equilibria_table(*row.closer->equilibria, row.answers));
}

void add_worst(Page& page, const CheckStory& story) {
  if (story.closer.empty()) return;
  page.section("The most doubtful samples").table(worst_table(story));
  page.paragraph(
      "Eigenvalue: the real part of the rightmost. Singular: the smallest singular value of I - J. Edge: the "
      "smallest change of "
      "the state, anywhere on its way from rest, that was found to end in another equilibrium. Fold: the "
      "smallest change of the "
      "scaled inputs (Euclidean norm) that was found to make the equilibrium vanish.");
}

void add_paths(Page& page, const CheckStory& story) {
  if (drawn_rows(story).empty()) return;
  page.section("Settling over time").figure(paths_figure(story));
  std::vector<std::string> items;
  for (const RowStory* row : drawn_rows(story))
    items.push_back(fmt::format("{}: {}.", story.row_name(row->sample), path_text(*row->path)));
  page.list(items);
}

void add_rows(Page& page, const CheckStory& story) {
  if (story.closer.empty()) return;
  page.section("The rows");
  for (const RowStory& row : story.closer) add_row(page, story, row);
}

void add_vary(Page& page, const VaryStory& vary) {
  page.section("Equilibria over " + vary.what).figure(vary_figure(vary));
  Table table{
      .caption = "Special points.",
      .columns = {{"what"}, {"at", Align::right}, {vary.shown, Align::right}, {"period", Align::right}}};
  for (const TurningPoint& t : turnings_in_order(vary))
    table.rows.push_back({turning_text(t.kind), fmt::format("{:.6g}", t.p),
                          number_text(vary.scale * t.state[vary.neuron] + vary.shift),
                          t.frequency > 0 ? number_text(1 / t.frequency) : ""});
  constexpr std::size_t many = 12;
  if (table.rows.size() > many)
    page.details(fmt::format("The {} special points", table.rows.size()),
                 [&](Page& inside) { inside.table(table); });
  else if (!table.rows.empty())
    page.table(table);
}

void add_gradients(Page& page, const GradientStory& story) {
  const GradientComparison& all = story.comparison;
  page.section("Gradients");
  page.paragraph(fmt::format(
      "Of {} samples, in double, beside the exact gradient. That itself was held beside differences of the "
      "loss for "
      "the {} samples whose gradient is large enough for them: it differs by {:.2g} of its length at most.",
      all.samples.size(), story.with_differences(), all.largest_difference));
  Table table{.caption = "Angle to the exact gradient and length beside it.",
              .columns = {{"gradient"},
                          {"samples", Align::right},
                          {"median angle", Align::right},
                          {"largest angle", Align::right},
                          {"median length", Align::right},
                          {"least", Align::right},
                          {"largest", Align::right},
                          {"against", Align::right}}};
  for (std::size_t k = 0; k < story.names.size(); ++k) {
    const GradientSpread& s = all.spreads[k];
    table.rows.push_back({story.names[k], std::to_string(s.samples), fmt::format("{:.3g}°", s.median_angle),
                          fmt::format("{:.3g}°", s.largest_angle), number_text(s.median_length),
                          number_text(s.least_length), number_text(s.largest_length),
                          std::to_string(s.against)});
  }
  page.table(table).figure(gradients_figure(story));
}

}  // namespace

std::string check_page(const CheckStory& story) {
  Page page("irn check " + story.model + (story.has_table() ? " " + story.data : ""), story.network);
  add_facts(page, story);
  for (const std::string& note : story.notes) page.note(note);
  add_certificates(page, story);
  if (story.has_table()) {
    add_samples(page, story);
    add_worst(page, story);
    add_paths(page, story);
  }
  if (story.vary) add_vary(page, *story.vary);
  if (story.gradients) add_gradients(page, *story.gradients);
  add_rows(page, story);
  return page.html();
}

}  // namespace irn::app
