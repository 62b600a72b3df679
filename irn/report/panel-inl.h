// One panel: its plan (what is where, and how much room it needs) and its drawing.
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
  double strip;  // between plot and title, for the legend of this panel or of another one in the row
  Margins margins;
};

// Leaves at least this much room between the plot and the title.
void lift_title(PanelPlan& plan, double strip);

// `width` and `height` are those of the plot itself, without margins. Throws irn::Error if lengths do not
// fit.
PanelPlan plan_panel(const Panel& panel, double width, double height);

// The plot's top left corner is the origin. `id` must be unique in the page; it names the clipping rectangle.
void draw_panel(Svg& out, const PanelPlan& plan, std::string_view id, std::string_view prefix);

}  // namespace irn::report
