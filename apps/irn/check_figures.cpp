#include "apps/irn/check_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "apps/irn/check_text.h"

namespace irn::app {
namespace {

using report::Figure;
using report::Mark;
using report::Panel;
using report::ReferenceLine;
using report::Series;

// Every k-th sample, so that about `most` are drawn.
std::size_t stride(std::size_t samples, std::size_t most) { return std::max<std::size_t>(1, samples / most); }

struct Bins {
  double low = 0, width = 1;
  std::size_t count = 1;
  double high() const { return low + width * double(count); }
};

// About as many bins as the cube root of the samples suggests, 8 to 40; counts get bins of whole numbers.
Bins bins_for(const std::vector<double>& values, bool whole) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::size_t count = std::clamp<std::size_t>(std::size_t(3 * std::cbrt(double(values.size()))), 8, 40);
  const double span = *high - *low;
  if (whole) {
    const double width = std::max(1.0, std::ceil(span / double(count)));
    return {*low - 0.5, width, std::size_t(span / width) + 1};
  }
  if (span <= 1e-9 * std::max(1.0, std::abs(*high))) return {*low - 0.5, 1, 1};
  return {*low, span / double(count), count};
}

enum class Kind { number, logarithmic, whole };

// On a logarithmic axis all bins have the same ratio of ends.
Panel histogram(std::string title, std::string label, Kind kind, std::vector<double> values) {
  const bool log = kind == Kind::logarithmic;
  std::erase_if(values, [&](double v) { return !std::isfinite(v) || (log && !(v > 0)); });
  Panel panel{
      .title = std::move(title), .x = {.label = std::move(label), .log = log}, .y = {.label = "samples"}};
  if (values.empty()) return panel;
  if (log)
    for (double& v : values) v = std::log10(v);
  const auto shown = [&](double v) { return log ? std::pow(10, v) : v; };
  const Bins bins = bins_for(values, kind == Kind::whole);
  Series bars{.y = std::vector<double>(bins.count), .mark = Mark::bars};
  for (std::size_t k = 0; k < bins.count; ++k)
    bars.x.push_back(shown(bins.low + (double(k) + 0.5) * bins.width));
  for (const double v : values) ++bars.y[std::min(bins.count - 1, std::size_t((v - bins.low) / bins.width))];
  panel.x.range = report::Range{shown(bins.low), shown(bins.high())};
  panel.y.range = report::Range{0, 1.05 * *std::max_element(bars.y.begin(), bars.y.end())};
  panel.series.push_back(std::move(bars));
  return panel;
}

std::vector<double> of_states(const CheckStory& story,
                              const std::function<double(const StateCheck&)>& value) {
  std::vector<double> values;
  for (const SampleCheck& sample : story.check.samples)
    if (sample.state) values.push_back(value(*sample.state));
  return values;
}
std::vector<double> of_samples(const CheckStory& story, const std::function<double(const Verdict&)>& value) {
  std::vector<double> values;
  for (const SampleCheck& sample : story.check.samples) values.push_back(value(sample.verdict));
  return values;
}

// A gap where the branch changes from stable to unstable would look like a gap in the branch. So each piece
// begins with the point at which the last one ends.
void add_branch(Series& stable, Series& unstable, const Branch& branch, const VaryStory& vary) {
  const auto add = [&](Series& series, const BranchPoint& point) {
    series.x.push_back(point.p), series.y.push_back(vary.scale * point.state[vary.neuron] + vary.shift);
  };
  const auto end = [](Series& series) { series.x.push_back(std::nan("")), series.y.push_back(std::nan("")); };
  for (std::size_t k = 0; k < branch.points.size(); ++k) {
    const BranchPoint& point = branch.points[k];
    Series& here = point.stable() ? stable : unstable;
    if (k > 0 && branch.points[k - 1].stable() != point.stable()) {
      end(point.stable() ? unstable : stable);
      add(here, branch.points[k - 1]);
    }
    add(here, point);
  }
  end(stable), end(unstable);
}

// A path that settles is drawn to its end, a cycle for some turns, any other for a while.
double drawn_until(const SettlingPath& path) {
  const double last = path.way.times.back();
  return path.end == PathEnd::settled ? last : std::min(last, path.period > 0 ? 12 * path.period : 100);
}

std::vector<double> angles_of(const GradientStory& story, std::size_t k) {
  std::vector<double> angles;
  for (const GradientsOfSample& sample : story.comparison.samples)
    if (sample.exact == GradientOutcome::used && sample.others[k].outcome == GradientOutcome::used)
      angles.push_back(sample.others[k].angle);
  return angles;
}

}  // namespace

Figure eigenvalues_figure(const CheckStory& story) {
  Series attracting{.label = "of states that attract", .mark = Mark::points, .colour = 0},
      others{.label = "of states that do not, or in doubt", .mark = Mark::points, .colour = 1};
  const std::size_t step = stride(story.check.samples.size(), 500);
  for (std::size_t s = 0; s < story.check.samples.size(); ++s) {
    const SampleCheck& sample = story.check.samples[s];
    if (!sample.state || (s % step != 0 && sample.state->stability.attracts())) continue;
    Series& series = sample.state->stability.attracts() ? attracting : others;
    for (const std::complex<double> value : sample.state->stability.eigenvalues)
      series.x.push_back(value.real()), series.y.push_back(value.imag());
  }
  Panel panel{.x = {.label = "real part: grows right of 0, falls left of it"},
              .y = {.label = "imaginary part: turns"},
              .references = {{ReferenceLine::Kind::vertical, 0, "edge"}}};
  panel.series.push_back(std::move(attracting));
  if (!others.x.empty()) panel.series.push_back(std::move(others));
  return {
      .name = "eigenvalues",
      .caption = fmt::format(
          "The rightmost eigenvalues of J - I at the states of {} samples{}. Left of 0 the state attracts, "
          "and the nearer to 0 the slower.",
          story.check.samples.size(),
          step > 1 ? fmt::format(" (drawn: every {}th, and all that do not attract)", step) : ""),
      .panels = {std::move(panel)}};
}

Figure histograms_figure(const CheckStory& story) {
  Panel residual = histogram("(a) Residual", "residual", Kind::logarithmic,
                             of_samples(story, [](const Verdict& v) { return v.residual; }));
  residual.references.push_back({ReferenceLine::Kind::vertical, story.tolerance, "tolerance"});
  const bool singular = story.check.summary.singular.samples > 0;  // wide networks have none
  Figure figure{
      .name = "histograms",
      .caption = fmt::format("Residual and evaluations of all samples; slowest time constant{} of those that "
                             "are at rest. A lone "
                             "neuron has the time constant 1{}. The tolerance is that of a state of size 1; "
                             "a larger one may have "
                             "more.",
                             singular ? ", and smallest singular value of I - J," : "",
                             singular ? "; at a fold the singular value is 0" : ""),
      .panels = {
          std::move(residual),
          histogram("(b) Evaluations", "evaluations", Kind::whole,
                    of_samples(story, [](const Verdict& v) { return double(v.evaluations); })),
          histogram("(c) Time constant", "time constant", Kind::logarithmic,
                    of_states(story, [](const StateCheck& s) { return s.stability.time_constant(); }))}};
  if (singular)
    figure.panels.push_back(histogram("(d) Smallest singular value", "of I - J", Kind::logarithmic,
                                      of_states(story, [](const StateCheck& s) { return s.singular; })));
  return figure;
}

std::vector<const RowStory*> drawn_rows(const CheckStory& story) {
  std::vector<const RowStory*> rows;
  for (std::size_t k = 0; k < std::min(drawn_paths, story.closer.size()); ++k)
    rows.push_back(&story.closer[k]);
  const auto is_typical = [&](const RowStory* row) { return row->sample == story.typical->sample; };
  if (story.typical && std::none_of(rows.begin(), rows.end(), is_typical)) rows.push_back(&*story.typical);
  return rows;
}

Figure paths_figure(const CheckStory& story) {
  Panel residual{.title = "(a) Residual", .x = {.label = "time"}, .y = {.label = "residual", .log = true}};
  Panel neuron{.title = "(b) The neuron that moves most",
               .x = {.label = "time"},
               .y = {.label = "its value"},
               .legend = report::Legend::none};
  residual.references.push_back({.at = story.tolerance, .label = "tolerance"});
  double end = 0;
  for (const RowStory* row : drawn_rows(story)) end = std::max(end, drawn_until(*row->path));
  for (const RowStory* row : drawn_rows(story)) {
    const Trajectory& way = row->path->way;
    Series r{.label = story.row_name(row->sample)}, z{.label = r.label};
    for (std::size_t k = 0; k < way.times.size() && way.times[k] <= end; ++k) {
      r.x.push_back(way.times[k]), r.y.push_back(way.residuals[k]);
      z.x.push_back(way.times[k]), z.y.push_back(way.state(k)[row->path->widest]);
    }
    residual.series.push_back(std::move(r)), neuron.series.push_back(std::move(z));
  }
  return {.name = "paths",
          .caption =
              "The flow from rest: the most doubtful rows, and one in the middle. Time is in units of a lone "
              "neuron's "
              "time constant.",
          .panels = {std::move(residual), std::move(neuron)}};
}

Figure vary_figure(const VaryStory& vary) {
  Series stable{.label = "stable", .colour = 0, .dash = 0},
      unstable{.label = "unstable", .colour = 0, .dash = 4}, special{.mark = Mark::points, .colour = 1};
  for (const Branch& branch : vary.branches) {
    add_branch(stable, unstable, branch, vary);
    for (const TurningPoint& turning : branch.turnings) {
      special.x.push_back(turning.p),
          special.y.push_back(vary.scale * turning.state[vary.neuron] + vary.shift);
      special.names.push_back(turning_text(turning.kind));
    }
  }
  Panel panel{.x = {.label = vary.what + (vary.date ? ", days since 1970-01-01" : ""),
                    .range = report::Range{vary.low, vary.high}},
              .y = {.label = vary.shown},
              .series = {std::move(stable), std::move(unstable), std::move(special)}};
  if (vary.present >= vary.low && vary.present <= vary.high)
    panel.references.push_back({ReferenceLine::Kind::vertical, vary.present, "as it is"});
  return {.name = "vary",
          .caption = fmt::format(
              "All equilibria that were found, over {}, with all else as {}. Where a solid line meets a "
              "dashed one in a fold, both vanish "
              "and the answer jumps; at a Hopf point a stable equilibrium gives way to a cycle.",
              vary.what, vary.place.empty() ? "in the mean of the training's rows" : "in " + vary.place),
          .panels = {std::move(panel)}};
}

Figure gradients_figure(const GradientStory& story) {
  Figure figure{.name = "gradients",
                .caption =
                    "Angles between each gradient and the exact one, sample by sample. Beyond 90 degrees a "
                    "step goes the wrong way."};
  for (std::size_t k = 0; k < story.names.size(); ++k) {
    figure.panels.push_back(histogram(story.names[k], "angle (degrees)", Kind::number, angles_of(story, k)));
    figure.panels.back().references.push_back({ReferenceLine::Kind::vertical, 90, ""});
  }
  figure.columns = 3;
  return figure;
}

}  // namespace irn::app
