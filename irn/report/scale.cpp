#include "irn/report/scale-inl.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace irn::report {
namespace {

constexpr double kHuge = 1e300, kTiny = 1e-300;  // spans and powers of ten are finite between these
constexpr double kAir = 0.05;                    // share of the span left free beside the data

struct Extent {
  bool log = false;
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    if (!can_show(value, log)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
  bool empty() const { return !(low <= high); }
};

double forward(double value, bool log) { return log ? std::log10(value) : value; }
double backward(double value, bool log) {
  return log ? std::pow(10.0, std::clamp(value, -307.0, 307.0)) : value;
}

// One value only, or values that differ by rounding: they get a range that ticks can resolve.
bool is_flat(double low, double high, bool log) {
  const double size = log ? 1.0 : std::max(std::abs(low), std::abs(high));
  return high - low <= 1e-9 * size;
}

Range around(double value, bool log) {
  if (log) return {value / 3, value * 3};
  const double half = value == 0 ? 1.0 : 0.1 * std::abs(value);
  return {value - half, value + half};
}

// The margin must not suggest negative errors or shares: with `keep_sign` it ends at zero.
Range with_air(const Extent& extent, double low_air, double high_air, bool keep_sign) {
  const bool log = extent.log;
  const double low = forward(extent.low, log), high = forward(extent.high, log);
  if (is_flat(low, high, log)) return around(extent.low, log);
  const double span = high - low;
  Range out = {backward(low - low_air * span, log), backward(high + high_air * span, log)};
  if (keep_sign && !log && extent.low >= 0 && out.low < 0) out.low = 0;
  if (keep_sign && !log && extent.high <= 0 && out.high > 0) out.high = 0;
  return out;
}

bool usable(const Axis& axis) {
  return axis.range && can_show(axis.range->low, axis.log) && can_show(axis.range->high, axis.log) &&
         axis.range->low < axis.range->high &&
         !is_flat(forward(axis.range->low, axis.log), forward(axis.range->high, axis.log), axis.log);
}

Range category_range(const Axis& axis) { return {-0.5, static_cast<double>(axis.categories.size()) - 0.5}; }

bool has_bars(const Panel& panel) {
  return std::ranges::any_of(panel.series, [](const Series& s) { return s.mark == Mark::bars; });
}

// Markers need room on both sides of their point.
bool has_markers(const Panel& panel) {
  return std::ranges::any_of(panel.series,
                             [](const Series& s) { return s.mark == Mark::points || s.mark == Mark::both; });
}

// Bars are in the middle of their bin: half a bin of room on both sides.
Range bar_range(const Extent& extent, std::size_t bars) {
  const double half = 0.5 / std::max(1.0, static_cast<double>(bars) - 1);
  return with_air(extent, half, half, false);
}

std::size_t most_bars(const Panel& panel) {
  std::size_t out = 0;
  for (const Series& s : panel.series) out = std::max(out, s.mark == Mark::bars ? s.x.size() : 0);
  return out;
}

Extent references(const Panel& panel, ReferenceLine::Kind kind, Extent extent) {
  for (const ReferenceLine& line : panel.references) {
    if (line.kind == kind) extent.add(line.at);
  }
  return extent;
}

}  // namespace

double Scale::operator()(double value) const {
  const double low = forward(range.low, log), high = forward(range.high, log);
  return start + (end - start) * (forward(value, log) - low) / (high - low);
}

bool can_show(double value, bool log) {
  return std::isfinite(value) && std::abs(value) <= kHuge && (!log || value >= kTiny);
}

Range x_range(const Panel& panel) {
  if (usable(panel.x)) return *panel.x.range;
  if (!panel.x.categories.empty()) return category_range(panel.x);
  Extent extent{.log = panel.x.log};
  for (const Series& s : panel.series) extent.add(s.x);
  extent = references(panel, ReferenceLine::Kind::vertical, extent);
  if (extent.empty()) return panel.x.log ? Range{1, 10} : Range{0, 1};
  if (has_bars(panel)) return bar_range(extent, most_bars(panel));
  const double air = has_markers(panel) ? kAir : 0;
  return with_air(extent, air, air, false);
}

Range y_range(const Panel& panel) {
  if (usable(panel.y)) return *panel.y.range;
  if (!panel.y.categories.empty()) return category_range(panel.y);
  Extent extent{.log = panel.y.log};
  for (const Series& s : panel.series) {
    extent.add(s.y);
    extent.add(s.low);
    extent.add(s.high);
  }
  if (has_bars(panel) && !panel.y.log) extent.add(0);
  extent = references(panel, ReferenceLine::Kind::horizontal, extent);
  if (extent.empty()) return panel.y.log ? Range{1, 10} : Range{0, 1};
  return with_air(extent, kAir, has_bars(panel) ? 2 * kAir : kAir, !has_markers(panel));
}

}  // namespace irn::report
