// A CSV table as it arrives: rows are given out as soon as they are whole, in constant memory. What read_csv (csv.h) says of the grammar holds here, too.
// Every stretch of rows is a table of its own: a column that holds text in one may hold numbers in another, so that whoever needs it to be text names it
// (CsvOptions::text). A header without rows is a table without rows.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "irn/data/csv.h"

namespace irn {

class CsvStream {
 public:
  // A first record that has all of `known` names is the header, whatever follows; else it takes a second record to tell.
  CsvStream(std::unique_ptr<ByteSource> source, const CsvOptions& options,
            std::span<const std::string> known);
  ~CsvStream();

  // The columns, once the first record is there: a table without rows.
  Frame head();
  // The rows that have arrived since, at least one; waits for it. None: the table has ended.
  std::optional<Frame> next(ThreadPool& threads);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
