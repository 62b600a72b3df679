#include "irn/data/table_words.h"

#include <algorithm>

#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn {
namespace {

std::string quoted(std::string_view word) { return "\"" + std::string(word) + "\""; }

// The place of the word in `known`.
std::size_t place_of(std::string_view word, std::span<const std::string_view> known) {
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) throw Error(unknown_name("value", word, known));
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace

std::vector<DatePart> date_parts_from(std::span<const std::string> words) {
  std::vector<DatePart> parts;
  for (const std::string& word : words) {
    const auto part = static_cast<DatePart>(place_of(word, date_part_names));
    if (std::count(parts.begin(), parts.end(), part) > 0) throw Error(word + " is named twice");
    parts.push_back(part);
  }
  if (parts.empty()) throw Error("name what dates become, days for one");
  return parts == std::vector{DatePart::days} ? std::vector<DatePart>{} : parts;
}

std::optional<DateOrder> date_order_from(std::string_view word) {
  constexpr std::array<std::string_view, 3> known = {"auto", "day", "month"};
  constexpr std::array<std::optional<DateOrder>, 3> orders = {std::nullopt, DateOrder::day_first,
                                                              DateOrder::month_first};
  return orders[place_of(word, known)];
}

ManyTexts many_texts_from(std::string_view word) {
  constexpr std::array<std::string_view, 3> known = {"all", "frequent", "hashed"};
  constexpr std::size_t most = 10000;  // units of one column
  const std::size_t colon = std::min(word.find(':'), word.size());
  const auto kind = static_cast<ManyTexts::Kind>(place_of(word.substr(0, colon), known));
  if (word == "all") return {};
  std::size_t count = 0;
  if (kind == ManyTexts::Kind::refuse || colon == word.size() || !read_value(word.substr(colon + 1), count) ||
      count < 1 || count > most)
    throw Error(quoted(word) + " needs a number of units from 1 to " + std::to_string(most) +
                ", as in frequent:100");
  return {kind, count};
}

HeaderLine header_from(std::string_view word) {
  constexpr std::array<std::string_view, 3> known = {"auto", "yes", "no"};
  return static_cast<HeaderLine>(place_of(word, known));
}

char delimiter_from(std::string_view word) {
  if (word == "auto") return '\0';
  if (word == "tab" || word == "\\t") return '\t';
  if (word.size() == 1) return word[0];
  throw Error(quoted(word) + " is neither auto, tab nor a single character");
}

char decimal_from(std::string_view word, char expected) {
  if (word == "auto") return expected;
  if (word == "," || word == ".") return word[0];
  throw Error(quoted(word) + " is neither auto, a point nor a comma");
}

char thousands_from(std::string_view word, char expected) {
  if (word == "auto") return expected;
  if (word == "none") return '\0';
  if (word == "space" || word == " ") return ' ';
  if (word.size() == 1 && std::string_view(",.'_").find(word[0]) != std::string_view::npos) return word[0];
  throw Error(quoted(word) + " is none of: none, space, a comma, a point, ' and _");
}

}  // namespace irn
