// A command in words, as its options were declared: the source of --help, the manual pages and shell
// completion.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace irn::app {

struct OptionWords {
  std::string name, letter;  // "--out"; "-o" or empty
  std::string value;         // "FOLDER"; empty for a switch
  std::string about;         // with its default in brackets
  // The values it can take, where `about` lists them: "Of the rate: constant, step, cosine [cosine]".
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
  std::string usage;        // what can follow the name
  std::string examples;     // lines, indented
  std::vector<NameAndWords> arguments, commands;
  std::vector<OptionGroup> groups;  // the groups that every command has come last
  std::string closing;              // what applies to all options
};

CommandWords describe(const CLI::App& app);

// Exit codes and what they mean.
const std::vector<NameAndWords>& exit_codes();

}  // namespace irn::app
