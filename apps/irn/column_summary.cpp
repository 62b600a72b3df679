#include "apps/irn/column_summary.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "irn/data/category-inl.h"

namespace irn::app {
namespace {

using report::Align;
using report::Cell;

constexpr std::size_t most_columns = 60;

std::string role_of(const EncodedColumn& column, bool target) {
  const std::string whose = target ? "target, " : "";
  if (!column.parts.empty()) {
    std::string parts;
    for (const ScaledPart& part : column.parts)
      parts += (parts.empty() ? "" : ", ") + std::string(name(part.part));
    return whose + "date as " + parts;
  }
  if (column.buckets > 0) return whose + fmt::format("text, {} shared units", column.buckets);
  if (column.others)
    return whose + fmt::format("text, {} units and one for others", column.categories.size());
  if (!column.is_number()) return whose + (target ? "class" : "text");
  return whose + (is_date(column.reading)              ? "date"
                  : column.reading == Reading::boolean ? "yes or no"
                                                       : "number");
}

std::string shown(double value, Reading reading) {
  if (is_date(reading)) return date_text(value);
  return fmt::format("{:.5g}", value);
}

struct Numbers {
  double count = 0, sum = 0, squares = 0, low = INFINITY, high = -INFINITY;
};

// Mean, deviation, least and largest over columns that are read in the same way. Deviations are about the
// mean, so that large numbers lose no digits.
std::vector<Cell> number_cells(const Frame& frame, std::span<const EncodedColumn> columns,
                               std::span<const std::uint64_t> rows, std::size_t& missing) {
  const Reading reading = columns[0].reading;
  const auto for_each_number = [&](const auto& visit) {
    for (const EncodedColumn& column : columns) {
      const ColumnNumbers value_of(frame, frame.find(column.name), reading);
      for (const std::uint64_t row : rows)
        if (const double v = value_of(frame.row(row)); !std::isnan(v)) visit(v);
    }
  };
  Numbers n;
  for_each_number(
      [&](double v) { ++n.count, n.sum += v, n.low = std::min(n.low, v), n.high = std::max(n.high, v); });
  missing = rows.size() * columns.size() - static_cast<std::size_t>(n.count);
  if (n.count == 0) return {"", "", ""};
  const double mean = n.sum / n.count;
  for_each_number([&](double v) { n.squares += (v - mean) * (v - mean); });
  const std::string unit = is_date(reading) ? " days" : "";
  return {shown(is_date(reading) ? std::floor(mean) : mean, reading),
          fmt::format("{:.4g}{}", std::sqrt(n.squares / n.count), unit),
          shown(n.low, reading) + " to " + shown(n.high, reading)};
}

// The number of different texts, and the most frequent one.
std::vector<Cell> text_cells(const Frame& frame, const EncodedColumn& column,
                             std::span<const std::uint64_t> rows, std::size_t& missing) {
  const std::size_t place = frame.find(column.name);
  const FrameColumn& of = frame.columns()[place];
  std::map<double, std::size_t> counts;
  std::size_t all = 0;
  for (const std::uint64_t row : rows)
    if (const double v = frame.row(row)[place]; !std::isnan(v)) ++counts[v], ++all;
  missing = rows.size() - all;
  if (counts.empty()) return {"", "", ""};
  const auto often = std::max_element(counts.begin(), counts.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string text = of.text ? of.categories[static_cast<std::size_t>(often->first)] : in_words(often->first);
  constexpr std::size_t room = 40;
  if (text.size() > room) text = text.substr(0, room) + "...";
  return {"", "",
          fmt::format("{} values; '{}' in {:.3g} %", counts.size(), text,
                      100 * double(often->second) / double(all))};
}

}  // namespace

report::Table column_summary(const Frame& frame, const Encoding& encoding,
                             std::span<const std::uint64_t> rows) {
  report::Table table{.columns = {{"column"},
                                  {"taken as"},
                                  {"mean", Align::right},
                                  {"deviation", Align::right},
                                  {"values"},
                                  {"missing", Align::right}}};
  const auto add = [&](const EncodedColumn& column, bool target) {
    std::size_t missing = 0;
    const bool numbers = column.is_number() || !column.parts.empty();
    std::vector<Cell> cells =
        numbers ? number_cells(frame, {&column, 1}, rows, missing) : text_cells(frame, column, rows, missing);
    cells.insert(cells.begin(), {column.name, role_of(column, target)});
    cells.emplace_back(missing == 0 ? "" : std::to_string(missing));
    table.rows.push_back(std::move(cells));
  };
  // One pixel says little: all of them share one line.
  const auto add_images = [&](const ImageShape& shape) {
    const std::vector<EncodedColumn>& pixels = encoding.inputs;
    std::size_t missing = 0;
    std::vector<Cell> cells = number_cells(frame, pixels, rows, missing);
    cells.insert(cells.begin(),
                 {pixels.front().name + " to " + pixels.back().name, "images of " + to_text(shape)});
    cells.emplace_back(missing == 0 ? "" : std::to_string(missing));
    table.rows.push_back(std::move(cells));
  };
  const std::size_t shown_inputs =
      !encoding.image.none() ? 0 : std::min(most_columns, encoding.inputs.size());
  if (!encoding.image.none()) add_images(encoding.image);
  for (std::size_t k = 0; k < shown_inputs; ++k) add(encoding.inputs[k], false);
  for (const EncodedColumn& target : encoding.targets) add(target, true);
  table.caption = fmt::format("The columns, over the {} rows that can be used.", rows.size());
  if (encoding.image.none() && shown_inputs < encoding.inputs.size())
    table.caption += fmt::format(" Of {} inputs the first {}.", encoding.inputs.size(), shown_inputs);
  return table;
}

}  // namespace irn::app
