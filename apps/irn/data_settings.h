// How a table is read: the options that train, predict and eval share.
#pragma once

#include "apps/irn/settings.h"
#include "irn/data/read_table.h"

namespace irn::app {

struct DataSettings {
  std::string data;
  std::string header = "auto";
  std::string delimiter = "auto";
  Words text;
  Words arrays;
  std::string labels;
  std::string directory;  // where relative names of files are meant from, if they are found there; else here

  void declare(Settings& settings);
  // Columns in `known_text` are read as text, too. Throws irn::Error for options that make no sense.
  Frame read(const Words& known_text, ThreadPool& threads) const { return read(data, known_text, threads); }
  Frame read(const std::string& file, const Words& known_text, ThreadPool& threads) const;
  // The same to go through once; `known` names tell a header from a first row.
  OpenTable open(const Words& known_text, const Words& known, ThreadPool& threads) const;

  // The file by its name from here: `directory` is looked at first.
  std::string located(const std::string& file) const;

 private:
  ReadOptions read_options(const Words& known_text) const;
};

// The value that `name` stands for in a list of (name, value) pairs; irn::Error with a suggestion if in none.
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
