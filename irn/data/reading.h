// How the texts of a column are numbers. A column of text in which every value says yes or no, or is a date, is a column of
// numbers to a network; which one it is follows from all values of the column together, once, when an encoding is fitted, and is
// kept with the model. The table itself stays as it was written.
//   number             plain numbers; and whole numbers that were kept as text because a double cannot hold them (FrameColumn::exact)
//   boolean            true/false or yes/no, in any case of letters: 1 and 0
//   date               days since 1970-01-01 (date.h); no text of it left open which number is the month, so
//                      05/03/2024 is no date there: nobody knows which one it would be
//   date_day_first     the same; 05/03/2024 is the 5th of March
//   date_month_first   the same; 05/03/2024 is the 3rd of May
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/data/date.h"
#include "irn/data/frame.h"

namespace irn {

enum class Reading : unsigned char { number, boolean, date, date_day_first, date_month_first };
inline constexpr std::array<std::string_view, 5> reading_names = {"number", "boolean", "date",
                                                                  "date-day-first", "date-month-first"};
constexpr std::string_view name(Reading reading) { return reading_names[static_cast<std::size_t>(reading)]; }
constexpr bool is_date(Reading reading) { return reading >= Reading::date; }

constexpr Reading date_reading(DateOrder order) {
  return order == DateOrder::day_first ? Reading::date_day_first : Reading::date_month_first;
}

// What a text says as a number; nothing if it says none.
std::optional<double> number_in(std::string_view text, Reading reading);

// Why a text is no date to this reading, and what to do about it.
struct NoDate {
  std::string why;           // to be put behind the text
  bool other_order = false;  // it would be one, were it said whether the day or the month comes first
};
NoDate why_no_date(std::string_view text, Reading reading);

// What the texts of a column say; nothing if they are just texts.
struct DetectedReading {
  std::optional<Reading> reading = {};
  // The texts are dates, but nothing tells day from month in this one: then there is no reading.
  std::string ambiguous = {};
};
// `order` says what nothing in the texts tells.
DetectedReading detect_reading(const FrameColumn& column, std::optional<DateOrder> order);

// A column's values as numbers; NaN for what is missing and for texts that say no number.
class ColumnNumbers {
 public:
  ColumnNumbers(const Frame& frame, std::size_t column, Reading reading);

  double operator()(std::span<const double> row) const {
    const double value = row[column_];
    return !text_ || std::isnan(value) ? value : of_text_[static_cast<std::size_t>(value)];
  }
  // The first of the column's texts that says no number, by its place among them.
  std::optional<std::size_t> first_that_is_none() const;

 private:
  std::size_t column_;
  bool text_;
  std::vector<double> of_text_;
};

}  // namespace irn
