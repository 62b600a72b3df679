// A CSV table as it arrives: rows are returned as soon as they are complete, in constant memory. The grammar
// is that of read_csv (csv.h).
// Each call returns a separate table. A column may hold text in one and numbers in the next; name it in
// CsvOptions::text if it must be text. A header without rows is a table without rows.
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
  // A first record that has all the names in `known` is the header, whatever follows. Otherwise a second
  // record is needed to tell.
  CsvStream(std::unique_ptr<ByteSource> source, const CsvOptions& options,
            std::span<const std::string> known);
  ~CsvStream();

  // The columns, as a table without rows. Waits until they are known.
  Frame head();
  // The rows that have arrived since the last call; waits for at least one. Nothing at the end of the table.
  std::optional<Frame> next(ThreadPool& threads);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
