#include "irn/report/legend-inl.h"

#include <algorithm>

namespace irn::report {
namespace {

constexpr double kText = 11.5, kRow = 17, kSwatch = 26, kGap = 6, kPad = 6;
constexpr double kInset = 7;     // from the frame of the plot
constexpr double kBetween = 16;  // entries beside each other

double entry_width(const Series& s) { return kSwatch + kGap + text_width(s.label, kText); }

std::vector<std::size_t> labelled(const Panel& panel) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (!panel.series[i].label.empty()) out.push_back(i);
  }
  return out;
}

LegendPlan stacked(const Panel& panel) {
  LegendPlan plan{.series = labelled(panel), .places = {}};
  for (const std::size_t i : plan.series) {
    plan.places.push_back({kPad, kPad / 2 + kRow * static_cast<double>(plan.places.size())});
    plan.box.width = std::max(plan.box.width, 2 * kPad + entry_width(panel.series[i]));
  }
  plan.box.height = kPad + kRow * static_cast<double>(plan.series.size());
  return plan;
}

LegendPlan above(const Panel& panel, const PlotFrame& frame) {
  LegendPlan plan{.above = true, .series = labelled(panel), .places = {}};
  Point next;
  for (const std::size_t i : plan.series) {
    const double width = entry_width(panel.series[i]);
    if (next.x > 0 && next.x + width > frame.plot.width) next = {0, next.y + kRow};
    plan.places.push_back(next);
    plan.box.width = std::max(plan.box.width, next.x + width);
    next.x += width + kBetween;
  }
  plan.box.height = next.y + kRow + 4;
  plan.box.left = frame.plot.left;
  plan.box.top = frame.plot.top - plan.box.height;
  return plan;
}

Box in_corner(Box box, const Box& plot, Legend corner) {
  const bool left = corner == Legend::top_left || corner == Legend::bottom_left;
  const bool top = corner == Legend::top_left || corner == Legend::top_right;
  box.left = left ? plot.left + kInset : plot.right() - box.width - kInset;
  box.top = top ? plot.top + kInset : plot.bottom() - box.height - kInset;
  return box;
}

bool fits(const Box& box, const Box& plot) {
  return box.width + 2 * kInset <= plot.width && box.height + 2 * kInset <= plot.height;
}

}  // namespace

std::size_t hits(const std::vector<Point>& covered, const Box& box) {
  constexpr double kAir = 5;
  return static_cast<std::size_t>(std::ranges::count_if(covered, [&](Point p) {
    return p.x > box.left - kAir && p.x < box.right() + kAir && p.y > box.top - kAir &&
           p.y < box.bottom() + kAir;
  }));
}

LegendPlan plan_legend(const Panel& panel, const PlotFrame& frame, const std::vector<Point>& covered) {
  LegendPlan plan = stacked(panel);
  // A single series is named by title and axis.
  const bool needless = panel.legend == Legend::automatic && panel.series.size() == 1;
  if (panel.legend == Legend::none || plan.series.empty() || needless) return {};
  if (panel.legend == Legend::above || !fits(plan.box, frame.plot)) return above(panel, frame);
  if (panel.legend != Legend::automatic) {
    plan.box = in_corner(plan.box, frame.plot, panel.legend);
    return plan;
  }
  for (const Legend corner :
       {Legend::top_right, Legend::top_left, Legend::bottom_left, Legend::bottom_right}) {
    plan.box = in_corner(plan.box, frame.plot, corner);
    if (hits(covered, plan.box) == 0) return plan;
  }
  return above(panel, frame);
}

void draw_legend(Svg& out, const Panel& panel, const LegendPlan& plan, std::string_view prefix) {
  if (plan.series.empty()) return;
  if (!plan.above) out.rect(plan.box, {"#ffffff", 0.85}, {.colour = "#cccccc", .width = 0.7});
  for (std::size_t k = 0; k < plan.series.size(); ++k) {
    const std::size_t i = plan.series[k];
    const Point place{plan.box.left + plan.places[k].x, plan.box.top + plan.places[k].y};
    draw_swatch(out, panel.series[i], look_of(panel, i), {place.x, place.y + 3.5, kSwatch, 10}, prefix);
    out.text({place.x + kSwatch + kGap, place.y + 12.7}, panel.series[i].label, {.size = kText});
  }
}

}  // namespace irn::report
