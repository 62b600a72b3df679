// Dates in text as numbers: days since 1970-01-01 in universal time, the time of day as a fraction of a day.
//   2024-03-05, 2024/3/5, 2024.03.05, 2024-03, 2024-W10-2     year first; ISO 8601 with its week dates
//   20240305T143000                                           ISO 8601 without separators; a number if no
//                                                             time follows
//   05.03.2024                                                with points the day is first, as wherever they
//                                                             are used
//   5 Mar 2024, 05-Mar-2024, March 5, 2024                    English names of months, three letters or whole
//   05/03/2024, 05-03-2024                                    day or month first: DateOrder says which
// A time may follow, after T or a blank: 14:30, 14:30:05.25, 2:30 PM; then a zone: Z, UTC, GMT, +01:00, +0100
// or +01. A time without a zone is not shifted. Years have four digits: two leave the century open.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace irn {

enum class DateOrder { day_first, month_first };

// Nothing if the text is not a date, or not one that exists.
std::optional<double> parse_date(std::string_view text, DateOrder order);

// "2024-03-05", followed by the time of day, to the second, if there is one. Days too far away for a calendar
// are written as a number: "... days".
std::string date_text(double days);

// The parts of a date that can be given to a network, each as a number.
enum class DatePart : unsigned char { days, year, month, day, weekday, hour };
inline constexpr std::array<std::string_view, 6> date_part_names = {"days", "year",    "month",
                                                                    "day",  "weekday", "hour"};
constexpr std::string_view name(DatePart part) { return date_part_names[static_cast<std::size_t>(part)]; }

// Months and days from 1, weekdays from 1 (Monday) to 7, hours from 0 to 23; `days` is the date itself.
double date_part(double days, DatePart part);

}  // namespace irn
