#include "experiments/campaign_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "irn/base/file.h"
#include "irn/base/version.h"
#include "irn/report/csv.h"
#include "irn/report/time_words.h"

namespace irn::experiments {
namespace {

using report::Align;
using report::Badge;
using report::Cell;
using report::Page;
using report::Table;

Badge badge(Finding finding) {
  return finding == Finding::holds ? Badge::good : finding == Finding::partly ? Badge::mixed : Badge::bad;
}

std::vector<Claim> all_claims(const std::vector<FinishedPart>& finished) {
  std::vector<Claim> claims;
  for (const FinishedPart& f : finished)
    claims.insert(claims.end(), f.report.claims.begin(), f.report.claims.end());
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.number < b.number; });
  return claims;
}

Table claims_table(const std::vector<Claim>& claims) {
  Table table{.caption = "What is claimed and what was measured. Intervals are 95 % over repeats.",
              .columns = {{"#", Align::right}, {"claim"}, {"measured"}, {"verdict"}}};
  for (const Claim& c : claims)
    table.rows.push_back({fmt::format("{}", c.number), c.statement, c.measured,
                          Cell(std::string(name(c.finding)), badge(c.finding))});
  return table;
}

Json claims_json(const std::vector<Claim>& claims) {
  Json json = Json::array();
  for (const Claim& c : claims)
    json.push_back({{"number", c.number},
                    {"claim", c.statement},
                    {"measured", c.measured},
                    {"verdict", name(c.finding)},
                    {"numbers", c.numbers}});
  return json;
}

// A table cell in Markdown, where a bar would end the cell.
std::string markdown_cell(std::string words) {
  for (std::size_t at = 0; (at = words.find('|', at)) != std::string::npos; at += 2) words.insert(at, "\\");
  return words;
}

// The table of claims for a README.
std::string claims_markdown(const Campaign& campaign, const std::vector<Claim>& claims) {
  std::string text = "| # | " + campaign.claimed_by + " | measured | verdict |\n|---|---|---|---|\n";
  for (const Claim& c : claims)
    text += fmt::format("| {} | {} | {} | **{}** |\n", c.number, markdown_cell(c.statement),
                        markdown_cell(c.measured), name(c.finding));
  return text;
}

std::string table_markdown(const Table& table) {
  std::string text = table.caption + "\n\n|", rule = "|";
  for (const report::Column& c : table.columns) {
    text += " " + markdown_cell(c.title) + " |";
    rule += c.align == Align::right ? "---:|" : "---|";
  }
  text += "\n" + rule + "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) text += " " + markdown_cell(cell.text) + " |";
    text += "\n";
  }
  return text;
}

std::string tables_markdown(const std::vector<FinishedPart>& finished) {
  std::string text;
  for (const FinishedPart& f : finished)
    for (const Table& table : f.report.tables) text += (text.empty() ? "" : "\n") + table_markdown(table);
  return text;
}

Table decision_table(const Campaign& campaign) {
  Table table{.caption = "Decisions, with their reasons. Each is an option of " + campaign.command + ".",
              .columns = {{"question"}, {"value used"}, {"why"}}};
  for (const Decision& d : campaign.decisions) table.rows.push_back({d.question, d.value, d.reason});
  return table;
}

Table settings_table(const Campaign& campaign) {
  Table table{.caption = "All settings.", .columns = {{"option"}, {"value", Align::right}}};
  for (const FieldText& f : campaign.settings)
    table.rows.push_back({Cell("--" + f.key, Badge::none, true), f.value});
  return table;
}

Table time_table(const std::vector<FinishedPart>& finished) {
  Table table{.caption = "Computing time of each part, all its jobs added up (one thread each).",
              .columns = {{"part"}, {"jobs", Align::right}, {"time", Align::right}}};
  for (const FinishedPart& f : finished)
    table.rows.push_back(
        {f.part->name, fmt::format("{}", f.part->jobs.size()), report::duration_text(f.seconds)});
  return table;
}

void add_part(Page& page, const FinishedPart& f) {
  page.section(f.part->title);
  for (const std::string& paragraph : f.report.text) page.paragraph(paragraph);
  for (const report::Figure& figure : f.report.figures)
    page.figure(figure, {{"SVG", figure.name + ".svg"}, {"CSV", figure.name + ".csv"}});
  for (const Table& table : f.report.tables) page.table(table);
  // The table of all claims is at the beginning; here only the claims that this part decides.
  std::vector<report::Link> claims;
  for (const Claim& c : f.report.claims)
    claims.push_back({fmt::format("claim {}: {}", c.number, name(c.finding)), report::address_of("Claims")});
  if (!claims.empty()) page.links(claims);
}

}  // namespace

void write_report(const std::filesystem::path& folder, const Campaign& campaign,
                  const std::vector<FinishedPart>& finished, const ReportFacts& facts) {
  const std::vector<Claim> claims = all_claims(finished);
  const auto count = [&](Finding v) {
    return std::count_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.finding == v; });
  };
  Page page(campaign.title, campaign.subtitle);
  page.facts({{"claims that hold", fmt::format("{} of {}", count(Finding::holds), claims.size())},
              {"hold partly", fmt::format("{}", count(Finding::partly))},
              {"undecided", fmt::format("{}", count(Finding::undecided))},
              {"do not hold", fmt::format("{}", count(Finding::fails))},
              {"date", report::date_now()},
              {"took", report::duration_text(facts.wall_seconds)},
              {"program", "irn " IRN_VERSION}});
  page.section("Claims").table(claims_table(claims));
  for (const FinishedPart& f : finished) add_part(page, f);
  if (!campaign.decisions.empty()) page.section("Decisions").table(decision_table(campaign));
  page.section("How to repeat")
      .command(facts.command)
      .table(settings_table(campaign))
      .table(time_table(finished));
  page.paragraph(
      fmt::format("This call took {} on {} threads; results that were there already were not computed again.",
                  report::duration_text(facts.wall_seconds), facts.threads));
  for (const FinishedPart& f : finished)
    for (const report::Figure& figure : f.report.figures) {
      write_file_atomically(folder / (figure.name + ".svg"), report::svg(figure));
      write_file_atomically(folder / (figure.name + ".csv"), report::figure_csv(figure));
    }
  write_file_atomically(folder / "claims.json", claims_json(claims).dump(2) + "\n");
  write_file_atomically(folder / "claims.md", claims_markdown(campaign, claims));
  write_file_atomically(folder / "tables.md", tables_markdown(finished));
  write_file_atomically(folder / "report.html", page.html());
}

}  // namespace irn::experiments
