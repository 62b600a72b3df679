// Tables from CSV and its relatives: any delimiter, quotes by RFC 4180, CRLF, a UTF-8 byte order mark, empty
// lines.
//
// A column holds numbers if all its values are numbers, and text if one is not. Numbers have a decimal point,
// or a comma if the file leaves no doubt about it. These stand for a missing value, in any case of letters:
// nothing, NA, N/A, NaN, null, ?. Blanks around unquoted values do not count.
//
// The file is read in blocks. Each block is cut into pieces at the ends of records, and the pieces are parsed
// in parallel; only the table is held in full. The result does not depend on the number of threads. If text
// turns up in a column of numbers after the first block, the file is read a second time.
// Refuses (irn::DataError with line and column) rows of another length, quotes that do not pair, NUL bytes,
// infinite numbers, names that occur twice, and a file without rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/byte_source.h"
#include "irn/data/frame.h"

namespace irn {

enum class HeaderLine {
  // The first record is the header if none of its values is a number, or if a value that is not a number
  // stands above a number.
  detect,
  present,
  absent  // columns are named column1, column2, ...
};

struct CsvOptions {
  HeaderLine header = HeaderLine::detect;
  char delimiter = '\0';  // '\0': the one of , ; tab | that occurs most often in the first record
  // Columns read as text whatever they look like (postal codes). Names that the file lacks are ignored.
  std::vector<std::string> text = {};
  // Columns whose whole numbers name something (classes). With numbers of 2^53 or more, which a double may
  // not hold, such a column is text.
  std::vector<std::string> exact = {};
  char decimal = '\0';    // '\0': a comma if the first rows have decimal commas and no points, else a point
  char thousands = '\0';  // between thousands: one of , . ' _ and the blank; '\0': nothing
  // Read at a time; the longest possible record is four times as long.
  std::size_t block_bytes = std::size_t{16} << 20;
  std::size_t piece_bytes = std::size_t{256} << 10;  // a task for a thread: a few hundred microseconds
};

Frame read_csv(ByteSource& source, const CsvOptions& options, ThreadPool& threads);

}  // namespace irn
