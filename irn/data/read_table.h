// The front door for data: reads a table from a file of any known format.
// NPY, NPZ, IDX and gzip are recognised by their first bytes, whatever the file's name; all else is CSV or
// TSV. "-" is standard input. gzip may contain any format but NPZ. Files of other programs (Parquet, Arrow,
// Excel, ...) are recognised and refused, with advice.
// Images in IDX come with their labels: the file `labels` or, by default, a file beside the images whose name
// has "labels" for "images" (and idx1 for idx3), if there is one.
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
  // Members of an NPZ archive, as for read_npz (npy.h); empty: the usual ones.
  std::vector<std::string> arrays = {};
  std::string labels = {};  // of images in IDX
};

// "CSV, TSV, ... or IDX": what read_table() reads.
std::string table_formats();

Frame read_table(const std::string& path, const ReadOptions& options, ThreadPool& threads);

// Several files with the same columns, one after the other. A column that holds text in one of them is text
// in all. Standard input cannot be one of several.
Frame read_tables(std::span<const std::string> paths, const ReadOptions& options, ThreadPool& threads);

// A table to go through once: CSV is read as it arrives, other formats as a whole.
struct OpenTable {
  std::unique_ptr<CsvStream> stream;
  std::optional<Frame> whole;  // if there is no stream
};
// `known` names tell a header from a first row (CsvStream).
OpenTable open_table(const std::string& path, const ReadOptions& options, std::span<const std::string> known,
                     ThreadPool& threads);

}  // namespace irn
