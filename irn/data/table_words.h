// Options of tables as users write them, in the program and in Python alike: what dates become, what becomes of columns with many texts, how a CSV
// file is written. irn::Error says what else can be given; whoever asks puts the name of the option before it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/data/csv.h"
#include "irn/data/encoding.h"

namespace irn {

// "days", or some of date_part_names. None for the days alone, which are a number like others.
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

// What `make` makes; of what it refuses `option` is named.
template <class Make>
auto named(const std::string& option, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(option + ": " + error.what());
  }
}

}  // namespace irn
