// What the first records of a CSV file tell: the delimiter, whether there is a header, the names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "irn/data/csv.h"
#include "irn/data/csv_number-inl.h"

namespace irn::csv {

struct Layout {
  Dialect dialect;
  bool header = true;
  std::vector<FrameColumn> columns;
  std::size_t skipped_bytes = 0;  // in front of the first row: empty lines and the header
  std::size_t skipped_lines = 0;
  std::size_t header_line = 0;  // counted from 1; 0: there is none
};

// Whether so many of the first bytes are control characters that this is a picture, an archive or a program.
// A message about its "lines" or "quotes" would then mislead. A tenth of random bytes are control characters;
// a text has hardly any.
bool looks_binary(std::string_view text);
[[noreturn]] void fail_binary(const std::string& source);
// Refuses UTF-16, known by its byte order mark. Half of the bytes of such a text are NUL: it would look
// binary.
void refuse_utf16(const std::string& source, std::string_view text);

// `text` begins with the first record; it may break off within the second.
Layout find_layout(const std::string& source, std::string_view text, const CsvOptions& options);

}  // namespace irn::csv
