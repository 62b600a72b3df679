#include "apps/irn/column_notes.h"

#include <algorithm>

#include <fmt/format.h>

#include "irn/data/csv_number-inl.h"

namespace irn::app {
namespace {

// "'a', 'b' and 3 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

// A text that keeps a column from being one of numbers.
struct Slip {
  std::size_t column = 0, text = 0;
  bool marks = false;  // it is a number with other marks than the file's
};

// The first of the column's texts that is no number in the file's notation, if most texts are numbers in any
// notation.
std::optional<Slip> slip_of_the_pen(const Frame& frame, std::size_t column) {
  const csv::Dialect dialect{.decimal = frame.format().decimal, .thousands = frame.format().thousands};
  const std::vector<std::string>& texts = frame.columns()[column].categories;
  std::optional<Slip> first;
  std::size_t numbers = 0;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    double value = 0;
    const bool number = csv::is_number(texts[k], dialect, value);
    const bool marks = !number && csv::other_marks(texts[k], dialect);
    if (!number && !first) first = {column, k, marks};
    numbers += number || marks;
  }
  if (numbers * 2 >= texts.size()) return first;
  const std::optional<std::size_t> date = first_that_is_no_date(frame.columns()[column]);
  return date ? std::optional(Slip{column, *date}) : std::nullopt;
}

std::string note_of_slip(const Frame& frame, const std::vector<std::string>& names, const Slip& slip) {
  std::size_t row = 0;
  while (frame.row(row)[slip.column] != double(slip.text)) ++row;
  return fmt::format(
      "{} {} taken for text because of '{}' ({}); correct it, {}or name the column{} with --text",
      listed(names), names.size() == 1 ? "is" : "are", frame.columns()[slip.column].categories[slip.text],
      frame.place(row), slip.marks ? "say what the marks are with --decimal or --thousands, " : "",
      names.size() == 1 ? "" : "s");
}

// One line for all columns whose numbers have other marks, since the reason is the same.
void note_slips(const Frame& frame, const std::vector<Slip>& slips, std::vector<std::string>& notes) {
  std::vector<std::string> marked;
  const Slip* first = nullptr;
  for (const Slip& slip : slips) {
    const std::string& name = frame.columns()[slip.column].name;
    if (!slip.marks) notes.push_back(note_of_slip(frame, {name}, slip));
    if (slip.marks) marked.push_back(name), first = first ? first : &slip;
  }
  if (first) notes.push_back(note_of_slip(frame, marked, *first));
}

std::string parts_of(const EncodedColumn& column) {
  std::string text;
  for (const ScaledPart& part : column.parts)
    text += (text.empty() ? "" : ", ") + std::string(name(part.part));
  return text;
}

void note_dates(const std::vector<const EncodedColumn*>& dates, std::vector<std::string>& notes) {
  const std::string taken = dates.front()->parts.empty() ? "days since 1970-01-01; --dates gives their parts"
                                                         : parts_of(*dates.front());
  for (const auto& [reading, order] : {std::pair(Reading::date, ""),
                                       {Reading::date_day_first, " with the day first"},
                                       {Reading::date_month_first, " with the month first"}}) {
    std::vector<std::string> names;
    for (const EncodedColumn* column : dates)
      if (column->reading == reading) names.push_back(column->name);
    if (!names.empty())
      notes.push_back(
          fmt::format("{}: dates{}, taken as {} (--text keeps them as texts)", listed(names), order, taken));
  }
}

void note_many_texts(const EncodedColumn& column, std::vector<std::string>& notes) {
  if (column.others)
    notes.push_back(fmt::format("'{}': a unit for each of its {} most frequent texts, one for all others",
                                column.name, column.categories.size()));
  if (column.buckets > 0)
    notes.push_back(fmt::format("'{}': its texts share {} units by their hash", column.name, column.buckets));
}

bool is_constant(const Frame& frame, std::size_t column) {
  for (std::size_t row = 1; row < frame.rows(); ++row)
    if (frame.row(row)[column] != frame.row(0)[column]) return false;
  return frame.rows() > 0;
}

// Columns from which nothing can be learnt; of a slip it is said already.
void note_useless(const Frame& frame, const Encoding& encoding, const std::vector<Slip>& slips,
                  std::vector<std::string>& notes) {
  constexpr std::size_t many = 20;
  std::vector<std::string> constant, different;
  for (const EncodedColumn& input : encoding.inputs) {
    const std::size_t column = frame.find(input.name);
    if (is_constant(frame, column)) constant.push_back(input.name);
    const bool slipped = std::ranges::count(slips, column, &Slip::column) > 0;
    if (!slipped && input.categories.size() >= many && input.categories.size() == frame.rows())
      different.push_back(input.name);
  }
  const auto note = [&](const std::vector<std::string>& names, const char* what) {
    if (!names.empty())
      notes.push_back(
          fmt::format("{} {} {} in every row: nothing can be learnt from {}; --exclude leaves {} out",
                      listed(names), names.size() == 1 ? "has" : "have", what,
                      names.size() == 1 ? "it" : "them", names.size() == 1 ? "it" : "them"));
  };
  note(constant, "the same value");
  note(different, "another text");
}

}  // namespace

std::vector<std::string> doubtful_columns(const Frame& frame, const Encoding& encoding,
                                          const EncodingOptions& options, bool images) {
  std::vector<std::string> notes;
  std::vector<Slip> slips;
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
    else if (const std::optional<Slip> slip = said.reading ? std::nullopt : slip_of_the_pen(frame, c))
      slips.push_back(*slip);
  }
  note_slips(frame, slips, notes);
  if (!images) note_useless(frame, encoding, slips, notes);
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
