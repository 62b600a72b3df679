// One panel: its plan (what goes where, and how much room it needs) and its drawing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "irn/report/axes-inl.h"
#include "irn/report/labels-inl.h"
#include "irn/report/legend-inl.h"

namespace irn::report {

struct ReferencePlan {
  ReferenceLine line;
  LabelPlace label;
};

struct PanelPlan {
  Panel panel;
  AxesPlan axes;
  LegendPlan legend;
  std::vector<ReferencePlan> references;
  std::vector<NamePlan> names;
  std::vector<std::string> title;  // lines
  double strip;  // above the plot and below the title: of a legend here, or in another panel of the row
  Margins margins;
};

// Leaves at least so much room between the plot and the title.
void lift_title(PanelPlan& plan, double strip);

// `width` and `height` are those of the plot itself; margins come on top. Throws irn::Error on unfitting lengths.
PanelPlan plan_panel(const Panel& panel, double width, double height);

// The plot's top left corner is the origin. `id` is unique in the page and names the clipping rectangle.
void draw_panel(Svg& out, const PanelPlan& plan, std::string_view id, std::string_view prefix);

}  // namespace irn::report
