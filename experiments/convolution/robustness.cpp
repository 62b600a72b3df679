// Noise, occlusion and shifts that training never saw, where recurrence is said to help.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/convolution/parts.h"
#include "experiments/convolution/results.h"

namespace irn::experiments {
namespace {

Claim kind_claim(int number, std::string_view kind, const Convolved& trained) {
  const std::vector<double> none = trained.right(exact(patterns().front()), kind);
  std::string words;
  for (const Pattern& p : patterns())
    if (p.recurrent())
      words += fmt::format("; {} {}", p.label,
                           points_text(paired_difference(trained.right(exact(p), kind), none)));
  const Estimate undisturbed =
      paired_difference(over_recurrent([&](const Pattern& p) { return trained.at(exact(p)).value; }),
                        trained.at(exact(patterns().front())).value);
  return better_claim(
      number, fmt::format("Recurrence helps against {} that training never saw.", kind),
      paired_difference(over_recurrent([&](const Pattern& p) { return trained.right(exact(p), kind); }),
                        none),
      fmt::format(" in the mean of the four patterns, exact, where images as they are gain {}{}",
                  points_text(undisturbed), words));
}

Claim gradient_claim(const Convolved& trained) {
  const auto all_kinds = [&](const Variant& v) {
    std::vector<double> sum;
    for (const Disturbance& d : disturbances()) {
      const std::vector<double> one = trained.right(v, d);
      sum.resize(one.size());
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += one[r] / double(disturbances().size());
    }
    return sum;
  };
  return better_claim(11, "On disturbed images the exact gradient beats the semi-gradient.",
                      paired_difference(over_recurrent([&](const Pattern& p) { return all_kinds(exact(p)); }),
                                        over_recurrent([&](const Pattern& p) { return all_kinds(semi(p)); })),
                      " in the mean of the four patterns and all disturbances");
}

report::Figure figure_of(const ConvolutionSettings& s, const Convolved& trained) {
  report::Figure figure{
      .name = "convolution-robustness",
      .caption =
          fmt::format("Share of disturbed images that are right, exact gradient: {}. Mean of {} repeats, "
                      "whiskers: 95 % intervals.",
                      images_text(s.images), s.repeats),
      .plot_width = 820};
  report::Panel panel{.y = {.label = "right", .range = report::Range{0, 1.05}},
                      .legend = report::Legend::above};
  for (const Disturbance& d : disturbances()) panel.x.categories.emplace_back(d.name);
  for (const Pattern& p : patterns()) {
    report::Series bars{.label = std::string(p.label), .mark = report::Mark::bars};
    for (std::size_t k = 0; k < disturbances().size(); ++k) {
      const Estimate e = estimate(trained.right(exact(p), disturbances()[k]));
      bars.x.push_back(double(k)), bars.y.push_back(e.mean);
      bars.low.push_back(std::max(0.0, e.low())), bars.high.push_back(std::min(1.0, e.high()));
    }
    panel.series.push_back(std::move(bars));
  }
  figure.panels = {panel};
  return figure;
}

report::Table table_of(const ConvolutionSettings& s, const Convolved& trained) {
  report::Table table{.caption = "Disturbed images of " + images_text(s.images) +
                                 " that are right; one without an answer is wrong.",
                      .columns = {{"network"}, {"as they are", report::Align::right}}};
  for (const Disturbance& d : disturbances())
    table.columns.push_back({std::string(d.label), report::Align::right});
  for (const Variant& v : variants()) {
    std::vector<report::Cell> row = {v.label(), text(estimate(trained.at(v).value))};
    for (const Disturbance& d : disturbances()) row.emplace_back(text(estimate(trained.right(v, d))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PartReport assemble(const ConvolutionSettings& s, const Results& results) {
  const Convolved trained(s, results);
  PartReport report;
  report.text = {
      "The same networks are asked about the same held-out images with normal noise on every pixel, with a "
      "grey square over a part of the digit, and moved in one of eight directions. None of this was there "
      "in training."};
  report.figures = {figure_of(s, trained)};
  report.tables = {table_of(s, trained)};
  int number = 8;
  for (const std::string_view kind : disturbance_kinds)
    report.claims.push_back(kind_claim(number++, kind, trained));
  report.claims.push_back(gradient_claim(trained));
  return report;
}

}  // namespace

ConvolutionPart convolution_robustness_part() {
  return {"robustness", "Images that training never saw the like of", convolution_jobs, assemble};
}

}  // namespace irn::experiments
