#include "irn/data/read_table.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "irn/data/gzip.h"
#include "irn/data/idx.h"
#include "irn/data/npy.h"

namespace irn {
namespace {

std::unique_ptr<ByteSource> open_unpacked(const std::string& path) {
  std::unique_ptr<ByteSource> source = open_source(path);
  return is_gzip(*source) ? unpack_gzip(std::move(source)) : std::move(source);
}

bool replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  if (at != text.npos) text.replace(at, from.size(), to);
  return at != text.npos;
}

// train-images-idx3-ubyte.gz -> train-labels-idx1-ubyte.gz; empty if there is no such file.
std::string labels_beside(const std::string& images) {
  const std::filesystem::path path(images);
  std::string name = path.filename().string();
  if (!replace(name, "images", "labels")) return "";
  replace(name, "idx3", "idx1");
  const std::filesystem::path labels = path.parent_path() / name;
  std::error_code ignored;
  return std::filesystem::is_regular_file(labels, ignored) ? labels.string() : "";
}

Frame read_idx_with_labels(ByteSource& images, const std::string& path, const ReadOptions& options) {
  const std::string labels = options.labels.empty() ? labels_beside(path) : options.labels;
  return labels.empty() ? read_idx(images) : read_idx(images, *open_unpacked(labels));
}

CsvOptions csv_options(const std::string& path, CsvOptions options) {
  std::filesystem::path name(path);
  if (name.extension() == ".gz") name = name.stem();
  if (options.delimiter == '\0' && (name.extension() == ".tsv" || name.extension() == ".tab"))
    options.delimiter = '\t';
  return options;
}

}  // namespace

Frame read_table(const std::string& path, const ReadOptions& options, ThreadPool& threads) {
  const std::unique_ptr<ByteSource> source = open_unpacked(path);
  const std::string start = peek(*source, 6);
  const bool npz = start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06"),
             npy = start.starts_with("\x93NUMPY"), idx = !npz && !npy && is_idx(*source);
  if (!npz && !options.arrays.empty())
    throw DataError(source->name() + ": no NPZ archive, so there are no arrays to choose; name none",
                    "arrays");
  if (!idx && !options.labels.empty())
    throw DataError(source->name() + ": no IDX images, so it takes no labels; name none", "labels");
  if (npy) return read_npy(*source);
  if (npz) return read_npz(*source, options.arrays);
  if (idx) return read_idx_with_labels(*source, path, options);
  return read_csv(*source, csv_options(path, options.csv), threads);
}

}  // namespace irn
