// A command in words, as its options were declared: what --help, the manual pages and the completion of shells all tell.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace irn::app {

struct OptionWords {
  std::string name, letter;  // "--out", "-o" or nothing
  std::string value;         // "FOLDER"; nothing for a switch
  std::string about;         // with its default in brackets
  // What it can be, where `about` lists that: "Of the rate: constant, step, cosine [cosine]".
  std::vector<std::string> choices = {};

  std::string heading(const std::string& between) const;  // "-o,--out FOLDER"
  std::string brief() const;                              // `about` up to its first stop
};

struct OptionGroup {
  std::string title;
  std::vector<OptionWords> options;
};

using NameAndWords = std::pair<std::string, std::string>;

struct CommandWords {
  std::string name, about;  // "irn train"
  std::string usage;        // what may follow the name
  std::string examples;     // lines, indented
  std::vector<NameAndWords> arguments, commands;
  std::vector<OptionGroup> groups;  // those that every command has at the end
  std::string closing;              // what holds for all options
};

CommandWords describe(const CLI::App& app);

// Exit codes and what they mean.
const std::vector<NameAndWords>& exit_codes();

}  // namespace irn::app
