#include "irn/report/labels-inl.h"

#include <algorithm>

#include "irn/report/legend-inl.h"

namespace irn::report {
namespace {

Box label_box(std::string_view text, const LabelPlace& place) {
  const double width = text_width(text, kNoteText);
  const double left = place.anchor == Anchor::start ? place.at.x : place.at.x - width;
  return {left, place.at.y - kNoteText, width, kNoteText + 2};
}

std::size_t cost(const Box& box, const PlotFrame& frame, const std::vector<Point>& covered) {
  const bool clipped =
      box.left < 0 || box.right() > frame.plot.width || box.top < 0 || box.bottom() > frame.plot.height;
  return hits(covered, box) + (clipped ? 1'000'000 : 0);
}

void cover_box(std::vector<Point>& covered, const Box& box) {
  for (double x = box.left; x <= box.right(); x += 4) {
    for (double y = box.top; y <= box.bottom(); y += 4) covered.push_back({x, y});
  }
}

// To the right and to the left of the marker, a little above or below.
LabelPlaces beside(Point p) {
  constexpr double kAside = 7, kAbove = 5, kBelow = kNoteText + 3;
  return {{{{p.x + kAside, p.y - kAbove}, Anchor::start},
           {{p.x - kAside, p.y - kAbove}, Anchor::end},
           {{p.x + kAside, p.y + kBelow}, Anchor::start},
           {{p.x - kAside, p.y + kBelow}, Anchor::end}}};
}

}  // namespace

LabelPlace place_label(std::string_view text, const LabelPlaces& places, const PlotFrame& frame,
                       std::vector<Point>& covered) {
  const LabelPlace best = *std::ranges::min_element(
      places, {}, [&](const LabelPlace& place) { return cost(label_box(text, place), frame, covered); });
  if (!text.empty()) cover_box(covered, label_box(text, best));
  return best;
}

void draw_label(Svg& out, std::string_view text, const LabelPlace& place) {
  out.text(place.at, text, {.size = kNoteText, .anchor = place.anchor, .halo = true, .colour = "#444444"});
}

std::vector<NamePlan> plan_names(const Panel& panel, const PlotFrame& frame, std::vector<Point>& covered) {
  std::vector<NamePlan> out;
  const auto inside = [](double value, const Scale& scale) {
    return can_show(value, scale.log) && value >= scale.range.low && value <= scale.range.high;
  };
  for (const Series& s : panel.series) {
    for (std::size_t i = 0; i < s.names.size(); ++i) {
      if (s.names[i].empty() || !inside(s.x[i], frame.x) || !inside(s.y[i], frame.y)) continue;
      const LabelPlaces places = beside({frame.x(s.x[i]), frame.y(s.y[i])});
      out.push_back({s.names[i], place_label(s.names[i], places, frame, covered)});
    }
  }
  return out;
}

}  // namespace irn::report
