#include "irn/data/date.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace irn {
namespace {

namespace chrono = std::chrono;

constexpr double day_seconds = 86400;
constexpr std::array<std::string_view, 12> months = {"january",   "february", "march",    "april",
                                                     "may",       "june",     "july",     "august",
                                                     "september", "october",  "november", "december"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// A whole number and the number of its digits as written.
struct Digits {
  int value = 0;
  std::size_t count = 0;
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (next() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_blanks() {
    const std::size_t before = rest_.size();
    while (take(' ')) continue;
    return rest_.size() < before;
  }
  // At most nine digits, which fit into an int.
  Digits digits(std::size_t most = 9) {
    Digits found;
    while (found.count < most && digit(next())) {
      found.value = 10 * found.value + (next() - '0');
      ++found.count;
      rest_.remove_prefix(1);
    }
    return found;
  }
  // In lower case; at most 12 letters, which is longer than any word here.
  std::string word() {
    std::string found;
    while (letter(next()) && found.size() < 12) {
      found += lower(next());
      rest_.remove_prefix(1);
    }
    return found;
  }

 private:
  std::string_view rest_;
};

std::optional<double> calendar_day(int year, int month, int day) {
  const chrono::year_month_day date{chrono::year{year}, chrono::month{static_cast<unsigned>(month)},
                                    chrono::day{static_cast<unsigned>(day)}};
  if (year < 1 || !date.ok()) return {};
  return static_cast<double>(chrono::sys_days{date}.time_since_epoch().count());
}

// ISO 8601: week 1 contains the 4th of January, and weeks begin on Monday.
std::optional<double> week_day(int year, int week, int weekday) {
  if (year < 1 || week < 1 || week > 53 || weekday < 1 || weekday > 7) return {};
  const auto first_monday = [](int of) {
    const double fourth = *calendar_day(of, 1, 4);
    return fourth - (date_part(fourth, DatePart::weekday) - 1);
  };
  const double day = first_monday(year) + 7 * (week - 1) + (weekday - 1);
  if (week == 53 && day >= first_monday(year + 1)) return {};  // most years have 52
  return day;
}

std::optional<int> month_named(std::string_view word) {
  for (std::size_t k = 0; k < months.size(); ++k)
    if (word == months[k] || (word.size() == 3 && months[k].starts_with(word))) return int(k) + 1;
  return word == "sept" ? std::optional<int>(9) : std::nullopt;
}

// The rest of a date after a year of four digits.
std::optional<double> after_year(Scanner& in, int year) {
  const char mark = in.next();
  if (!(in.take('-') || in.take('/') || in.take('.'))) return {};
  if (mark == '-' && in.take('W')) {
    const Digits week = in.digits(2);
    return week.count == 2 && in.take('-') ? week_day(year, week.value, in.digits(1).value) : std::nullopt;
  }
  const Digits month = in.digits(2);
  if (month.count == 0) return {};
  if (in.take(mark)) {
    const Digits day = in.digits(2);
    return day.count == 0 ? std::nullopt : calendar_day(year, month.value, day.value);
  }
  return mark == '-' && month.count == 2 ? calendar_day(year, month.value, 1) : std::nullopt;
}

std::optional<double> with_year(Scanner& in, int month, int day) {
  const Digits year = in.digits(5);
  return year.count == 4 ? calendar_day(year.value, month, day) : std::nullopt;
}

// The rest of "Mar 5, 2024" after the month, with or without the comma.
std::optional<double> after_month(Scanner& in, int month) {
  in.take('.');
  if (!in.take_blanks()) return {};
  const Digits day = in.digits(2);
  const bool comma = in.take(',');
  return day.count > 0 && (in.take_blanks() || comma) ? with_year(in, month, day.value) : std::nullopt;
}

// The rest of a date after one or two digits: a month by its name, or another number.
std::optional<double> after_small(Scanner& in, int first, DateOrder order) {
  const char mark = in.next();
  if (!(in.take('.') || in.take('/') || in.take('-') || in.take(' '))) return {};
  if (mark == ' ' || letter(in.next())) {
    const std::optional<int> month = month_named(in.word());
    if (!month || mark == '.' || mark == '/') return {};
    in.take('.');
    return in.take(mark) ? with_year(in, *month, first) : std::nullopt;
  }
  const Digits second = in.digits(2);
  if (second.count == 0 || !in.take(mark)) return {};
  const bool month_first = mark != '.' && order == DateOrder::month_first;
  return month_first ? with_year(in, first, second.value) : with_year(in, second.value, first);
}

std::optional<double> date_at(Scanner& in, DateOrder order) {
  if (letter(in.next())) {
    const std::optional<int> month = month_named(in.word());
    return month ? after_month(in, *month) : std::nullopt;
  }
  const Digits first = in.digits();
  if (first.count == 4) return after_year(in, first.value);
  if (first.count == 8 && in.next() == 'T')
    return calendar_day(first.value / 10000, first.value / 100 % 100, first.value % 100);
  return first.count == 1 || first.count == 2 ? after_small(in, first.value, order) : std::nullopt;
}

// The offset of a zone in seconds, to subtract; nothing if there is no valid zone.
std::optional<double> zone_at(Scanner& in) {
  in.take_blanks();
  if (in.done()) return 0;
  if (letter(in.next())) {
    const std::string word = in.word();
    return word == "z" || word == "utc" || word == "gmt" ? std::optional<double>(0) : std::nullopt;
  }
  const bool west = in.next() == '-';
  if (!in.take('+') && !in.take('-')) return {};
  const Digits hours = in.digits(2);
  in.take(':');
  const Digits minutes = in.digits(2);
  if (hours.count != 2 || minutes.count == 1 || hours.value > 15 || minutes.value > 59) return {};
  return (west ? -1 : 1) * (3600.0 * hours.value + 60.0 * minutes.value);
}

struct Clock {
  int hours = 0, minutes = 0;
  double seconds = 0;
};

std::optional<double> fraction_at(Scanner& in) {
  double value = 0, unit = 1;
  const bool some = digit(in.next());
  while (digit(in.next())) value += (unit /= 10) * in.digits(1).value;
  return some ? std::optional<double>(value) : std::nullopt;
}

std::optional<Clock> clock_at(Scanner& in) {
  const Digits hours = in.digits(2);
  const bool marks = in.take(':');
  const Digits minutes = in.digits(2);
  Clock clock{hours.value, minutes.value};
  if (hours.count == 0 || minutes.count != 2 || (!marks && hours.count != 2)) return {};
  if (marks ? in.take(':') : digit(in.next())) {
    const Digits seconds = in.digits(2);
    if (seconds.count != 2) return {};
    clock.seconds = seconds.value;
    if (in.take('.') || in.take(',')) {
      const std::optional<double> fraction = fraction_at(in);
      if (!fraction) return {};
      clock.seconds += *fraction;
    }
  }
  return clock;
}

// "PM" turns 1 to 11 into 13 to 23, "AM" turns 12 into 0; false if the hour is not 1 to 12.
bool take_half_of_day(Scanner& in, Clock& clock) {
  Scanner ahead = in;
  ahead.take_blanks();
  const std::string word = ahead.word();
  if (word != "am" && word != "pm") return true;
  in = ahead;
  if (clock.hours < 1 || clock.hours > 12) return false;
  clock.hours = clock.hours % 12 + (word == "pm" ? 12 : 0);
  return true;
}

// The end of a day may be written as 24:00, a leap second as 60.
std::optional<double> time_at(Scanner& in) {
  std::optional<Clock> clock = clock_at(in);
  if (!clock || !take_half_of_day(in, *clock)) return {};
  const bool end = clock->hours == 24 && clock->minutes == 0 && clock->seconds == 0;
  if ((clock->hours > 23 && !end) || clock->minutes > 59 || clock->seconds >= 61) return {};
  const std::optional<double> zone = zone_at(in);
  if (!zone) return {};
  return 3600.0 * clock->hours + 60.0 * clock->minutes + clock->seconds - *zone;
}

std::string padded(int value, std::size_t width) {
  const std::string digits = std::to_string(value);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

}  // namespace

std::optional<double> parse_date(std::string_view text, DateOrder order) {
  constexpr std::size_t longest = 64;
  if (text.size() > longest) return {};
  Scanner in(text);
  const std::optional<double> day = date_at(in, order);
  if (!day || in.done()) return day;
  if (!in.take('T') && !in.take_blanks()) return {};
  const std::optional<double> time = time_at(in);
  if (!time || !in.done()) return {};
  return *day + *time / day_seconds;
}

std::string date_text(double days) {
  if (!(std::abs(days) < 1e7)) return std::to_string(days) + " days";  // beyond the calendar
  const double date = std::floor(days), seconds = std::round((days - date) * day_seconds);
  const chrono::year_month_day ymd{chrono::sys_days{chrono::days{static_cast<int>(date)}}};
  std::string text = padded(static_cast<int>(ymd.year()), 4) + "-" +
                     padded(static_cast<int>(static_cast<unsigned>(ymd.month())), 2) + "-" +
                     padded(static_cast<int>(static_cast<unsigned>(ymd.day())), 2);
  const int clock = std::min(static_cast<int>(seconds), 86399);
  if (clock > 0)
    text += "T" + padded(clock / 3600, 2) + ":" + padded(clock / 60 % 60, 2) + ":" + padded(clock % 60, 2);
  return text;
}

double date_part(double days, DatePart part) {
  if (part == DatePart::days || !(std::abs(days) < 1e7)) return days;
  const double date = std::floor(days);
  const chrono::sys_days day{chrono::days{static_cast<int>(date)}};
  const chrono::year_month_day ymd{day};
  switch (part) {
    case DatePart::days:
      return days;
    case DatePart::year:
      return static_cast<int>(ymd.year());
    case DatePart::month:
      return static_cast<unsigned>(ymd.month());
    case DatePart::day:
      return static_cast<unsigned>(ymd.day());
    case DatePart::weekday:
      return chrono::weekday{day}.iso_encoding();
    case DatePart::hour:
      // Rounded to seconds first: 7:00 as a fraction of a day, times 24, may fall short of 7.
      return std::min(std::floor(std::round((days - date) * day_seconds) / 3600), 23.0);
  }
  return days;
}

}  // namespace irn
