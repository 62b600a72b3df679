// What the first records of a CSV file say about it: the delimiter, whether there is a header, the names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "irn/data/csv.h"

namespace irn::csv {

struct Layout {
  char delimiter = ',';
  bool header = true;
  std::vector<FrameColumn> columns;
  std::size_t skipped_bytes = 0;  // in front of the first row: empty lines and the header
  std::size_t skipped_lines = 0;
};

// `text` begins with the first record and ends with '\n'; of the second record it may hold less than all.
Layout find_layout(const std::string& source, std::string_view text, const CsvOptions& options);

}  // namespace irn::csv
