// Patterns of recurrent connections at equal parameters: right answers, samples settled, cost.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/convolution/parts.h"
#include "experiments/convolution/results.h"

namespace irn::experiments {
namespace {

Claim pattern_claim(int number, const std::string& statement, const Convolved& trained, std::string_view a,
                    std::string_view b) {
  return better_claim(
      number, statement,
      paired_difference(trained.at(exact(pattern(a))).value, trained.at(exact(pattern(b))).value));
}

Claim gradient_claim(const Convolved& trained) {
  std::string words;
  for (const Pattern& p : patterns())
    if (p.recurrent())
      words +=
          fmt::format("; {} {}", p.label,
                      points_text(paired_difference(trained.at(exact(p)).value, trained.at(semi(p)).value)));
  return better_claim(
      6, "The exact gradient beats the semi-gradient.",
      paired_difference(over_recurrent([&](const Pattern& p) { return trained.at(exact(p)).value; }),
                        over_recurrent([&](const Pattern& p) { return trained.at(semi(p)).value; })),
      " in the mean of the four patterns" + words);
}

Claim settles_claim(const Convolved& trained) {
  Claim claim{.number = 7,
              .statement = "Certified networks settle every held-out image, disturbed ones among them."};
  std::size_t lost = 0, asked = 0;
  for (const Variant& v : variants())
    if (v.method->certified()) {
      lost += trained.lost(v), asked += trained.asked();
      claim.numbers[v.label()] = trained.lost(v);
    }
  claim.measured = fmt::format("{} of {} images without an answer (holds if none)", lost, asked);
  claim.finding = lost == 0 ? Finding::holds : lost * 1000 < asked ? Finding::partly : Finding::fails;
  return claim;
}

report::Figure figure_of(const ConvolutionSettings& s, const Convolved& trained) {
  report::Figure figure{
      .name = "convolution-recurrence",
      .caption = fmt::format(
          "Share of held-out images that are wrong, by pattern of recurrent connections: {}, "
          "{} images to train on, {} epochs, about {} parameters each; mean of {} repeats, "
          "whiskers: 95 % intervals.",
          images_text(s.images), s.rows, s.epochs, trained.parameters(variants().front()), s.repeats),
      .plot_width = 620};
  report::Panel panel{.y = {.label = "wrong (%)"}, .legend = report::Legend::above};
  for (const Pattern& p : patterns()) panel.x.categories.emplace_back(p.label);
  for (const bool is_exact : {true, false}) {
    report::Series bars{.label = is_exact ? "exact gradient" : "semi-gradient",
                        .mark = report::Mark::bars,
                        .colour = is_exact ? 2 : 1,
                        .show_values = true};
    for (std::size_t k = 0; k < patterns().size(); ++k) {
      const Pattern& p = patterns()[k];
      if (!is_exact && !p.recurrent()) continue;
      const Estimate e = estimate(trained.at(is_exact ? exact(p) : semi(p)).value);
      bars.x.push_back(double(k)), bars.y.push_back(100 * (1 - e.mean));
      bars.low.push_back(100 * std::max(0.0, 1 - e.high())), bars.high.push_back(100 * (1 - e.low()));
    }
    panel.series.push_back(std::move(bars));
  }
  figure.panels = {panel};
  return figure;
}

report::Table table_of(const ConvolutionSettings& s, const Convolved& trained) {
  report::Table table{
      .caption = fmt::format("Patterns at equal parameters, on {}: held-out images that are right "
                             "(one without an answer is wrong), that settle, evaluations of the "
                             "network an image, time.",
                             images_text(s.images)),
      .columns = measured_columns("right")};
  table.columns.front().title = "network";
  table.columns.push_back({"channels"});
  table.columns.push_back({"parameters", report::Align::right});
  for (const Variant& v : variants()) {
    std::vector<report::Cell> row = {v.label()};
    for (report::Cell& cell : measured_cells(trained.at(v))) row.push_back(std::move(cell));
    const std::vector<Layer> layers = sized(*v.pattern, s.channels).layers();
    row.emplace_back(fmt::format("{} and {}", layers[0].shape.channels, layers[1].shape.channels));
    row.emplace_back(fmt::format("{}", trained.parameters(v)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> introduction(const ConvolutionSettings& s, const Convolved& trained) {
  std::vector<std::string> text = {fmt::format(
      "Two layers of relu filters, 5 x 5 and 3 x 3 with stride 2, and a dense read-out learn {}: {} images, "
      "{} "
      "epochs of Adam in batches of 32, rates from {:g} along a cosine, gradients clipped to norm 1, no "
      "augmentation; the epoch that does best on {} images of its own is kept and judged on {} others. All "
      "networks have about {} parameters, so that one with recurrent connections has fewer channels. "
      "Networks "
      "are certified (bound 0.95). Beside no recurrence:",
      images_text(s.images), s.rows, s.epochs, s.rate, s.rows / 5, s.held_out,
      trained.parameters(variants().front()))};
  const Measured none = trained.at(variants().front());
  for (const Variant& v : variants()) {
    if (!v.pattern->recurrent()) continue;
    const Measured own = trained.at(v);
    text.push_back(fmt::format("{}: {} {}, {:.1f} evaluations an image, in {:.2g} times the time.", v.label(),
                               v.pattern->about, points_text(paired_difference(own.value, none.value)),
                               mean(own.evaluations),
                               mean(none.seconds) > 0 ? mean(own.seconds) / mean(none.seconds) : 0));
  }
  return text;
}

PartReport assemble(const ConvolutionSettings& s, const Results& results) {
  const Convolved trained(s, results);
  PartReport report;
  report.text = introduction(s, trained);
  report.figures = {figure_of(s, trained)};
  report.tables = {table_of(s, trained)};
  report.claims = {
      pattern_claim(
          1, "Recurrent connections between the filters at one place help (lateral 1 x 1 against none).",
          trained, "lateral-1", "none"),
      pattern_claim(2, "Connections between neighbouring kernels help (lateral 3 x 3 against none).", trained,
                    "lateral-3", "none"),
      pattern_claim(3, "Neighbouring kernels add to the filters at one place (lateral 3 x 3 against 1 x 1).",
                    trained, "lateral-3", "lateral-1"),
      pattern_claim(4, "Feedback from the second layer of filters to the first helps (against none).",
                    trained, "feedback", "none"),
      pattern_claim(5, "All recurrent connections together help (against none).", trained, "all", "none"),
      gradient_claim(trained),
      settles_claim(trained)};
  return report;
}

}  // namespace

ConvolutionPart convolution_recurrence_part() {
  return {"recurrence", "What recurrent connections bring and cost", convolution_jobs, assemble};
}

}  // namespace irn::experiments
