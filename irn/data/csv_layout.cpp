#include "irn/data/csv_layout-inl.h"

#include <array>

#include "irn/data/csv_scan-inl.h"

namespace irn::csv {
namespace {

struct Name {
  std::string text;
  bool number, missing;
};

// The first record that is not an empty line; it may be incomplete.
std::string_view first_record(std::string_view text, std::size_t from) {
  while (from < text.size() && (text[from] == '\n' || text[from] == '\r')) ++from;
  return text.substr(from, std::min(record_end(text, from, from), text.size()) - from);
}

std::size_t count_outside_quotes(std::string_view record, char wanted) {
  std::size_t count = 0;
  bool quoted = false;
  for (const char c : record) {
    if (c == '"') quoted = !quoted;
    count += !quoted && c == wanted;
  }
  return count;
}

// A decimal comma is no delimiter if there is another one.
char most_frequent_delimiter(std::string_view record, char decimal) {
  char best = ',';
  if (decimal != '.' && has_decimal_commas(record)) return ';';
  for (std::size_t most = 0; const char candidate : {',', ';', '\t', '|'}) {
    if (candidate == decimal) continue;
    const std::size_t count = count_outside_quotes(record, candidate);
    if (count > most) best = candidate;
    most = std::max(most, count);
  }
  return best;
}

// Stops at a quote that does not pair. In the header that is a mistake; in the first row the parser will
// report it.
std::vector<Name> names_of(std::string_view record, const Dialect& dialect, const char*& mistake) {
  std::vector<Name> names;
  mistake = nullptr;
  if (!record.ends_with('\n')) return names;  // its end is not in memory
  for (const char *p = record.data(), *end = p + record.size(); p < end && mistake == nullptr; ++p) {
    Field field;
    p = next_field(p, end, dialect.delimiter, field);
    mistake = field.mistake;
    double ignored;
    names.push_back({unescaped(field), is_number(field.text, dialect, ignored), is_missing(field.text)});
  }
  return names;
}

bool looks_like_header(const std::vector<Name>& first, const std::vector<Name>& second) {
  bool numbers = false, above_number = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    numbers = numbers || first[i].number;
    above_number =
        above_number || (!first[i].number && !first[i].missing && i < second.size() && second[i].number);
  }
  return !numbers || above_number;
}

void check_delimiter(char delimiter) {
  constexpr std::string_view refused = "\"\r\n.+-0123456789";
  const bool letter = (delimiter >= 'a' && delimiter <= 'z') || (delimiter >= 'A' && delimiter <= 'Z');
  if (letter || refused.find(delimiter) != refused.npos)
    throw Error(std::string("'") + delimiter + "' cannot be a delimiter; take one of , ; | or the tab");
}

void check_numbers(const Dialect& dialect) {
  if (dialect.decimal != '.' && dialect.decimal != ',')
    throw Error(std::string("'") + dialect.decimal + "' cannot be a decimal mark; take . or ,");
  constexpr std::string_view marks = ",.'_ ";
  if (dialect.thousands == '\0') return;
  if (marks.find(dialect.thousands) == marks.npos)
    throw Error(std::string("'") + dialect.thousands +
                "' cannot stand between thousands; take one of , . ' _ or the blank");
  if (dialect.thousands == dialect.decimal)
    throw Error(std::string("'") + dialect.decimal +
                "' is the decimal mark and cannot stand between thousands, too");
}

// The first records of the file decide what the options leave open.
Dialect find_dialect(std::string_view text, std::string_view first, const CsvOptions& options) {
  Dialect dialect{.thousands = options.thousands};
  dialect.delimiter =
      options.delimiter != '\0' ? options.delimiter : most_frequent_delimiter(first, options.decimal);
  check_delimiter(dialect.delimiter);
  const bool open = options.decimal == '\0' && options.thousands != ',';
  dialect.decimal = options.decimal != '\0' ? options.decimal
                    : open                  ? detect_decimal(text, dialect.delimiter)
                                            : '.';
  check_numbers(dialect);
  return dialect;
}

bool is_utf16(std::string_view text) { return text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE"); }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void refuse_utf16(const std::string& source, std::string_view text) {
  if (is_utf16(text))
    throw DataError(
        source + ": UTF-16 text; save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8 FILE > table.csv");
}

bool looks_binary(std::string_view text) {
  if (is_utf16(text)) return false;
  constexpr std::size_t looked_at = 4096;
  text = text.substr(0, looked_at);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' && (c < '\t' || c > '\r'); };
  const auto found = std::count_if(text.begin(), text.end(), control);
  constexpr std::ptrdiff_t stray = 8;
  return found > stray && found * 20 > std::ptrdiff_t(text.size());
}

void fail_binary(const std::string& source) {
  throw DataError(source + ": binary data, not a table; save it as CSV, NPY or NPZ");
}

Layout find_layout(const std::string& source, std::string_view text, const CsvOptions& options) {
  const std::string_view first = first_record(text, 0);
  if (first.empty()) throw DataError(source + ": empty; a header and at least one row are needed");
  const std::size_t start = static_cast<std::size_t>(first.data() - text.data());
  Layout layout;
  layout.dialect = find_dialect(text.substr(start), first, options);

  if (const std::size_t end = first.find('\r');
      end < first.size() - 1 && first[end + 1] != '\n' && count_outside_quotes(first, '\r') > 1)
    throw DataError(source + ": lines end with a carriage return alone; convert them: tr '\\r' '\\n'");
  const char *mistake = nullptr, *ignored = nullptr;
  const std::vector<Name> names = names_of(first, layout.dialect, mistake);
  const std::vector<Name> below = names_of(first_record(text, start + first.size()), layout.dialect, ignored);
  layout.header = options.header == HeaderLine::present ||
                  (options.header == HeaderLine::detect && looks_like_header(names, below));
  layout.skipped_bytes = start + (layout.header ? first.size() : 0);
  const std::string_view skipped = text.substr(0, layout.skipped_bytes);
  layout.skipped_lines = static_cast<std::size_t>(std::count(skipped.begin(), skipped.end(), '\n'));

  const auto before = static_cast<std::size_t>(std::count(text.begin(), text.begin() + start, '\n'));
  layout.header_line = layout.header ? before + 1 : 0;
  if (mistake != nullptr)
    throw DataError(source + ", line " + std::to_string(before + 1) + ", column " +
                    std::to_string(names.size()) + ": " + mistake);
  for (const Name& name : names) {
    const bool named = layout.header && !name.text.empty();
    FrameColumn column{named ? name.text : "column" + std::to_string(layout.columns.size() + 1)};
    column.text = contains(options.text, column.name);
    column.exact = contains(options.exact, column.name);
    layout.columns.push_back(std::move(column));
  }
  return layout;
}

}  // namespace irn::csv
