// How tables are read: the options shared by train, predict and eval.
#pragma once

#include "apps/irn/settings.h"
#include "irn/data/encoding.h"
#include "irn/data/read_table.h"

namespace irn::app {

// What is known of a table beforehand, from a model or from the options.
struct Expected {
  Words text = {};      // columns that are read as text
  Words exact = {};     // columns whose whole numbers are names
  char decimal = '\0';  // '\0': detected
  char thousands = '\0';
};
Expected expected_by(const Encoding& encoding);

struct DataSettings {
  Words data;  // files of the same columns; a name may be a pattern
  std::string header = "auto";
  std::string delimiter = "auto";
  std::string decimal = "auto", thousands = "auto";
  Words text;
  Words arrays;
  std::string labels;
  std::string directory;  // relative names are looked for here first, then in the working directory

  void declare(Settings& settings);
  // irn::Error for options that make no sense.
  void check() const { read_options({}); }
  Frame read(const Expected& expected, ThreadPool& threads) const { return read(data, expected, threads); }
  Frame read(const Words& files_named, const Expected& expected, ThreadPool& threads) const;
  // One of the files to go through once; `known` names tell a header from a first row.
  OpenTable open(const std::string& file, const Expected& expected, const Words& known,
                 ThreadPool& threads) const;
  // The matching files, as paths from the working directory; each pattern's matches are sorted by name.
  // irn::Error if there are none.
  Words files() const { return files(data); }
  Words files(const Words& named) const;
  // The same, and the file of labels if one is named.
  Words files_read() const;

  // The file's path from the working directory; `directory` is searched first.
  std::string located(const std::string& file) const;
  // "a.csv", or "a.csv and 2 more files".
  std::string shown() const;
  bool from_pipe() const;

 private:
  ReadOptions read_options(const Expected& expected) const;
};

// The value that `name` stands for in a list of (name, value) pairs; irn::Error with a suggestion if it is
// not in the list.
template <class Value>
Value choose(std::string_view option, std::string_view name,
             std::initializer_list<std::pair<std::string_view, Value>> choices);

[[noreturn]] void refuse_choice(std::string_view option, std::string_view name,
                                std::span<const std::string_view> known);

template <class Value>
Value choose(std::string_view option, std::string_view name,
             std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::vector<std::string_view> known;
  for (const auto& [choice, value] : choices) {
    if (choice == name) return value;
    known.push_back(choice);
  }
  refuse_choice(option, name, known);
}

}  // namespace irn::app
