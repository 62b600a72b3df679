#include "apps/irn/check_page_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/irn/check_text.h"

namespace irn::app {
namespace {

using report::Align;
using report::Badge;
using report::Cell;
using report::Page;
using report::Table;

Badge attraction_badge(Attraction attraction) {
  return attraction == Attraction::attracts ? Badge::good
         : attraction == Attraction::repels ? Badge::bad
                                            : Badge::mixed;
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
         Cell(std::string(name(e.stability.attraction())), attraction_badge(e.stability.attraction())),
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

// A few columns are shown; many are folded away, and of an image only some.
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

}  // namespace

Badge badge_of(Outcome outcome) {
  return outcome == Outcome::settled ? Badge::good : has_answer(outcome) ? Badge::neutral : Badge::bad;
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

void add_rows(Page& page, const CheckStory& story) {
  if (story.closer.empty()) return;
  page.section("The rows");
  for (const RowStory& row : story.closer) add_row(page, story, row);
}

}  // namespace irn::app
