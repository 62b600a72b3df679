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

template <class T>
Frame<T> read_idx_with_labels(ByteSource& images, const std::string& path, const ReadOptions& options) {
  const std::string labels = options.labels.empty() ? labels_beside(path) : options.labels;
  return labels.empty() ? read_idx<T>(images) : read_idx<T>(images, *open_unpacked(labels));
}

CsvOptions csv_options(const std::string& path, CsvOptions options) {
  std::filesystem::path name(path);
  if (name.extension() == ".gz") name = name.stem();
  if (options.delimiter == '\0' && (name.extension() == ".tsv" || name.extension() == ".tab"))
    options.delimiter = '\t';
  return options;
}

}  // namespace

template <class T>
Frame<T> read_table(const std::string& path, const ReadOptions& options, ThreadPool& threads) {
  const std::unique_ptr<ByteSource> source = open_unpacked(path);
  const std::string start = peek(*source, 6);
  if (start.starts_with("\x93NUMPY")) return read_npy<T>(*source);
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06"))
    return read_npz<T>(*source, options.arrays);
  if (is_idx(*source)) return read_idx_with_labels<T>(*source, path, options);
  return read_csv<T>(*source, csv_options(path, options.csv), threads);
}

template Frame<float> read_table(const std::string&, const ReadOptions&, ThreadPool&);
template Frame<double> read_table(const std::string&, const ReadOptions&, ThreadPool&);

}  // namespace irn
