// The front door for data: a table from whatever file it is in.
//   NPY, NPZ, IDX and gzip are known by their first bytes, whatever they are called; everything else is CSV, or TSV.
//   "-" is standard input. gzip may hold any of the others but NPZ. Files of other programs (Parquet, Arrow, Excel, ...) are recognised and
//   refused with what to do about them.
// Images in IDX come with their labels: the file named `labels`, or the one beside them with "images" in its name turned
// into "labels" (and idx3 into idx1), if there is one.
// Throws irn::DataError: one line with the file, the place in it, what is wrong and what to do.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/csv.h"
#include "irn/data/csv_stream.h"
#include "irn/data/frame.h"

namespace irn {

struct ReadOptions {
  CsvOptions csv = {};
  std::vector<std::string> arrays = {};  // members of an NPZ archive, without ".npy", as in "x" or
                                         // "x=X_train", called x here; empty: the usual ones
  std::string labels = {};               // of images in IDX
};

// "CSV, TSV, ... or IDX": what read_table() reads.
std::string table_formats();

Frame read_table(const std::string& path, const ReadOptions& options, ThreadPool& threads);

// Several files of the same columns, one behind the other. A column that holds text in one of them is text in all. Standard input
// stands alone.
Frame read_tables(std::span<const std::string> paths, const ReadOptions& options, ThreadPool& threads);

// A table to go through once: CSV comes as it arrives, the others whole.
struct OpenTable {
  std::unique_ptr<CsvStream> stream;
  std::optional<Frame> whole;  // if there is no stream
};
// `known` names tell a header from a first row (CsvStream).
OpenTable open_table(const std::string& path, const ReadOptions& options, std::span<const std::string> known,
                     ThreadPool& threads);

}  // namespace irn
