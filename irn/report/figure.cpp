#include "irn/report/figure.h"

#include <algorithm>
#include <span>

#include "irn/report/panel-inl.h"
#include "irn/report/xml-inl.h"

namespace irn::report {
namespace {

constexpr double kBetween = 22;  // panels
constexpr double kBorder = 4;
// Fonts of the reader's system: sans serifs with about the same metrics.
constexpr std::string_view kFonts = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

struct PlotSize {
  double width, height;
};

std::size_t columns_of(const Figure& figure) {
  const std::size_t panels = std::max<std::size_t>(1, figure.panels.size());
  return std::min(panels, figure.columns > 0 ? static_cast<std::size_t>(figure.columns) : 2);
}

// With the margins about 620, 850 and 1000 pixels wide: text has one size across a page.
PlotSize plot_size(const Figure& figure) {
  const std::size_t columns = columns_of(figure);
  PlotSize size = columns == 1 ? PlotSize{500, 300} : columns == 2 ? PlotSize{345, 235} : PlotSize{255, 185};
  if (figure.plot_width > 0) size.width = figure.plot_width;
  if (figure.plot_height > 0) size.height = figure.plot_height;
  return size;
}

// Plots of one column begin at the same x, plots of one row at the same y.
struct Layout {
  PlotSize plot;
  std::vector<Margins> columns, rows;
  std::vector<double> x, y;  // of the plots' corners
  double width = 2 * kBorder, height = 2 * kBorder;
};

void place_columns(Layout& layout) {
  double at = kBorder;
  for (const Margins& m : layout.columns) {
    layout.x.push_back(at + m.left);
    layout.width = at + m.left + layout.plot.width + m.right + kBorder;
    at = layout.width - kBorder + kBetween;
  }
}

void place_rows(Layout& layout) {
  double at = kBorder;
  for (const Margins& m : layout.rows) {
    layout.y.push_back(at + m.top);
    layout.height = at + m.top + layout.plot.height + m.bottom + kBorder;
    at = layout.height - kBorder + kBetween;
  }
}

Layout lay_out(const Figure& figure, const std::vector<PanelPlan>& plans) {
  const std::size_t columns = columns_of(figure);
  Layout layout{.plot = plot_size(figure), .columns = {}, .rows = {}, .x = {}, .y = {}};
  layout.columns.resize(std::min(columns, plans.size()));
  layout.rows.resize((plans.size() + columns - 1) / columns);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    layout.columns[i % columns].cover(plans[i].margins);
    layout.rows[i / columns].cover(plans[i].margins);
  }
  place_columns(layout);
  place_rows(layout);
  return layout;
}

// Aligns the titles of one row, whether their legends are below them or inside.
void align_titles(std::vector<PanelPlan>& plans, std::size_t columns) {
  for (std::size_t first = 0; first < plans.size(); first += columns) {
    const std::span row = std::span(plans).subspan(first, std::min(columns, plans.size() - first));
    double strip = 0;
    for (const PanelPlan& plan : row) strip = std::max(strip, plan.strip);
    for (PanelPlan& plan : row) lift_title(plan, strip);
  }
}

bool has_bars(const Figure& figure) {
  return std::ranges::any_of(figure.panels, [](const Panel& panel) {
    return std::ranges::any_of(panel.series, [](const Series& s) { return s.mark == Mark::bars; });
  });
}

std::string opening(const Figure& figure, const Layout& layout, std::string_view id) {
  const std::string width = pixel(layout.width), height = pixel(layout.height);
  std::string out = fill_in(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img" )"
      R"(aria-labelledby="{2}-title" font-family="{3}">)",
      {width, height, id, kFonts});
  const std::string& title = figure.caption.empty() ? figure.name : figure.caption;
  return out + fill_in("\n<title id=\"{}-title\">{}</title>\n", {id, escape(title)});
}

}  // namespace

std::string svg(const Figure& figure) {
  const PlotSize size = plot_size(figure);
  std::vector<PanelPlan> plans;
  for (const Panel& panel : figure.panels) plans.push_back(plan_panel(panel, size.width, size.height));
  align_titles(plans, columns_of(figure));
  const Layout layout = lay_out(figure, plans);
  const std::string id = slug(figure.name);
  Svg out;
  out.raw(opening(figure, layout, id));
  if (has_bars(figure)) out.raw(hatch_definitions(id));
  out.rect({0, 0, layout.width, layout.height}, {"#ffffff"});
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Point corner{layout.x[i % layout.x.size()], layout.y[i / layout.x.size()]};
    out.raw(fill_in("<g transform=\"translate({} {})\">\n", {pixel(corner.x), pixel(corner.y)}));
    draw_panel(out, plans[i], fill_in("{}-plot{}", {id, std::to_string(i)}), id);
    out.raw("</g>\n");
  }
  out.raw("</svg>\n");
  return out.str();
}

}  // namespace irn::report
