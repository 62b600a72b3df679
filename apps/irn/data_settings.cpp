#include "apps/irn/data_settings.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "irn/base/text.h"
#include "irn/data/table_words.h"

namespace irn::app {

void refuse_choice(std::string_view option, std::string_view name, std::span<const std::string_view> known) {
  throw Error("--" + std::string(option) + ": " + unknown_name("value", name, known));
}

namespace {

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != name.npos; }

// The files that a shell would find for the pattern; a file with exactly this name is taken itself.
Words matching(const std::string& pattern) {
  std::error_code error;
  if (!is_pattern(pattern) || std::filesystem::exists(pattern, error)) return {pattern};
  glob_t found{};
  const int code = ::glob(pattern.c_str(), 0, nullptr, &found);
  Words names;
  for (std::size_t i = 0; code == 0 && i < found.gl_pathc; ++i) names.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  if (names.empty()) throw Error("no file matches '" + pattern + "'");
  return names;
}

}  // namespace

Expected expected_by(const Encoding& encoding) {
  return {.text = encoding.text_columns(), .decimal = encoding.decimal, .thousands = encoding.thousands};
}

void DataSettings::declare(Settings& settings) {
  settings.group("Reading")
      .positional("data", &data,
                  "Table: " + table_formats() +
                      ", plain or gzip, or - for standard input. Several files with the same columns, or a "
                      "pattern ('part*.csv'), are read as one table")
      .of_files()
      .add("header", &header, "Whether the first line of a CSV file names the columns: auto, yes, no")
      .add("delimiter", &delimiter, "Delimiter of a CSV file: auto, tab or a character")
      .called("C")
      .add("decimal", &decimal,
           "Decimal mark of a CSV file: a point or a comma; auto: a comma if the file leaves no doubt, else "
           "a point; with a model: as in training")
      .called("C")
      .add("thousands", &thousands,
           "Thousands separator of a CSV file: none, space, a comma, a point, ' or _; auto: none; with a "
           "model: as in training")
      .called("C")
      .add("text", &text,
           "Columns to read as text even if they look like numbers (postal codes), dates, or yes and no")
      .add("arrays", &arrays,
           "Arrays of an NPZ archive to read; by default x and y, or all; x=X_train reads X_train as x")
      .add("labels", &labels, "IDX file with the labels, if it is not beside the images")
      .called("FILE");
}

Words DataSettings::files(const Words& named) const {
  Words all;
  for (const std::string& name : named)
    for (std::string& file : matching(located(name))) all.push_back(std::move(file));
  if (all.empty()) throw Error("no data: name a file, or - for standard input");
  if (all.size() > 1 && std::count(all.begin(), all.end(), "-") > 0)
    throw Error("standard input is read alone; name no other data beside -");
  return all;
}

Words DataSettings::files_read() const {
  Words all = files();
  if (!labels.empty()) all.push_back(located(labels));
  return all;
}

std::string DataSettings::shown() const {
  if (data.size() < 2) return data.empty() ? "" : data.front();
  return data.front() + " and " + std::to_string(data.size() - 1) +
         (data.size() == 2 ? " more file" : " more files");
}

bool DataSettings::from_pipe() const { return std::count(data.begin(), data.end(), "-") > 0; }

Frame DataSettings::read(const Words& files_named, const Expected& expected, ThreadPool& threads) const {
  Frame frame = read_tables(files(files_named), read_options(expected), threads);
  for (const std::string& name : text) frame.find(name);
  return frame;
}

OpenTable DataSettings::open(const std::string& file, const Expected& expected, const Words& known,
                             ThreadPool& threads) const {
  OpenTable table = open_table(file, read_options(expected), known, threads);
  const Frame* head = table.whole ? &*table.whole : nullptr;
  std::optional<Frame> first;
  if (!head && !text.empty()) head = &first.emplace(table.stream->head());
  for (const std::string& name : text) head->find(name);
  return table;
}

std::string DataSettings::located(const std::string& file) const {
  namespace fs = std::filesystem;
  std::error_code error;
  if (file.empty() || file == "-" || directory.empty() || directory == fs::current_path(error)) return file;
  const fs::path there = fs::path(directory) / file;  // `file` itself if that begins at the root
  if (is_pattern(file)) return fs::exists(fs::path(directory), error) ? there.string() : file;
  return fs::exists(there, error) ? there.string() : file;
}

ReadOptions DataSettings::read_options(const Expected& expected) const {
  ReadOptions options{.arrays = arrays, .labels = located(labels)};
  CsvOptions& csv = options.csv;
  csv.header = named("--header", [&] { return header_from(header); });
  csv.delimiter = named("--delimiter", [&] { return delimiter_from(delimiter); });
  csv.decimal = named("--decimal", [&] { return decimal_from(decimal, expected.decimal); });
  csv.thousands = named("--thousands", [&] { return thousands_from(thousands, expected.thousands); });
  csv.text = text;
  csv.text.insert(csv.text.end(), expected.text.begin(), expected.text.end());
  csv.exact = expected.exact;
  return options;
}

}  // namespace irn::app
