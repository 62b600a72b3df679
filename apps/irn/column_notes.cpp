#include "apps/irn/column_notes.h"

#include <algorithm>

#include <fmt/format.h>

#include "irn/data/csv_scan-inl.h"

namespace irn::app {
namespace {

// The first of the column's texts that is no number, if most of them are numbers.
std::optional<std::size_t> slip_of_the_pen(const FrameColumn& column) {
  std::size_t numbers = 0, first = column.categories.size();
  for (std::size_t k = column.categories.size(); k-- > 0;) {
    std::string text = column.categories[k];
    double value = 0;
    if (!csv::is_number<double>(text, value)) first = k;
    std::string without = text;
    std::erase(without, ',');
    if (const std::size_t comma = text.find(','); comma != text.npos) text[comma] = '.';
    numbers += csv::is_number<double>(text, value) || csv::is_number<double>(without, value);
  }
  if (numbers * 2 < column.categories.size() || first == column.categories.size()) return {};
  return first;
}

std::string note_of_slip(const Frame& frame, std::size_t column, std::size_t text) {
  const FrameColumn& of = frame.columns()[column];
  std::size_t row = 0;
  while (frame.row(row)[column] != double(text)) ++row;
  const bool comma = of.categories[text].find(',') != std::string::npos;
  return fmt::format(
      "'{}' is taken for text because of '{}' ({}); correct it, {}or name the column with --text", of.name,
      of.categories[text], frame.place(row),
      comma ? "say what the comma is with --decimal or --thousands, " : "");
}

// "'a', 'b' and 3 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

std::string parts_of(const EncodedColumn& column) {
  std::string text;
  for (const ScaledPart& part : column.parts)
    text += (text.empty() ? "" : ", ") + std::string(name(part.part));
  return text;
}

void note_dates(const std::vector<const EncodedColumn*>& dates, std::vector<std::string>& notes) {
  std::vector<std::string> names, american;
  for (const EncodedColumn* column : dates)
    (column->reading == Reading::date ? names : american).push_back(column->name);
  for (const auto* some : {&names, &american})
    if (!some->empty())
      notes.push_back(fmt::format("{}: dates{}, taken as {} (--text keeps them as texts)", listed(*some),
                                  some == &american ? " with the month first" : "",
                                  dates.front()->parts.empty()
                                      ? "days since 1970-01-01; --dates gives their parts"
                                      : parts_of(*dates.front())));
}

void note_many_texts(const EncodedColumn& column, std::vector<std::string>& notes) {
  if (column.others)
    notes.push_back(fmt::format("'{}': a unit for each of its {} most frequent texts, one for all others",
                                column.name, column.categories.size()));
  if (column.buckets > 0)
    notes.push_back(fmt::format("'{}': its texts share {} units by their hash", column.name, column.buckets));
}

}  // namespace

std::vector<std::string> doubtful_columns(const Frame& frame, const Encoding& encoding,
                                          const EncodingOptions& options) {
  std::vector<std::string> notes;
  if (encoding.decimal == ',')
    notes.emplace_back("numbers are read with a decimal comma (--decimal . reads points)");
  for (std::size_t c = 0; c < frame.width(); ++c) {
    const FrameColumn& column = frame.columns()[c];
    const auto named = [&](const std::vector<std::string>& names) {
      return std::count(names.begin(), names.end(), column.name) > 0;
    };
    if (!column.text || named(options.text) || named(options.excluded)) continue;
    const DetectedReading said = reading_in(frame, c, options);
    if (!said.ambiguous.empty())
      notes.push_back(
          fmt::format("'{}' is taken for text: '{}' may be a day or a month first; --date-order says which",
                      column.name, said.ambiguous));
    else if (const std::optional<std::size_t> slip = said.reading ? std::nullopt : slip_of_the_pen(column))
      notes.push_back(note_of_slip(frame, c, *slip));
  }
  return notes;
}

std::vector<std::string> columns_taken(const Encoding& encoding) {
  std::vector<std::string> notes, booleans;
  std::vector<const EncodedColumn*> dates, target_dates;
  for (const EncodedColumn& column : encoding.inputs) {
    if (column.reading == Reading::boolean) booleans.push_back(column.name);
    if (is_date(column.reading)) dates.push_back(&column);
    note_many_texts(column, notes);
  }
  for (const EncodedColumn& column : encoding.targets)
    if (is_date(column.reading)) target_dates.push_back(&column);
  if (!dates.empty()) note_dates(dates, notes);
  if (!target_dates.empty()) note_dates(target_dates, notes);
  if (!booleans.empty())
    notes.push_back(listed(booleans) +
                    ": yes and no (true and false), taken as 1 and 0 (--text keeps them as texts)");
  return notes;
}

}  // namespace irn::app
