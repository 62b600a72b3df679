#include "irn/report/matrix-inl.h"

#include <algorithm>
#include <cmath>

namespace irn::report {
namespace {

constexpr double kBarGap = 12, kBarWidth = 13, kBarText = 10.5, kLabelText = 11.5;
constexpr double kLargestText = 12, kSmallestText = 6.5;

double value_at(const Matrix& m, std::size_t row, std::size_t column) {
  return m.values[row * m.columns.size() + column];
}

// The values of the lightest and of the darkest shade.
Range shade_range(const Matrix& m) {
  if (m.shade_by_row) return {0, 1};
  Range out{0, 0};
  for (const double v : m.values) {
    if (!can_show(v, false)) continue;
    out = {std::min(out.low, v), std::max(out.high, v)};
  }
  return out.low < out.high ? out : Range{0, 1};
}

double row_sum(const Matrix& m, std::size_t row) {
  double sum = 0;
  for (std::size_t c = 0; c < m.columns.size(); ++c) {
    const double v = value_at(m, row, c);
    sum += can_show(v, false) ? v : 0;
  }
  return sum;
}

double share_of(double value, Range range) { return (value - range.low) / (range.high - range.low); }

// The size at which the longest number fits its cell; 0: too small to be read.
double number_size(const Matrix& m, double cell_width, double cell_height) {
  double longest = 1e-9;
  for (const double v : m.values) longest = std::max(longest, text_width(short_number(v), 1));
  const double size = std::min({kLargestText, 0.86 * cell_width / longest, 0.7 * cell_height});
  return m.numbers && size >= kSmallestText ? size : 0;
}

void draw_cell(Svg& out, const Box& box, double value, double share, double text) {
  out.rect(box, {shade(share)}, {.colour = "#ffffff", .width = 0.8});
  if (text == 0) return;
  const Point middle{box.left + box.width / 2, box.top + box.height / 2 + 0.36 * text};
  out.text(middle, short_number(value),
           {.size = text, .anchor = Anchor::middle, .colour = is_dark(share) ? "#ffffff" : "#222222"});
}

Ticks bar_ticks(const Matrix& m, double height) {
  return ticks({}, shade_range(m), std::max(2, static_cast<int>(height / 40)));
}

}  // namespace

Panel with_matrix_axes(const Panel& panel) {
  Panel out = panel;
  out.series.clear();
  out.x.range = out.y.range = {};
  out.x.categories = panel.matrix->columns;
  out.y.categories = panel.matrix->rows;
  return out;
}

double matrix_width(const Matrix& m, double width, double height) {
  if (m.rows.empty() || m.columns.empty()) return width;
  const double cell_height = height / static_cast<double>(m.rows.size());
  return std::min(width, 1.5 * cell_height * static_cast<double>(m.columns.size()));
}

double colour_bar_width(const Matrix& m) {
  double labels = 0;
  for (const Tick& tick : bar_ticks(m, 300).major)
    labels = std::max(labels, label_width(tick.label, kBarText));
  const double title = m.value_label.empty() && !m.shade_by_row ? 0 : kLabelText + 8;
  return kBarGap + kBarWidth + 6 + labels + title + 4;
}

void draw_cells(Svg& out, const Matrix& m, const PlotFrame& frame) {
  if (m.rows.empty() || m.columns.empty()) return;
  const double width = frame.plot.width / static_cast<double>(m.columns.size());
  const double height = frame.plot.height / static_cast<double>(m.rows.size());
  const double text = number_size(m, width, height);
  const Range range = shade_range(m);
  for (std::size_t r = 0; r < m.rows.size(); ++r) {
    const double sum = m.shade_by_row ? std::max(row_sum(m, r), 1e-300) : 1;
    for (std::size_t c = 0; c < m.columns.size(); ++c) {
      const double v = value_at(m, r, c);
      const Box box{static_cast<double>(c) * width, static_cast<double>(r) * height, width, height};
      if (can_show(v, false)) draw_cell(out, box, v, share_of(v / sum, range), text);
    }
  }
}

void draw_colour_bar(Svg& out, const Matrix& m, const PlotFrame& frame) {
  constexpr int kSteps = 48;
  const double left = frame.plot.right() + kBarGap, height = frame.plot.height;
  for (int i = 0; i < kSteps; ++i) {
    // Half a pixel of overlap hides the seams that anti-aliasing would draw.
    const Box box{left, height * (kSteps - 1 - i) / kSteps, kBarWidth, height / kSteps + (i == 0 ? 0 : 0.5)};
    out.rect(box, {shade((i + 0.5) / kSteps)});
  }
  out.rect({left, 0, kBarWidth, height}, {}, {.colour = "#333333", .width = 0.8});
  const Scale scale{false, shade_range(m), height, 0};
  double widest = 0;
  for (const Tick& tick : bar_ticks(m, height).major) {
    const double y = scale(tick.at), x = left + kBarWidth;
    out.line({x, y}, {x + 3, y}, {.colour = "#333333", .width = 0.8});
    out.text({x + 6, y + 0.36 * kBarText}, tick.label, {.size = kBarText});
    widest = std::max(widest, label_width(tick.label, kBarText));
  }
  const std::string title = m.value_label.empty() && m.shade_by_row ? "share of the row" : m.value_label;
  const Point at{left + kBarWidth + 6 + widest + 6 + kLabelText, height / 2};
  out.text(at, title, {.size = kLabelText, .anchor = Anchor::middle, .turn = -90});
}

}  // namespace irn::report
