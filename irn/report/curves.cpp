#include "irn/report/curves-inl.h"

#include <algorithm>
#include <cmath>

namespace irn::report {
namespace {

void close_run(std::vector<Run>& runs, Run& run) {
  if (!run.empty()) runs.push_back(std::move(run));
  run.clear();
}

bool shown(const Series& s, std::size_t i, double value, const PlotFrame& frame) {
  return can_show(s.x[i], frame.x.log) && can_show(value, frame.y.log);
}

void extend(Run& run, Point p, Mark mark) {
  if (mark == Mark::steps && !run.empty()) run.push_back({p.x, run.back().y});
  run.push_back(p);
}

// The bottom of the plot for values below everything that a logarithmic axis can show.
double pixel_or_bottom(double value, const PlotFrame& frame) {
  return can_show(value, frame.y.log) ? frame.y(value) : frame.plot.bottom();
}

bool in_band(const Series& s, std::size_t i, const PlotFrame& frame) {
  return shown(s, i, s.high[i], frame) && !std::isnan(s.low[i]);
}

Run outline(Run upper, const Run& lower) {
  upper.insert(upper.end(), lower.rbegin(), lower.rend());
  return upper;
}

std::vector<double> bar_positions(const Panel& panel, const PlotFrame& frame) {
  std::vector<double> out;
  for (const Series& s : panel.series) {
    for (const double x : s.x) {
      if (s.mark == Mark::bars && can_show(x, frame.x.log)) out.push_back(frame.x(x));
    }
  }
  std::ranges::sort(out);
  return out;
}

double slot_width(const Panel& panel, const PlotFrame& frame) {
  if (!panel.x.categories.empty()) return 0.76 * std::abs(frame.x(1) - frame.x(0));
  const std::vector<double> at = bar_positions(panel, frame);
  double gap = frame.plot.width / 4;
  for (std::size_t i = 1; i < at.size(); ++i) {
    if (at[i] - at[i - 1] > 0.5) gap = std::min(gap, at[i] - at[i - 1]);
  }
  return 0.94 * gap;
}

}  // namespace

bool has_band(const Series& series) { return !series.low.empty() && !series.high.empty(); }

std::vector<Run> runs(const Series& s, const std::vector<double>& values, const PlotFrame& frame) {
  std::vector<Run> out;
  Run run;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (shown(s, i, values[i], frame))
      extend(run, {frame.x(s.x[i]), frame.y(values[i])}, s.mark);
    else
      close_run(out, run);
  }
  close_run(out, run);
  return out;
}

std::vector<Run> band(const Series& s, const PlotFrame& frame) {
  std::vector<Run> out;
  if (!has_band(s)) return out;
  Run upper, lower;
  for (std::size_t i = 0; i <= s.x.size(); ++i) {
    if (i < s.x.size() && in_band(s, i, frame)) {
      extend(upper, {frame.x(s.x[i]), frame.y(s.high[i])}, s.mark);
      extend(lower, {frame.x(s.x[i]), pixel_or_bottom(s.low[i], frame)}, s.mark);
    } else if (!upper.empty()) {
      out.push_back(outline(std::move(upper), lower));
      upper.clear(), lower.clear();
    }
  }
  return out;
}

std::vector<Whisker> whiskers(const Series& s, const PlotFrame& frame, double shift) {
  std::vector<Whisker> out;
  for (std::size_t i = 0; has_band(s) && i < s.x.size(); ++i) {
    if (!in_band(s, i, frame)) continue;
    out.push_back({frame.x(s.x[i]) + shift, pixel_or_bottom(s.low[i], frame), frame.y(s.high[i])});
  }
  return out;
}

BarSlot bar_slot(const Panel& panel, std::size_t index, const PlotFrame& frame) {
  double count = 0, before = 0;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (panel.series[i].mark != Mark::bars) continue;
    before += i < index ? 1 : 0;
    count += 1;
  }
  const double width = slot_width(panel, frame) / std::max(1.0, count);
  return {width, (before - 0.5 * (count - 1)) * width};
}

std::vector<Bar> bars(const Series& s, const BarSlot& slot, const PlotFrame& frame) {
  const double base = frame.y.log ? frame.plot.bottom() : frame.y(0);
  std::vector<Bar> out;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    if (!shown(s, i, s.y[i], frame)) continue;
    const double middle = frame.x(s.x[i]) + slot.shift, end = frame.y(s.y[i]);
    const Box box{middle - slot.width / 2, std::min(base, end), slot.width, std::abs(base - end)};
    const bool whisker = has_band(s) && in_band(s, i, frame);
    out.push_back({box, s.y[i], std::min(box.top, whisker ? frame.y(s.high[i]) : box.top)});
  }
  return out;
}

}  // namespace irn::report
