#include "irn/report/axes-inl.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace irn::report {
namespace {

constexpr double kTickText = 11, kLabelText = 12.5, kLabelLine = 16;
constexpr double kTick = 5, kMinorTick = 3, kTickGap = 4;
constexpr double kSlant = -40;  // degrees
constexpr std::string_view kInk = "#333333", kGrid = "#e4e4e4", kMinorGrid = "#f3f3f3";

double slant_sine() { return std::sin(-kSlant * std::numbers::pi / 180); }
double slant_cosine() { return std::cos(-kSlant * std::numbers::pi / 180); }

double widest(const Ticks& ticks) {
  double out = 0;
  for (const Tick& tick : ticks.major) out = std::max(out, label_width(tick.label, kTickText));
  return out;
}

// Removes labels that would overlap the one before them.
void thin_labels(Ticks& ticks, const Scale& scale, auto&& extent) {
  double last_end = -1e9;
  std::vector<Tick*> order;
  for (Tick& tick : ticks.major) order.push_back(&tick);
  std::ranges::sort(order, {}, [&](const Tick* tick) { return scale(tick->at); });
  for (Tick* tick : order) {
    const double middle = scale(tick->at), half = extent(*tick) / 2;
    if (middle - half < last_end)
      tick->label = {};
    else
      last_end = middle + half;
  }
}

bool crowded(const Ticks& ticks, const Scale& scale) {
  for (std::size_t i = 1; i < ticks.major.size(); ++i) {
    const Tick &a = ticks.major[i - 1], &b = ticks.major[i];
    const double needed = (label_width(a.label, kTickText) + label_width(b.label, kTickText)) / 2 + 8;
    if (std::abs(scale(b.at) - scale(a.at)) < needed) return true;
  }
  return false;
}

Ticks x_ticks(const Axis& axis, const Scale& scale) {
  for (int most = std::max(2, static_cast<int>(scale.end / 50)); most > 2; --most) {
    Ticks out = ticks(axis, scale.range, most);
    if (!crowded(out, scale)) return out;
  }
  return ticks(axis, scale.range, 2);
}

Ticks y_ticks(const Axis& axis, const Scale& scale, double height) {
  Ticks out = ticks(axis, scale.range, std::max(2, static_cast<int>(height / 38)));
  thin_labels(out, scale, [](const Tick&) { return kTickText + 1; });
  return out;
}

void plan_x_labels(AxesPlan& plan, const Axis& axis) {
  plan.x = x_ticks(axis, plan.frame.x);
  plan.slanted = !axis.categories.empty() && crowded(plan.x, plan.frame.x);
  thin_labels(plan.x, plan.frame.x, [&](const Tick& tick) {
    return plan.slanted ? kTickText * 1.3 : label_width(tick.label, kTickText) + 6;
  });
}

double x_labels_height(const AxesPlan& plan) {
  if (plan.x.major.empty()) return 0;
  const double upright = kTick + kTickGap + kTickText;
  return plan.slanted ? upright + widest(plan.x) * slant_sine() : upright;
}

double y_labels_width(const AxesPlan& plan) {
  return plan.y.major.empty() ? 0 : kTick + kTickGap + widest(plan.y);
}

// How far labels below the plot extend beyond its left (sign -1) or right (sign +1) edge.
double overhang(const AxesPlan& plan, int sign) {
  double out = 0;
  for (const Tick& tick : plan.x.major) {
    const double width = label_width(tick.label, kTickText), at = plan.frame.x(tick.at);
    const double left = plan.slanted ? width * slant_cosine() : width / 2;
    const double right = plan.slanted ? kTickText / 2 : width / 2;
    out = std::max(out, sign < 0 ? left - at : at + right - plan.frame.plot.width);
  }
  return out;
}

void draw_x_ticks(Svg& out, const AxesPlan& plan) {
  const double bottom = plan.frame.plot.bottom();
  for (const double at : plan.x.minor) {
    const double x = plan.frame.x(at);
    out.line({x, bottom}, {x, bottom + kMinorTick}, {.colour = kInk, .width = 0.7});
  }
  for (const Tick& tick : plan.x.major) {
    const double x = plan.frame.x(tick.at), y = bottom + kTick + kTickGap + 0.8 * kTickText;
    if (plan.grid) out.line({x, bottom}, {x, bottom + kTick}, {.colour = kInk, .width = 0.9});
    if (plan.slanted)
      out.text({x + 4, y - 2}, tick.label, {kTickText, Anchor::end, false, kSlant});
    else
      out.text({x, y}, tick.label, {kTickText, Anchor::middle});
  }
}

void draw_y_ticks(Svg& out, const AxesPlan& plan) {
  for (const double at : plan.y.minor) {
    const double y = plan.frame.y(at);
    out.line({-kMinorTick, y}, {0, y}, {.colour = kInk, .width = 0.7});
  }
  for (const Tick& tick : plan.y.major) {
    const double y = plan.frame.y(tick.at);
    if (plan.grid) out.line({-kTick, y}, {0, y}, {.colour = kInk, .width = 0.9});
    out.text({-kTick - kTickGap, y + 0.36 * kTickText}, tick.label, {kTickText, Anchor::end});
  }
}

}  // namespace

void Margins::cover(const Margins& other) {
  left = std::max(left, other.left);
  right = std::max(right, other.right);
  top = std::max(top, other.top);
  bottom = std::max(bottom, other.bottom);
}

AxesPlan plan_axes(const Panel& panel, double width, double height, bool top_down) {
  AxesPlan plan;
  plan.frame.plot = {0, 0, width, height};
  plan.frame.x = {panel.x.log && panel.x.categories.empty(), x_range(panel), 0, width};
  plan.frame.y = {panel.y.log && panel.y.categories.empty(), y_range(panel), top_down ? 0 : height,
                  top_down ? height : 0};
  plan_x_labels(plan, panel.x);
  plan.y = y_ticks(panel.y, plan.frame.y, height);
  plan.x_label = wrap(panel.x.label, kLabelText, width + 20);
  plan.y_label = wrap(panel.y.label, kLabelText, height + 20);
  return plan;
}

Margins margins_of(const AxesPlan& plan) {
  const auto lines = [](const std::vector<std::string>& label) {
    return label.empty() ? 0 : 4 + kLabelLine * static_cast<double>(label.size());
  };
  const double half_line = kTickText / 2 + 1;  // labels at the very ends of the y axis
  return {.left = std::max(y_labels_width(plan) + lines(plan.y_label), overhang(plan, -1)) + 4,
          .right = std::max(overhang(plan, +1), 0.0) + 4,
          .top = half_line,
          .bottom = std::max(x_labels_height(plan) + lines(plan.x_label), half_line) + 4};
}

void draw_grid(Svg& out, const AxesPlan& plan) {
  const Box& plot = plan.frame.plot;
  const auto vertical = [&](double at, std::string_view colour) {
    out.line({plan.frame.x(at), plot.top}, {plan.frame.x(at), plot.bottom()},
             {.colour = colour, .width = 0.8});
  };
  const auto horizontal = [&](double at, std::string_view colour) {
    out.line({plot.left, plan.frame.y(at)}, {plot.right(), plan.frame.y(at)},
             {.colour = colour, .width = 0.8});
  };
  for (const double at : plan.x.minor) vertical(at, kMinorGrid);
  for (const double at : plan.y.minor) horizontal(at, kMinorGrid);
  for (const Tick& tick : plan.x.major) vertical(tick.at, kGrid);
  for (const Tick& tick : plan.y.major) horizontal(tick.at, kGrid);
}

void draw_axes(Svg& out, const AxesPlan& plan) {
  const Box& plot = plan.frame.plot;
  out.rect(plot, {}, {.colour = kInk, .width = 1});
  draw_x_ticks(out, plan);
  draw_y_ticks(out, plan);
  double y = plot.bottom() + x_labels_height(plan) + 4 + 0.8 * kLabelLine;
  for (const std::string& line : plan.x_label) {
    out.text({plot.width / 2, y}, line, {kLabelText, Anchor::middle});
    y += kLabelLine;
  }
  double x = -y_labels_width(plan) - 8 - kLabelLine * static_cast<double>(plan.y_label.size() - 1);
  for (const std::string& line : plan.y_label) {
    out.text({x, plot.height / 2}, line, {kLabelText, Anchor::middle, false, -90});
    x += kLabelLine;
  }
}

}  // namespace irn::report
