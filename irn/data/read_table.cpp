#include "irn/data/read_table.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "irn/data/foreign-inl.h"
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

// Asks for no byte after the first that differs: an open pipe may have no more yet.
bool starts_with(ByteSource& source, std::string_view bytes) {
  for (std::size_t size = 1; size <= bytes.size(); ++size)
    if (peek(source, size) != bytes.substr(0, size)) return false;
  return true;
}

struct Format {
  std::string_view name;
  bool (*knows)(ByteSource&);
  Frame (*read)(ByteSource&, const std::string& path, const ReadOptions&);
};

// The formats known by their first bytes. All else is CSV.
constexpr Format formats[] = {
    {"NPY", [](ByteSource& s) { return starts_with(s, "\x93NUMPY"); },
     [](ByteSource& s, const std::string&, const ReadOptions& options) {
       return read_npy(s, options.csv.exact);
     }},
    {"NPZ", [](ByteSource& s) { return starts_with(s, "PK\x03\x04") || starts_with(s, "PK\x05\x06"); },
     [](ByteSource& s, const std::string&, const ReadOptions& options) {
       return read_npz(s, options.arrays, options.csv.exact);
     }},
    {"IDX", [](ByteSource& s) { return starts_with(s, {"\0\0", 2}) && is_idx(s); }, read_idx_with_labels},
};

void refuse_settings_of_others(const ByteSource& source, std::string_view format,
                               const ReadOptions& options) {
  if (format != "NPZ" && !options.arrays.empty())
    throw DataError(source.name() + ": no NPZ archive, so there are no arrays to choose; name none",
                    "arrays");
  if (format != "IDX" && !options.labels.empty())
    throw DataError(source.name() + ": no IDX images, so it takes no labels; name none", "labels");
}

Frame read_from(ByteSource& source, const std::string& path, const ReadOptions& options,
                ThreadPool& threads) {
  const auto format = std::find_if(std::begin(formats), std::end(formats),
                                   [&](const Format& each) { return each.knows(source); });
  const bool known = format != std::end(formats);
  if (!known) refuse_foreign(source);
  refuse_settings_of_others(source, known ? format->name : "CSV", options);
  return known ? format->read(source, path, options)
               : read_csv(source, csv_options(path, options.csv), threads);
}

}  // namespace

std::string table_formats() {
  std::string text = "CSV, TSV";
  for (const Format& format : formats)
    text += (&format == std::end(formats) - 1 ? " or " : ", ") + std::string(format.name);
  return text;
}

OpenTable open_table(const std::string& path, const ReadOptions& options, std::span<const std::string> known,
                     ThreadPool& threads) {
  std::unique_ptr<ByteSource> source = open_unpacked(path);
  const bool csv = std::none_of(std::begin(formats), std::end(formats),
                                [&](const Format& each) { return each.knows(*source); });
  if (!csv) return {.stream = nullptr, .whole = read_from(*source, path, options, threads)};
  refuse_foreign(*source);
  refuse_settings_of_others(*source, "CSV", options);
  return {.stream = std::make_unique<CsvStream>(std::move(source), csv_options(path, options.csv), known),
          .whole = {}};
}

Frame read_table(const std::string& path, const ReadOptions& options, ThreadPool& threads) {
  return read_from(*open_unpacked(path), path, options, threads);
}

Frame read_tables(std::span<const std::string> paths, const ReadOptions& options, ThreadPool& threads) {
  if (paths.size() == 1) return read_table(paths.front(), options, threads);
  if (paths.empty()) throw Error("no files to read");
  if (std::count(paths.begin(), paths.end(), "-") > 0)
    throw Error("standard input is read alone; name it as the only file, or join the files before");
  ReadOptions known = options;
  Frame all = read_table(paths.front(), known, threads);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    Frame next = read_table(paths[i], known, threads);
    check_same_columns(all, next);
    const std::size_t before = known.csv.text.size();
    for (std::size_t c = 0; c < all.width(); ++c)
      if (all.columns()[c].text != next.columns()[c].text) known.csv.text.push_back(all.columns()[c].name);
    if (known.csv.text.size() > before) {  // numbers are needed as they were written: read again
      all = read_tables(paths.first(i), known, threads);
      next = read_table(paths[i], known, threads);
    }
    all.append(next);
  }
  return all;
}

}  // namespace irn
