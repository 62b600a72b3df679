#include "irn/report/marks-inl.h"

#include <algorithm>
#include <cmath>

#include "irn/report/curves-inl.h"
#include "irn/report/simplify-inl.h"

namespace irn::report {
namespace {

constexpr double kLineWidth = 1.7, kMarkerRadius = 3.2;
constexpr double kMarkerGap = 16;  // between the markers of a line that has too many
constexpr std::size_t kMostMarkers = 40;
constexpr double kBandOpacity = 0.2;  // two bands over each other stay readable
constexpr std::size_t kCrowd = 300;   // from here on points are small and translucent

std::string at(Point p) { return pixel(p.x) + "," + pixel(p.y); }

// A lone point between gaps would vanish: a short stroke shows it as a dot.
void append_run(std::string& path, const Run& run) {
  const Run thin = thin_line(run);
  path += "M" + at(thin[0]);
  for (std::size_t i = 1; i < thin.size(); ++i) path += "L" + at(thin[i]);
  if (thin.size() == 1) path += "m-1.5,0h3";
}

std::string line_path(const std::vector<Run>& runs) {
  std::string path;
  for (const Run& run : runs) append_run(path, run);
  return path;
}

void draw_band(Svg& out, const Series& s, Look look, const PlotFrame& frame) {
  std::string path;
  for (const Run& outline : band(s, frame)) {
    append_run(path, outline);
    path += "Z";
  }
  out.path(path, {colour_of(look), kBandOpacity}, {.width = 0});
}

void draw_whiskers(Svg& out, const Series& s, std::string_view colour, double shift, const PlotFrame& frame) {
  std::string path;
  for (const Whisker& w : whiskers(s, frame, shift)) {
    path += "M" + at({w.x, w.low}) + "V" + pixel(w.high);
    path += "M" + at({w.x - 3, w.low}) + "h6M" + at({w.x - 3, w.high}) + "h6";
  }
  out.path(path, {}, {.colour = colour, .width = 1.1});
}

void draw_bar_values(Svg& out, const std::vector<Bar>& bars) {
  for (const Bar& bar : bars) {
    const bool below = bar.value < 0;
    const Point place{bar.box.left + bar.box.width / 2, below ? bar.box.bottom() + 12 : bar.top - 4};
    out.text(place, short_number(bar.value), {.size = 10.5, .anchor = Anchor::middle});
  }
}

void draw_bars(Svg& out, const Panel& panel, std::size_t index, const PlotFrame& frame,
               std::string_view prefix) {
  const Series& s = panel.series[index];
  const Look look = look_of(panel, index);
  const BarSlot slot = bar_slot(panel, index, frame);
  const std::vector<Bar> all = bars(s, slot, frame);
  const std::string hatch = hatch_of(look, prefix);
  for (const Bar& bar : all) {
    out.rect(bar.box, {colour_of(look)});
    if (!hatch.empty()) out.rect(bar.box, {hatch});
  }
  draw_whiskers(out, s, "#222222", slot.shift, frame);
  if (s.show_values) draw_bar_values(out, all);
}

void draw_line(Svg& out, const Series& s, Look look, const PlotFrame& frame) {
  out.path(line_path(runs(s, s.y, frame)), {},
           {.colour = colour_of(look), .width = kLineWidth, .dash = dash_of(look)});
}

std::vector<Point> points_of(const Series& s, const PlotFrame& frame) {
  std::vector<Point> out;
  for (const Run& run : runs(s, s.y, frame)) out.insert(out.end(), run.begin(), run.end());
  return out;
}

std::vector<Point> spaced(const std::vector<Point>& points) {
  if (points.size() <= kMostMarkers) return points;
  std::vector<Point> out;
  for (const Point p : points) {
    if (out.empty() || std::hypot(p.x - out.back().x, p.y - out.back().y) >= kMarkerGap) out.push_back(p);
  }
  return out;
}

void draw_points(Svg& out, const Series& s, Look look, const PlotFrame& frame) {
  const std::vector<Point> all = points_of(s, frame);
  const std::vector<Point> points = s.mark == Mark::both ? spaced(all) : thin_points(all);
  const bool crowd = points.size() > kCrowd;
  if (s.mark == Mark::points) draw_whiskers(out, s, colour_of(look), 0, frame);
  if (s.hollow) {
    std::string path;
    for (const Point p : points) path += marker_path(look, p, crowd ? 2.0 : kMarkerRadius);
    return out.path(path, {"#ffffff"}, {.colour = colour_of(look), .width = crowd ? 0.8 : 1.4});
  }
  // If points are translucent, each has its own path, so that overlaps add up; otherwise one path has all.
  std::string path;
  for (const Point p : points) {
    if (crowd)
      out.path(marker_path(look, p, 2.0), {colour_of(look), 0.35}, {.width = 0});
    else
      path += marker_path(look, p, kMarkerRadius);
  }
  out.path(path, {colour_of(look)}, {.colour = "#ffffff", .width = 0.7});
}

void sample_segment(std::vector<Point>& out, Point a, Point b) {
  constexpr double kStep = 4;
  const double length = std::min(std::hypot(b.x - a.x, b.y - a.y), 4000.0);
  const int pieces = std::max(1, static_cast<int>(length / kStep));
  for (int i = 0; i <= pieces; ++i) {
    const double t = static_cast<double>(i) / pieces;
    out.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)});
  }
}

void sample_run(std::vector<Point>& out, const Run& run, bool joined) {
  const Run thin = joined ? thin_line(run) : thin_points(run);
  if (!joined || thin.size() == 1) out.insert(out.end(), thin.begin(), thin.end());
  for (std::size_t i = 1; joined && i < thin.size(); ++i) sample_segment(out, thin[i - 1], thin[i]);
}

void sample_bars(std::vector<Point>& out, const std::vector<Bar>& bars, bool values) {
  for (const Bar& bar : bars) {
    const double left = bar.box.left, right = bar.box.right(), top = bar.top - (values ? 16 : 0);
    for (double y = bar.box.bottom(); y >= top; y -= 4) sample_segment(out, {left, y}, {right, y});
    sample_segment(out, {left, top}, {right, top});
  }
}

}  // namespace

void draw_series(Svg& out, const Panel& panel, const PlotFrame& frame, std::string_view prefix) {
  const auto each = [&](auto&& draw) {
    for (std::size_t i = 0; i < panel.series.size(); ++i) draw(i, panel.series[i], look_of(panel, i));
  };
  each([&](std::size_t i, const Series& s, Look look) {
    if (s.mark == Mark::bars)
      draw_bars(out, panel, i, frame, prefix);
    else if (s.mark == Mark::points && s.x.size() > kCrowd)
      draw_points(out, s, look, frame);
    else if (s.mark != Mark::points)
      draw_band(out, s, look, frame);
  });
  each([&](std::size_t, const Series& s, Look look) {
    if (s.mark != Mark::bars && s.mark != Mark::points) draw_line(out, s, look, frame);
  });
  each([&](std::size_t, const Series& s, Look look) {
    if (s.mark == Mark::both || (s.mark == Mark::points && s.x.size() <= kCrowd))
      draw_points(out, s, look, frame);
  });
}

std::vector<Point> covered_pixels(const Panel& panel, const PlotFrame& frame) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const Series& s = panel.series[i];
    if (s.mark == Mark::bars)
      sample_bars(out, bars(s, bar_slot(panel, i, frame), frame), s.show_values);
    else
      for (const Run& run : runs(s, s.y, frame)) sample_run(out, run, s.mark != Mark::points);
    for (const Run& outline : band(s, frame)) sample_run(out, outline, true);
  }
  return out;
}

void draw_swatch(Svg& out, const Series& s, Look look, const Box& box, std::string_view prefix) {
  const Point middle{box.left + box.width / 2, box.top + box.height / 2};
  const PlotFrame frame{box, {false, {0, 1}, box.left, box.right()}, {false, {0, 1}, box.bottom(), box.top}};
  if (s.mark == Mark::bars) {
    out.rect(box, {colour_of(look)});
    if (const std::string hatch = hatch_of(look, prefix); !hatch.empty()) out.rect(box, {hatch});
    return;
  }
  if (has_band(s) && s.mark != Mark::points) out.rect(box, {colour_of(look), kBandOpacity});
  if (s.mark != Mark::points) draw_line(out, {.x = {0, 1}, .y = {0.5, 0.5}}, look, frame);
  if (s.mark == Mark::points || s.mark == Mark::both) {
    const Stroke rim = s.hollow ? Stroke{.colour = colour_of(look), .width = 1.4}
                                : Stroke{.colour = "#ffffff", .width = 0.7};
    out.path(marker_path(look, middle, kMarkerRadius), {s.hollow ? "#ffffff" : colour_of(look)}, rim);
  }
}

bool has_data(const Panel& panel) {
  return std::ranges::any_of(panel.series, [&](const Series& s) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (can_show(s.x[i], panel.x.log) && can_show(s.y[i], panel.y.log)) return true;
    }
    return false;
  });
}

}  // namespace irn::report
