#include "irn/data/reading.h"

#include <algorithm>
#include <limits>

#include "irn/data/csv_scan-inl.h"

namespace irn {
namespace {

// 1 for true and yes, 0 for false and no.
std::optional<double> boolean_in(std::string_view text) {
  if (csv::same_word(text, "true") || csv::same_word(text, "yes")) return 1;
  if (csv::same_word(text, "false") || csv::same_word(text, "no")) return 0;
  return {};
}

// One pair of words, not both: a column with "yes" and "true" rather holds names.
bool all_booleans(std::span<const std::string> texts) {
  const auto one_of = [&](std::string_view yes, std::string_view no) {
    return std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return csv::same_word(text, yes) || csv::same_word(text, no);
    });
  };
  return one_of("true", "false") || one_of("yes", "no");
}

bool all_numbers(std::span<const std::string> texts) {
  return std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    double value = 0;
    return csv::is_number(text, value);
  });
}

DetectedReading detect_dates(std::span<const std::string> texts, std::optional<DateOrder> order) {
  bool day_first = true, month_first = true;
  const std::string* differs = nullptr;
  for (const std::string& text : texts) {
    const std::optional<double> a = parse_date(text, DateOrder::day_first),
                                b = parse_date(text, DateOrder::month_first);
    day_first = day_first && a, month_first = month_first && b;
    if (!day_first && !month_first) return {};
    if (!differs && a && b && *a != *b) differs = &text;
  }
  if (!day_first) return {.reading = Reading::date_month_first};
  if (!month_first) return {.reading = Reading::date_day_first};
  if (order) return {.reading = date_reading(*order)};
  if (differs) return {.ambiguous = *differs};
  return {.reading = Reading::date};
}

}  // namespace

std::optional<double> number_in(std::string_view text, Reading reading) {
  double value = 0;
  switch (reading) {
    case Reading::number:
      return csv::is_number(text, value) && std::isfinite(value) ? std::optional(value) : std::nullopt;
    case Reading::boolean:
      if (text == "1" || text == "0") return text == "1" ? 1 : 0;
      return boolean_in(text);
    case Reading::date: {
      const std::optional<double> day = parse_date(text, DateOrder::day_first);
      return day && day == parse_date(text, DateOrder::month_first) ? day : std::nullopt;
    }
    case Reading::date_day_first:
      return parse_date(text, DateOrder::day_first);
    case Reading::date_month_first:
      return parse_date(text, DateOrder::month_first);
  }
  return {};
}

NoDate why_no_date(std::string_view text, Reading reading) {
  const std::optional<double> day = parse_date(text, DateOrder::day_first),
                              month = parse_date(text, DateOrder::month_first);
  if (!day && !month) return {.why = "is text where dates are expected; correct it"};
  std::string why = "may have the day or the month first, and the dates of training do not tell which";
  if (!day || !month) why = std::string("has the ") + (day ? "day" : "month") + " first, ";
  if (!day || !month)
    why += reading == Reading::date_day_first     ? "where the day is expected first"
           : reading == Reading::date_month_first ? "where the month is expected first"
                                                  : "and no date of training tells of such";
  why += "; write it as " + date_text(day ? *day : *month);
  if (day && month) why += " or " + date_text(*month);
  return {.why = why + ", or say which comes first", .other_order = true};
}

std::optional<std::size_t> first_that_is_no_date(const FrameColumn& column) {
  std::optional<std::size_t> first;
  std::size_t dates = 0;
  for (std::size_t k = 0; k < column.categories.size(); ++k) {
    const std::string& text = column.categories[k];
    const bool date = parse_date(text, DateOrder::day_first) || parse_date(text, DateOrder::month_first);
    if (!date && !first) first = k;
    dates += date;
  }
  return 2 * dates > column.categories.size() ? first : std::nullopt;
}

DetectedReading detect_reading(const FrameColumn& column, std::optional<DateOrder> order) {
  if (!column.text) return {.reading = Reading::number};
  if (column.categories.empty()) return {};
  if (column.exact && all_numbers(column.categories)) return {.reading = Reading::number};
  if (all_booleans(column.categories)) return {.reading = Reading::boolean};
  return detect_dates(column.categories, order);
}

ColumnNumbers::ColumnNumbers(const Frame& frame, std::size_t column, Reading reading)
    : column_(column), text_(frame.columns()[column].text) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (text_)
    for (const std::string& text : frame.columns()[column].categories)
      of_text_.push_back(number_in(text, reading).value_or(none));
}

std::optional<std::size_t> ColumnNumbers::first_that_is_none() const {
  const auto found =
      std::find_if(of_text_.begin(), of_text_.end(), [](double value) { return std::isnan(value); });
  if (found == of_text_.end()) return {};
  return static_cast<std::size_t>(found - of_text_.begin());
}

}  // namespace irn
