// The options of a command, each declared once and then found in four places, the later ones winning:
//   its default, a TOML file (--config), the environment (IRN_EPOCHS), the command line (--epochs)
//
//   Settings settings;
//   settings.group("Training").add("epochs", &epochs, "Times to go over the data");
//   settings.declare(app, "train", "Train a network", "Example: irn train");     // before parsing
//   settings.resolve();                                                          // after it
// A value that cannot be read, or a name that nobody declared, is an irn::Error that says where it stands. Does not judge
// whether values make sense: whoever uses them does.
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

// What the type of an argument is called that may be left out; --help shows it in brackets.
inline constexpr const char* optional_argument = "optional";

// What --help says of --threads.
inline constexpr const char* threads_help =
    "Threads to use; 0: as many as the machine has; the result does not depend on it";

class Settings {
 public:
  // What a setting fills in. A list is separated by commas on the command line ("\," for a comma in a name), or the
  // option is repeated; in TOML it is an array.
  // A count that may be left to the program: "auto".
  using AutoCount = std::optional<std::size_t>;
  using Target = std::variant<std::string*, Words*, std::size_t*, AutoCount*, double*, bool*>;

  Settings& group(std::string name);
  Settings& add(std::string key, Target target, std::string help);
  // Without dashes, by its place on the command line.
  Settings& positional(std::string key, Target target, std::string help);
  // An argument by its place that --help shows as one that may be left out.
  Settings& may_be_left_out(std::string_view key);
  // No part of what a later run repeats (to_toml): how much to print, what to resume, how many threads.
  Settings& passing(std::string key, Target target, std::string help);
  // The list added last holds names of files: a comma in one is part of it, on the command line and as a text in TOML.
  Settings& of_files();
  // What --help calls the value of the setting added last: FILE, FOLDER.
  Settings& called(std::string value);

  // Adds the subcommand `name` with all of these, and --config; above them, --help shows `examples`.
  void declare(CLI::App& app, const std::string& name, const std::string& about, const std::string& examples);
  void resolve();
  // Names set on the command line (--config included), for commands that refuse some together.
  Words given() const;

  // The present values, but for the passing ones, with their groups as comments.
  std::string to_toml() const;
  // One of them as a line of the same, passing or not.
  std::string to_toml(std::string_view key) const;
  // Takes values from TOML text; `source` names it in messages.
  void read_toml(std::string_view text, const std::string& source);
  // Keys of another command's TOML that say nothing to this one: passed over there, unknown elsewhere.
  Settings& pass_over(std::string key);
  // The file that --config named; empty if none did.
  const std::string& config() const { return config_; }
  // irn::Error, naming the place, for a key that none of them has.
  void check_known(std::string_view key, const std::string& place) { find(key, place); }

 private:
  struct Setting {
    std::string key, help, group;
    Target target;
    bool positional, passing;
    CLI::Option* option = nullptr;
    std::string word = {};   // as given on the command line
    std::string value = {};  // what --help calls it
    Words words = {};        // likewise, of a list
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
  std::string command_ = "irn train";  // whose options these are, until `declare` says otherwise
  CLI::Option* config_option_ = nullptr;
};

// The text of a file that an option names. One that is not there is a mistake in what was asked for: irn::Error.
std::string read_named(const std::string& option, const std::string& path);

}  // namespace irn::app
