#include "apps/irn/data_settings.h"

#include <filesystem>

#include "irn/base/text.h"

namespace irn::app {

void refuse_choice(std::string_view option, std::string_view name, std::span<const std::string_view> known) {
  throw Error("--" + std::string(option) + ": " + unknown_name("value", name, known));
}

void DataSettings::declare(Settings& settings) {
  settings.group("Reading")
      .positional("data", &data, "Table: " + table_formats() + ", plain or gzip; - is standard input")
      .add("header", &header, "Whether the first line of a CSV file names the columns: auto, yes, no")
      .add("delimiter", &delimiter, "Between the values of a CSV file: auto, tab or a character")
      .called("C")
      .add("text", &text, "Columns that hold text even where it looks like numbers (postal codes)")
      .add("arrays", &arrays, "Arrays of an NPZ archive to read, if not x and y or all")
      .add("labels", &labels, "IDX file with the labels, if not beside the images")
      .called("FILE");
}

Frame DataSettings::read(const std::string& file, const Words& known_text, ThreadPool& threads) const {
  if (file.empty()) throw Error("no data: name a file, or - for standard input");
  Frame frame = read_table(located(file), read_options(known_text), threads);
  for (const std::string& name : text) frame.find(name);
  return frame;
}

OpenTable DataSettings::open(const Words& known_text, const Words& known, ThreadPool& threads) const {
  if (data.empty()) throw Error("no data: name a file, or - for standard input");
  OpenTable table = open_table(located(data), read_options(known_text), known, threads);
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
  return fs::exists(there, error) ? there.string() : file;
}

ReadOptions DataSettings::read_options(const Words& known_text) const {
  ReadOptions options{.arrays = arrays, .labels = located(labels)};
  options.csv.header = choose<HeaderLine>(
      "header", header,
      {{"auto", HeaderLine::detect}, {"yes", HeaderLine::present}, {"no", HeaderLine::absent}});
  if (delimiter.size() == 1)
    options.csv.delimiter = delimiter[0];
  else if (delimiter == "tab" || delimiter == "\\t")
    options.csv.delimiter = '\t';
  else if (delimiter != "auto")
    throw Error("--delimiter: \"" + delimiter + "\" is neither auto, tab nor a single character");
  options.csv.text = text;
  options.csv.text.insert(options.csv.text.end(), known_text.begin(), known_text.end());
  return options;
}

}  // namespace irn::app
