// The options of a command. Each is declared once and read from four places, of which the later win:
//   its default, a TOML file (--config), the environment (IRN_EPOCHS), the command line (--epochs)
//
//   Settings settings;
//   settings.group("Training").add("epochs", &epochs, "Times to go over the data");
//   settings.declare(app, "train", "Train a network", "Example: irn train");     // before parsing
//   settings.resolve();                                                          // after it
// A value that cannot be read, or a name that is not declared, is an irn::Error that names the place. The
// code that uses the values judges whether they make sense.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace CLI {  // its header takes seconds to compile, and few files need it
class App;
class Option;
}  // namespace CLI

namespace irn::app {

using Words = std::vector<std::string>;

// The name for the type of an argument that may be left out; --help shows it in brackets.
inline constexpr const char* optional_argument = "optional";

// What --help says of --threads.
inline constexpr const char* threads_help =
    "Threads to use; 0: as many as the machine has; the result does not depend on it";

class Settings {
 public:
  // A count that may be left to the program: "auto".
  using AutoCount = std::optional<std::size_t>;
  // What a setting fills in. A list is separated by commas on the command line ("\," for a comma in a name),
  // or the option is repeated; in TOML it is an array.
  using Target = std::variant<std::string*, Words*, std::size_t*, AutoCount*, double*, bool*>;

  Settings& group(std::string name);
  Settings& add(std::string key, Target target, std::string help);
  // An argument without dashes, known by its place on the command line.
  Settings& positional(std::string key, Target target, std::string help);
  // Marks a positional argument as one that may be left out, for --help.
  Settings& may_be_left_out(std::string_view key);
  // A setting that is not part of what a later run repeats (to_toml): how much to print, what to resume, how
  // many threads.
  Settings& passing(std::string key, Target target, std::string help);
  // The list added last holds names of files: a comma is part of a name, on the command line and in a TOML
  // string.
  Settings& of_files();
  // The name that --help gives the value of the setting added last: FILE, FOLDER.
  Settings& called(std::string value);

  // Adds the subcommand `name` with all settings and --config; --help shows `examples` above them.
  void declare(CLI::App& app, const std::string& name, const std::string& about, const std::string& examples);
  void resolve();
  // Names set on the command line (--config included), for commands that refuse some combinations.
  Words given() const;

  // The present values, except those of passing settings, with group names as comments.
  std::string to_toml() const;
  // One setting as such a line, passing or not.
  std::string to_toml(std::string_view key) const;
  // Takes values from TOML text; `source` names it in messages.
  void read_toml(std::string_view text, const std::string& source);
  // A key of another command's TOML that this command ignores there; elsewhere it is unknown.
  Settings& pass_over(std::string key);
  // The file that --config named; empty if it was not given.
  const std::string& config() const { return config_; }
  // irn::Error, naming the place, if no setting has this key.
  void check_known(std::string_view key, const std::string& place) { find(key, place); }

 private:
  struct Setting {
    std::string key, help, group;
    Target target;
    bool positional, passing;
    CLI::Option* option = nullptr;
    std::string word = {};   // as given on the command line
    std::string value = {};  // what --help calls it
    Words words = {};        // likewise, for a list
    bool files = false;      // a list of files
  };

  void append(std::string key, Target target, std::string help, bool positional, bool passing);
  Setting& find(std::string_view key, const std::string& place);
  static std::string line(const Setting& setting);
  void declare_one(CLI::App& command, Setting& setting);

  std::string group_;
  std::vector<Setting> settings_;
  Words passed_over_;
  std::string config_;
  std::string command_ = "irn train";  // the command that the options belong to, until declare() sets it
  CLI::Option* config_option_ = nullptr;
};

// The text of a file that an option names. If the file does not exist, the request is wrong: irn::Error.
std::string read_named(const std::string& option, const std::string& path);

}  // namespace irn::app
