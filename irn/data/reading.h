// How the texts of a column are read as numbers. A column of text in which every value is yes or no, or a
// date, is a column of numbers for a network. Its reading is found once, from all values of the column, when
// an encoding is fitted, and is stored with the model. The table itself is not changed.
//   number             plain numbers, and whole numbers kept as text because a double cannot hold them
//                      (FrameColumn::exact)
//   boolean            true/false or yes/no, in any case of letters: 1 and 0
//   date               days since 1970-01-01 (date.h); no text of the column left open which number is the
//                      month, so 05/03/2024 is not accepted: its month would be unknown
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

// The number that a text stands for; nothing if there is none.
std::optional<double> number_in(std::string_view text, Reading reading);

// Why a text is not a date under this reading, and what to do about it.
struct NoDate {
  std::string why;           // to be put after the text
  bool other_order = false;  // it is a date if the user says which of day and month comes first
};
NoDate why_no_date(std::string_view text, Reading reading);

// How the texts of a column are to be read; no reading if they are only texts.
struct DetectedReading {
  std::optional<Reading> reading = {};
  // If the texts are dates but nothing tells day from month: one of these texts. Then there is no reading.
  std::string ambiguous = {};
};
// `order` is used if the texts do not tell the order.
DetectedReading detect_reading(const FrameColumn& column, std::optional<DateOrder> order);

// The first text that is no date, if most texts of the column are dates: a slip of the pen keeps it from being one of
// dates.
std::optional<std::size_t> first_that_is_no_date(const FrameColumn& column);

// A column's values as numbers; NaN for missing values and for texts that are not numbers.
class ColumnNumbers {
 public:
  ColumnNumbers(const Frame& frame, std::size_t column, Reading reading);

  double operator()(std::span<const double> row) const {
    const double value = row[column_];
    return !text_ || std::isnan(value) ? value : of_text_[static_cast<std::size_t>(value)];
  }
  // The first of the column's texts that is not a number, by its place in the list of texts.
  std::optional<std::size_t> first_that_is_none() const;

 private:
  std::size_t column_;
  bool text_;
  std::vector<double> of_text_;
};

}  // namespace irn
