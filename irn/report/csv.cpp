#include "irn/report/csv.h"

#include <charconv>
#include <cmath>

#include "irn/base/text.h"

namespace irn::report {
namespace {

std::string number(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}

std::string at_or_empty(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? number(values[i]) : "";
}

// The name of the category if there is one, otherwise the number.
std::string x_text(const Axis& axis, double x) {
  const bool named = x >= 0 && x == std::floor(x) && x < static_cast<double>(axis.categories.size());
  return named ? csv_cell(axis.categories[static_cast<std::size_t>(x)]) : number(x);
}

void append_series(std::string& out, const Panel& panel, const std::string& panel_name, const Series& s) {
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    out += panel_name + "," + csv_cell(s.label) + "," + x_text(panel.x, s.x[i]) + "," + at_or_empty(s.y, i) +
           "," + at_or_empty(s.low, i) + "," + at_or_empty(s.high, i) + "\n";
  }
}

void append_matrix(std::string& out, const std::string& panel_name, const Matrix& m) {
  for (std::size_t i = 0; i < m.values.size() && !m.columns.empty(); ++i) {
    const std::size_t row = i / m.columns.size();
    if (row >= m.rows.size()) return;
    out += panel_name + "," + csv_cell(m.rows[row]) + "," + csv_cell(m.columns[i % m.columns.size()]) + "," +
           number(m.values[i]) + ",,\n";
  }
}

}  // namespace

std::string figure_csv(const Figure& figure) {
  std::string out = "panel,series,x,y,low,high\n";
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    const std::string name = panel.title.empty() ? std::to_string(i + 1) : csv_cell(panel.title);
    for (const Series& s : panel.series) append_series(out, panel, name, s);
    if (panel.matrix) append_matrix(out, name, *panel.matrix);
  }
  return out;
}

}  // namespace irn::report
