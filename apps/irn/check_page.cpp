#include "apps/irn/check_page.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "apps/irn/check_figures.h"
#include "apps/irn/check_page_rows.h"
#include "apps/irn/check_quantities.h"
#include "apps/irn/check_text.h"
#include "apps/irn/model_notes.h"
#include "irn/report/page.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

using report::Align;
using report::Badge;
using report::Cell;
using report::Page;
using report::Table;

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

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
  facts.emplace_back("date", report::date_now());
  facts.emplace_back("took", report::duration_text(story.seconds));
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
          "Certificates, whatever the input. Each holds if its bound is below 1; with its recurrent weights "
          "divided by a little more "
          "than the bound, the network would have it. The first is enough for one equilibrium, reached from "
          "every start.",
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
      .caption = fmt::format(
          "Over the samples that are at rest, attracting or not; residual and evaluations over all. The "
          "eigenvalue is the real part{}.",
          all.singular.samples > 0  // wide networks have neither
              ? ", the singular value is that of I - J, the sensitivity that of the outputs to the scaled "
                "inputs"
              : ""),
      .columns = {{""}, {"least", Align::right}, {"median", Align::right}, {"largest", Align::right}}};
  for (const Quantity& q : quantities)
    if (const Spread& spread = all.*q.spread; spread.samples > 0)
      table.rows.push_back(
          {q.words, number_text(spread.least), number_text(spread.median), number_text(spread.largest)});
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

void add_paths(Page& page, const CheckStory& story) {
  if (drawn_rows(story).empty()) return;
  page.section("Settling over time").figure(paths_figure(story));
  std::vector<std::string> items;
  for (const RowStory* row : drawn_rows(story))
    items.push_back(fmt::format("{}: {}.", story.row_name(row->sample), path_text(*row->path)));
  page.list(items);
}

void add_vary(Page& page, const VaryStory& vary) {
  page.section("Equilibria over " + vary.what).figure(vary_figure(vary));
  Table table{
      .caption = "Special points.",
      .columns = {{"what"}, {"at", Align::right}, {vary.shown, Align::right}, {"period", Align::right}}};
  for (const TurningPoint& t : turnings_in_order(vary))
    table.rows.push_back({turning_text(t.kind), varied_text(vary, t.p, 6),
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
  const auto file = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  Page page("irn check " + story.model + (story.has_table() ? " " + file(story.data) : ""), story.network);
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
