// Short texts inside a plot, beside a line or a point, placed where they cover least.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "irn/report/marks-inl.h"

namespace irn::report {

inline constexpr double kNoteText = 10.5;

struct LabelPlace {
  Point at;
  Anchor anchor = Anchor::start;
};
using LabelPlaces = std::array<LabelPlace, 4>;  // best first

// The place that covers least; the pixels under the label then count as covered.
LabelPlace place_label(std::string_view text, const LabelPlaces& places, const PlotFrame& frame,
                       std::vector<Point>& covered);
void draw_label(Svg& out, std::string_view text, const LabelPlace& place);

// The names of points (Series::names) that the axes can show.
struct NamePlan {
  std::string text;
  LabelPlace label;
};
std::vector<NamePlan> plan_names(const Panel& panel, const PlotFrame& frame, std::vector<Point>& covered);

}  // namespace irn::report
