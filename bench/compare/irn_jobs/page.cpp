#include "bench/compare/irn_jobs/page.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "irn/base/file.h"
#include "irn/report/page.h"

namespace irn::bench {
namespace {

using Json = nlohmann::json;
using namespace report;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : nothing;
}

std::string text(double value) {
  if (std::isnan(value)) return "";
  return std::abs(value) >= 1000 && std::abs(value) < 1e15 ? fmt::format("{:.4g}", value)
                                                           : fmt::format("{:.3g}", value);
}

// 2,340,000: three significant digits, with separators of thousands.
std::string rate_text(double value) {
  if (std::isnan(value)) return "";
  if (value < 1000) return fmt::format("{:.3g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  std::string digits = fmt::format("{:.0f}", std::round(value / unit) * unit);
  for (std::ptrdiff_t at = std::ptrdiff_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(std::size_t(at), ",");
  return digits;
}

std::string share_text(double value) {
  return std::isnan(value) ? "" : value == 1 ? "100 %" : fmt::format("{:.2f} %", 100 * value);
}

struct JobKind {
  int number;
  const char *title, *rate, *check, *check_key;
};
constexpr JobKind kinds[] = {
    {1, "Test error of trained networks", "samples a second", "mean squared error", "error"},
    {2, "Training steps: batches of six, twelve replicas", "steps a second", "gradient off by",
     "gradient_off"},
    {3, "Wide training steps: batches of 256", "steps a second", "gradient off by", "gradient_off"},
    {4, "MNIST: one epoch", "samples a second", "test error", "error"},
    {5, "One prediction at a time", "predictions a second", "seconds for one", "median"},
};

std::vector<Json> jobs_of(const Json& all, int number) {
  std::vector<Json> chosen;
  for (const Json& job : all.at("jobs"))
    if (job.at("number") == number) chosen.push_back(job);
  return chosen;
}

// One group of bars for each job, one colour for each contender; whiskers are quartiles.
Figure rates(const JobKind& kind, const std::vector<Json>& jobs) {
  Panel panel{.y = {.label = kind.rate, .log = true}};
  panel.legend = Legend::above;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    panel.x.categories.push_back(jobs[j].at("title"));
    for (const Json& result : jobs[j].at("results")) {
      if (!result.contains("rate")) continue;
      const std::string title = result.at("title");
      auto series = std::find_if(panel.series.begin(), panel.series.end(),
                                 [&](const Series& s) { return s.label == title; });
      if (series == panel.series.end())
        series = panel.series.insert(series, Series{.label = title, .mark = Mark::bars});
      const double items = result.at("items");
      series->x.push_back(double(j)), series->y.push_back(result.at("rate"));
      series->low.push_back(items / result.at("quartiles")[1].get<double>());
      series->high.push_back(items / result.at("quartiles")[0].get<double>());
    }
  }
  return {.name = fmt::format("job{}", kind.number),
          .caption = fmt::format("{}: {}, median and quartiles.", kind.title, kind.rate),
          .panels = {panel},
          .plot_width = 820,
          .plot_height = 300};
}

// Keeps "5 hidden" on one line, however narrow the column.
std::string job_title(const Json& job) {
  std::string title = job.at("title");
  for (std::size_t at; (at = title.find(' ')) != std::string::npos;) title.replace(at, 1, "\u00a0");
  return title;
}

std::vector<Cell> result_row(const JobKind& kind, const Json& job, const Json& r) {
  if (!r.contains("rate"))
    return {job_title(job), r.at("title").get<std::string>(), r.value("method", ""), r.value("reason", "")};
  const double faster = number_in(r, "irn_is_faster");
  const bool irn = faster == 1, same = r.value("same_job", true);  // irn's fastest
  Cell ratio(irn ? "" : rate_text(faster) + (same ? "" : ", not settled"), irn           ? Badge::none
                                                                           : !same       ? Badge::neutral
                                                                           : faster >= 1 ? Badge::good
                                                                                         : Badge::bad);
  return {job_title(job),
          r.at("title").get<std::string>(),
          r.at("method").get<std::string>(),
          rate_text(number_in(r, "rate")),
          ratio,
          share_text(number_in(r, "settled")),
          text(number_in(r, "residual")),
          share_text(number_in(r, "apart")),
          text(number_in(r, kind.check_key) / (kind.number == 5 ? r.at("items").get<double>() : 1))};
}

void add_kind(Page& page, const Json& all, const JobKind& kind) {
  const std::vector<Json> jobs = jobs_of(all, kind.number);
  if (jobs.empty()) return;
  Table table{.caption =
                  "Medians. `settled`: states that fit the equation, put into it in double; `residual`: 99.9 "
                  "% are below; "
                  "`apart`: settled further than 1e-3 from irn's state.",
              .columns = {{"job"},
                          {"contender"},
                          {"method"},
                          {kind.rate, Align::right},
                          {"irn is faster", Align::right},
                          {"settled", Align::right},
                          {"residual", Align::right},
                          {"apart", Align::right},
                          {kind.check, Align::right}}};
  for (const Json& job : jobs)
    for (const Json& result : job.at("results")) table.rows.push_back(result_row(kind, job, result));
  page.section(kind.title).figure(rates(kind, jobs)).table(table);
}

void add_limits(Page& page, const Json& all) {
  const double peak = all.at("limits").at("multiply_adds"), memory = all.at("limits").at("bytes");
  page.section("The limit")
      .paragraph(fmt::format("Measured in the same run: {:.3g} G multiply-adds/s in single precision and "
                             "{:.3g} GB/s read from memory, on {} "
                             "threads. Operations and bytes are counted from the equations of irn's method "
                             "(bench/limits.h), useful work only; "
                             "the share is the time they would take at that speed, over the time taken.",
                             peak / 1e9, memory / 1e9, all.at("threads").get<int>()));
  Table table{.columns = {{"job"},
                          {"operations", Align::right},
                          {"bytes", Align::right},
                          {"bound by"},
                          {"share of the limit", Align::right},
                          {"ahead of the fastest peer", Align::right}}};
  for (const Json& job : all.at("jobs")) {
    if (!job.contains("limit")) continue;
    const Json& limit = job.at("limit");
    const double ahead = number_in(job, "ahead");
    table.rows.push_back(
        {fmt::format("{}, {}", job.at("number").get<int>(), job.at("title").get<std::string>()),
         rate_text(number_in(limit, "operations")), rate_text(number_in(limit, "bytes")),
         limit.at("bound").get<std::string>(), text(number_in(limit, "share")),
         std::isnan(ahead) ? ""
                           : fmt::format("{:.3g} ({})", ahead, job.at("fastest_peer").get<std::string>())});
  }
  page.table(table);
}

Figure growth_figure(const Json& growth) {
  Panel panel{.title = "",
              .x = {.label = growth.at("x"), .log = growth.value("log_x", true)},
              .y = {.label = growth.at("y"), .log = growth.value("log_y", true)}};
  for (const Json& curve : growth.at("curves"))
    panel.series.push_back({.label = curve.at("label"),
                            .x = curve.at("x").get<std::vector<double>>(),
                            .y = curve.at("y").get<std::vector<double>>(),
                            .mark = Mark::both});
  return {.name = growth.at("name"), .caption = growth.at("caption"), .panels = {panel}};
}

void add_growth(Page& page, const Json& all) {
  if (!all.contains("growth")) return;
  page.section("Growth").paragraph(
      "Of irn alone, on random networks whose difficulty does not depend on their size. Exponents are slopes "
      "of a straight "
      "line through the logarithms.");
  Table table{
      .columns = {{"what"}, {"range"}, {"exponent", Align::right}, {"should be", Align::right}, {"why"}}};
  for (const Json& growth : all.at("growth")) {
    page.figure(growth_figure(growth));
    for (const Json& fit : growth.at("fits"))
      table.rows.push_back({fit.at("what").get<std::string>(), fit.at("range").get<std::string>(),
                            fmt::format("{:.2f}", fit.at("exponent").get<double>()),
                            fit.at("expected").get<std::string>(), fit.at("why").get<std::string>()});
  }
  page.table(table);
}

void add_run(Page& page, const Json& all) {
  const Json& machine = all.at("machine");
  std::vector<std::pair<std::string, std::string>> facts = {
      {"processor", machine.at("processor")},
      {"cores", std::to_string(machine.at("cores").get<int>())},
      {"threads of every contender", std::to_string(all.at("threads").get<int>())},
      {"date", all.at("date")}};
  for (const auto& [name, version] : all.at("versions").items()) facts.emplace_back(name, version);
  page.section("The run").facts(facts).command(all.at("command").get<std::string>());
  std::vector<std::string> missing;
  for (const auto& [name, reason] : all.at("missing").items())
    missing.push_back("without " + name + ": " + reason.get<std::string>());
  for (const Json& line : all.value("left_out", Json::array())) missing.push_back(line);
  if (!missing.empty()) page.list(missing);
}

}  // namespace

int write_page(const std::string& results, const std::string& file) {
  const Json all = Json::parse(read_file(results));
  Page page("irn beside others", "The same jobs, on the same data, with the same weights, on the same cores");
  add_run(page, all);
  for (const JobKind& kind : kinds) add_kind(page, all, kind);
  if (!all.at("jobs").empty()) add_limits(page, all);
  add_growth(page, all);
  write_file_atomically(file, page.html());
  return 0;
}

}  // namespace irn::bench
