#include "irn/report/panel-inl.h"

#include <algorithm>

#include "irn/base/error.h"
#include "irn/report/matrix-inl.h"
#include "irn/report/xml-inl.h"

namespace irn::report {
namespace {

constexpr double kTitleText = 13, kTitleLine = 17;

void check(const Series& s) {
  const auto fits = [&](const std::vector<double>& band) {
    return band.empty() || band.size() == s.x.size();
  };
  if (!s.names.empty() && s.names.size() != s.x.size())
    throw Error(fill_in("series '{}' has {} points and {} names: give one a point, or none",
                        {s.label, std::to_string(s.x.size()), std::to_string(s.names.size())}));
  if (s.x.size() == s.y.size() && fits(s.low) && fits(s.high) && s.low.empty() == s.high.empty()) return;
  throw Error(
      fill_in("series '{}' has {} x, {} y, {} low and {} high values: give as many y as x, and as many "
              "low and high or none",
              {s.label, std::to_string(s.x.size()), std::to_string(s.y.size()), std::to_string(s.low.size()),
               std::to_string(s.high.size())}));
}

void check(const Panel& panel) {
  for (const Series& s : panel.series) check(s);
  if (!panel.matrix) return;
  const std::size_t cells = panel.matrix->rows.size() * panel.matrix->columns.size();
  if (panel.matrix->values.size() != cells) {
    throw Error(
        fill_in("matrix of panel '{}' has {} values for {} rows and {} columns",
                {panel.title, std::to_string(panel.matrix->values.size()),
                 std::to_string(panel.matrix->rows.size()), std::to_string(panel.matrix->columns.size())}));
  }
}

// The four places beside the line, best first.
LabelPlaces candidates(const ReferenceLine& line, const PlotFrame& frame) {
  const Box& plot = frame.plot;
  if (line.kind == ReferenceLine::Kind::horizontal) {
    const double above = frame.y(line.at) - 4, below = frame.y(line.at) + kNoteText + 2;
    const double left = plot.left + 5, right = plot.right() - 5;
    return {{{{right, above}, Anchor::end},
             {{left, above}, Anchor::start},
             {{right, below}, Anchor::end},
             {{left, below}, Anchor::start}}};
  }
  const double left = frame.x(line.at) - 5, right = frame.x(line.at) + 5;
  const double top = plot.top + kNoteText + 4, bottom = plot.bottom() - 6;
  return {{{{right, top}, Anchor::start},
           {{left, top}, Anchor::end},
           {{right, bottom}, Anchor::start},
           {{left, bottom}, Anchor::end}}};
}

ReferencePlan place(const ReferenceLine& line, const PlotFrame& frame, std::vector<Point>& covered) {
  return {line, place_label(line.label, candidates(line, frame), frame, covered)};
}

bool visible(const ReferenceLine& line, const PlotFrame& frame) {
  const Scale& scale = line.kind == ReferenceLine::Kind::horizontal ? frame.y : frame.x;
  return can_show(line.at, scale.log) && line.at >= scale.range.low && line.at <= scale.range.high;
}

void draw_reference(Svg& out, const ReferencePlan& plan, const PlotFrame& frame) {
  const bool horizontal = plan.line.kind == ReferenceLine::Kind::horizontal;
  const double at = horizontal ? frame.y(plan.line.at) : frame.x(plan.line.at);
  const Point from = horizontal ? Point{0, at} : Point{at, 0};
  const Point to = horizontal ? Point{frame.plot.width, at} : Point{at, frame.plot.height};
  out.line(from, to, {.colour = "#666666", .width = 1, .dash = "5 3"});
  draw_label(out, plan.line.label, plan.label);
}

void draw_title(Svg& out, const PanelPlan& plan) {
  double y = -plan.strip - 8 - kTitleLine * static_cast<double>(plan.title.size() - 1);
  for (const std::string& line : plan.title) {
    out.text({0, y}, line, {.size = kTitleText, .bold = true});
    y += kTitleLine;
  }
}

void draw_inside(Svg& out, const PanelPlan& plan, std::string_view id, std::string_view prefix) {
  const Box& plot = plan.axes.frame.plot;
  // Two pixels beyond the frame: a line along the edge keeps its full width.
  out.raw(fill_in("<clipPath id=\"{}\"><rect x=\"-2\" y=\"-2\" width=\"{}\" height=\"{}\"/></clipPath>\n",
                  {id, pixel(plot.width + 4), pixel(plot.height + 4)}));
  out.raw(fill_in("<g clip-path=\"url(#{})\" stroke-linejoin=\"round\">\n", {id}));
  draw_series(out, plan.panel, plan.axes.frame, prefix);
  out.raw("</g>\n");
  for (const ReferencePlan& line : plan.references) draw_reference(out, line, plan.axes.frame);
  for (const NamePlan& name : plan.names) draw_label(out, name.text, name.label);
  const TextStyle style{.size = 12, .anchor = Anchor::middle, .colour = "#777777"};
  if (!has_data(plan.panel)) out.text({plot.width / 2, plot.height / 2}, "no data", style);
}

void draw_matrix(Svg& out, const PanelPlan& plan) {
  draw_cells(out, *plan.panel.matrix, plan.axes.frame);
  draw_axes(out, plan.axes);
  draw_colour_bar(out, *plan.panel.matrix, plan.axes.frame);
}

PanelPlan plan_matrix(const Panel& panel, double width, double height) {
  PanelPlan plan{.panel = with_matrix_axes(panel),
                 .axes = {},
                 .legend = {},
                 .references = {},
                 .names = {},
                 .title = {},
                 .strip = 0,
                 .margins = {}};
  plan.axes = plan_axes(plan.panel, matrix_width(*panel.matrix, width, height), height, true);
  plan.axes.grid = false;
  plan.margins = margins_of(plan.axes);
  plan.margins.right += colour_bar_width(*panel.matrix) - (width - plan.axes.frame.plot.width);
  return plan;
}

PanelPlan plan_plot(const Panel& panel, double width, double height) {
  PanelPlan plan{.panel = panel,
                 .axes = plan_axes(panel, width, height, false),
                 .legend = {},
                 .references = {},
                 .names = {},
                 .title = {},
                 .strip = 0,
                 .margins = {}};
  std::vector<Point> covered = covered_pixels(panel, plan.axes.frame);
  for (const ReferenceLine& line : panel.references) {
    if (visible(line, plan.axes.frame)) plan.references.push_back(place(line, plan.axes.frame, covered));
  }
  plan.names = plan_names(panel, plan.axes.frame, covered);
  plan.legend = plan_legend(panel, plan.axes.frame, covered);
  plan.margins = margins_of(plan.axes);
  return plan;
}

}  // namespace

void lift_title(PanelPlan& plan, double strip) {
  const double title = plan.title.empty() ? 0 : 12 + kTitleLine * static_cast<double>(plan.title.size());
  plan.strip = std::max(plan.strip, strip);
  plan.margins.top = std::max(plan.margins.top, title + plan.strip);
}

PanelPlan plan_panel(const Panel& panel, double width, double height) {
  check(panel);
  PanelPlan plan = panel.matrix ? plan_matrix(panel, width, height) : plan_plot(panel, width, height);
  plan.title = wrap(panel.title, kTitleText * 1.08, width);  // bold is wider
  lift_title(plan, plan.legend.above ? plan.legend.box.height : 0);
  if (plan.legend.above) plan.margins.right = std::max(plan.margins.right, plan.legend.box.width - width);
  return plan;
}

void draw_panel(Svg& out, const PanelPlan& plan, std::string_view id, std::string_view prefix) {
  draw_title(out, plan);
  if (plan.panel.matrix) return draw_matrix(out, plan);
  draw_grid(out, plan.axes);
  draw_inside(out, plan, id, prefix);
  draw_axes(out, plan.axes);
  draw_legend(out, plan.panel, plan.legend, prefix);
}

}  // namespace irn::report
