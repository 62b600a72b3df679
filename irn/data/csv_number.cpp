#include "irn/data/csv_number-inl.h"

namespace irn::csv {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && digit(text[count])) ++count;
  return count;
}

// The length in bytes of the mark between thousands at the beginning of the text; 0 if there is none.
std::size_t mark_at(std::string_view text, char thousands) {
  if (text.starts_with(thousands)) return 1;
  if (thousands != ' ') return 0;
  return text.starts_with("\xC2\xA0") ? 2 : text.starts_with("\xE2\x80\xAF") ? 3 : 0;
}

std::string_view unsigned_part(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

// What a value says about the decimal mark of its file.
enum class Hint { none, point, comma, comma_or_thousands };

Hint hint_of(std::string_view text) {
  double value = 0;
  if (is_number(text, value)) return text.find('.') == text.npos ? Hint::none : Hint::point;
  const Dialect commas{.delimiter = '\0', .decimal = ','};
  if (!is_number(text, commas, value) || text.find(',') == text.npos) return Hint::none;
  text = unsigned_part(text);
  const std::size_t before = digits_at(text);
  if (before >= text.size() || text[before] != ',') return Hint::none;
  const bool three = text.size() - before == 4 && digits_at(text.substr(before + 1)) == 3;
  const bool thousands = three && before >= 1 && before <= 3 && text[0] != '0';
  return thousands ? Hint::comma_or_thousands : Hint::comma;
}

}  // namespace

bool without_thousands(std::string_view text, const Dialect& dialect, std::string& plain) {
  plain.clear();
  if (!text.empty() && !digit(text.front())) {
    plain += text.front();
    text.remove_prefix(1);
  }
  std::size_t group = digits_at(text);
  plain += text.substr(0, group);
  text.remove_prefix(group);
  for (std::size_t mark = mark_at(text, dialect.thousands); mark > 0;
       mark = mark_at(text, dialect.thousands)) {
    const std::size_t next = digits_at(text.substr(mark));
    if (group < 1 || group > 3 || next != 3) return false;
    plain += text.substr(mark, next);
    text.remove_prefix(mark + next);
    group = next;
  }
  plain += text;
  return true;
}

bool is_number(std::string_view text, const Dialect& dialect, double& value) {
  if (dialect.plain()) return is_number(text, value);
  std::string plain;
  if (dialect.thousands != '\0') {
    if (!without_thousands(text, dialect, plain)) return false;
    text = plain;
  }
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, code] = parse_number(text.data(), text.data() + text.size(), dialect.decimal, value);
  return (code == std::errc() || code == std::errc::result_out_of_range) && end == text.data() + text.size();
}

std::optional<Dialect> other_marks(std::string_view text, const Dialect& dialect) {
  double value = 0;
  if (is_number(text, dialect, value)) return {};
  for (const char decimal : {dialect.decimal, dialect.decimal == '.' ? ',' : '.'})
    for (const char thousands : {dialect.thousands, '\0', ',', '.', ' ', '\'', '_'}) {
      const Dialect other{.delimiter = dialect.delimiter, .decimal = decimal, .thousands = thousands};
      if (decimal != thousands && is_number(text, other, value)) return other;
    }
  return {};
}

char detect_decimal(std::string_view text, char delimiter) {
  constexpr std::size_t looked_at = std::size_t{1} << 16;  // bytes: hundreds of rows, read in a millisecond
  const std::size_t end = record_end(text, 0, std::min(looked_at, text.size()));
  text = text.substr(0, end);
  bool commas = false;
  Field field;
  if (text.empty() || text.back() != '\n') return '.';
  for (const char *p = text.data(), *last = p + text.size(); p < last; ++p) {
    p = next_field(p, last, delimiter, field);
    if (field.mistake != nullptr) return '.';
    const Hint hint = hint_of(trimmed(field.text));
    if (hint == Hint::point) return '.';
    commas = commas || hint == Hint::comma;
  }
  return commas ? ',' : '.';
}

bool has_decimal_commas(std::string_view record) {
  bool commas = false;
  std::size_t fields = 0;
  Field field;
  if (record.empty() || record.back() != '\n') return false;
  for (const char *p = record.data(), *last = p + record.size(); p < last; ++p, ++fields) {
    p = next_field(p, last, ';', field);
    double value = 0;
    if (field.mistake != nullptr || !is_number(field.text, {.delimiter = ';', .decimal = ','}, value))
      return false;
    commas = commas || field.text.find(',') != field.text.npos;
  }
  return commas && fields > 1;
}

bool is_whole_number(std::string_view text) {
  text = unsigned_part(text);
  return !text.empty() && digits_at(text) == text.size();
}

}  // namespace irn::csv
