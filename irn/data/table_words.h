// Options of tables as users write them, in the program and in Python alike: what dates become, what columns
// with many texts become, how a CSV file is written. An irn::Error says what can be given; the caller puts
// the name of the option in front, see named().
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/data/csv.h"
#include "irn/data/encoding.h"

namespace irn {

// "days", or some of date_part_names. Empty for "days" alone: the date is then a plain number.
std::vector<DatePart> date_parts_from(std::span<const std::string> words);
// auto, day, month.
std::optional<DateOrder> date_order_from(std::string_view word);
// all, frequent:N, hashed:N.
ManyTexts many_texts_from(std::string_view word);

// auto, yes, no.
HeaderLine header_from(std::string_view word);
// auto, tab or a character.
char delimiter_from(std::string_view word);
// auto, a point or a comma; `expected` is what auto means.
char decimal_from(std::string_view word, char expected = '\0');
// auto, none, space, a comma, a point, ' or _; `expected` is what auto means.
char thousands_from(std::string_view word, char expected = '\0');

// Returns make(); puts the name of `option` in front of the message of its irn::Error.
template <class Make>
auto named(const std::string& option, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(option + ": " + error.what());
  }
}

}  // namespace irn
