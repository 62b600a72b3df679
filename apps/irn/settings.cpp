#include "apps/irn/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>
#include <unistd.h>

#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

using Target = Settings::Target;

// "a,b\,c" is {"a", "b,c"}.
Words split(std::string_view text) {
  Words words{""};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',';
    if (text[i] == ',')
      words.emplace_back();
    else
      words.back() += escaped ? text[++i] : text[i];
  }
  std::erase(words, "");
  return words;
}

template <class T>
void read_one(T& target, std::string_view text, const std::string& place) {
  if (!read_value(text, target))
    throw Error(fmt::format("{}: \"{}\" {}", place, text,
                            options_detail::is_not(text, options_detail::kind_of<T>())));
}
void read_one(Settings::AutoCount& target, std::string_view text, const std::string& place) {
  if (text == "auto") return target.reset();
  std::size_t count = 0;
  if (!read_value(text, count) || count == 0)
    throw Error(fmt::format("{}: \"{}\" is neither auto nor a count, 1 or more", place, text));
  target = count;
}
// The environment has many words for a switch.
void read_one(bool& target, std::string_view text, const std::string& place) {
  for (const std::string_view yes : {"true", "1", "yes", "on"})
    if (text == yes) return void(target = true);
  for (const std::string_view no : {"false", "0", "no", "off"})
    if (text == no) return void(target = false);
  throw Error(fmt::format("{}: \"{}\" is neither true nor false", place, text));
}
void read_one(std::string& target, std::string_view text, const std::string&) { target = text; }
void read_one(Words& target, std::string_view text, const std::string&) { target = split(text); }

void set(const Target& target, std::string_view text, const std::string& place) {
  std::visit([&](auto* value) { read_one(*value, text, place); }, target);
}

std::string scalar_text(const toml::node& node, const std::string& place) {
  if (const auto* v = node.as_string()) return v->get();
  if (const auto* v = node.as_boolean()) return write_value(v->get());
  if (const auto* v = node.as_floating_point()) return write_value(v->get());
  if (const auto* v = node.as_integer()) return std::to_string(v->get());
  throw Error(place + ": give a text, a number, true or false, or a list of texts");
}

void set_from_toml(const Target& target, bool files, const toml::node& node, const std::string& place) {
  Words* const* list = std::get_if<Words*>(&target);
  const toml::array* array = node.as_array();
  if (array && !list) throw Error(place + ": takes one value, not a list");
  if (!list) return set(target, scalar_text(node, place), place);
  (*list)->clear();
  if (!array && files) return (*list)->push_back(scalar_text(node, place));
  if (!array) return set(target, scalar_text(node, place), place);
  for (const toml::node& entry : *array) (*list)->push_back(scalar_text(entry, place));
}

std::string toml_text(const Target& target) {
  std::ostringstream out;
  if (const auto* list = std::get_if<Words*>(&target)) {
    toml::array array;
    for (const std::string& word : **list) array.push_back(word);
    out << array;
  } else if (const auto* count = std::get_if<Settings::AutoCount*>(&target)) {
    return **count ? std::to_string(***count) : "'auto'";
  } else if (const auto* text = std::get_if<std::string*>(&target)) {
    out << toml::value<std::string>(**text);
  } else {
    std::visit(
        [&](auto* value) {
          if constexpr (requires { write_value(*value); }) out << write_value(*value);
        },
        target);
  }
  // TOML's integers end at 2^63; read_one also takes a text.
  if (const auto* count = std::get_if<std::size_t*>(&target); count && **count >> 63)
    return "'" + out.str() + "'";
  return out.str();
}

std::string default_text(const Target& target) {
  if (const auto* list = std::get_if<Words*>(&target)) {
    std::string text;
    for (const std::string& word : **list) text += (text.empty() ? "" : ",") + word;
    return text;
  }
  if (const auto* text = std::get_if<std::string*>(&target)) return **text;
  if (const auto* count = std::get_if<Settings::AutoCount*>(&target))
    return **count ? std::to_string(***count) : "auto";
  return std::holds_alternative<bool*>(target) ? "" : toml_text(target);
}

std::string value_name(const Target& target) {
  if (std::holds_alternative<Words*>(target)) return "A,B,..";
  if (std::holds_alternative<std::string*>(target)) return "NAME";
  return std::holds_alternative<std::size_t*>(target) ? "N" : "X";
}

// Short names that every program has for these.
std::string short_name(std::string_view key) {
  return key == "out" ? "-o," : key == "quiet" ? "-q," : key == "threads" ? "-j," : "";
}

constexpr std::string_view environment_prefix = "IRN_";

std::string environment_name(std::string_view key) {
  std::string name(environment_prefix);
  for (const char c : key)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

// The names of all commands: variables for other commands may be set, too.
std::set<std::string, std::less<>>& environment_names() {
  static std::set<std::string, std::less<>> names = {environment_name("config")};
  return names;
}

// A name that is unknown but close to a known one is a slip of the pen; any other may belong to another
// program.
void refuse_slips_in_environment() {
  const std::vector<std::string_view> known(environment_names().begin(), environment_names().end());
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry), name = text.substr(0, text.find('='));
    if (!name.starts_with(environment_prefix) || environment_names().contains(name)) continue;
    if (const std::string_view meant = closest(name, known); !meant.empty())
      throw Error(
          fmt::format("environment variable {}: there is no such option; did you mean {}?", name, meant));
  }
}

}  // namespace

std::string read_named(const std::string& option, const std::string& path) {
  try {
    return read_file(path);
  } catch (const FileError& error) {
    throw Error(option + ": " + error.what());
  }
}

Settings& Settings::group(std::string name) {
  group_ = std::move(name);
  return *this;
}

void Settings::append(std::string key, Target target, std::string help, bool positional, bool passing) {
  settings_.push_back({std::move(key), std::move(help), group_, target, positional, passing});
}
Settings& Settings::add(std::string key, Target target, std::string help) {
  append(std::move(key), target, std::move(help), false, false);
  return *this;
}
Settings& Settings::positional(std::string key, Target target, std::string help) {
  append(std::move(key), target, std::move(help), true, false);
  return *this;
}
Settings& Settings::passing(std::string key, Target target, std::string help) {
  append(std::move(key), target, std::move(help), false, true);
  return *this;
}

Settings& Settings::pass_over(std::string key) {
  passed_over_.push_back(std::move(key));
  return *this;
}

Settings& Settings::may_be_left_out(std::string_view key) {
  find(key, "settings").value = optional_argument;
  return *this;
}

Settings& Settings::of_files() {
  settings_.back().files = true;
  return *this;
}

Settings& Settings::called(std::string value) {
  settings_.back().value = std::move(value);
  return *this;
}

void Settings::declare_one(CLI::App& command, Setting& setting) {
  const std::string standard = default_text(setting.target);
  const std::string help = setting.help + (standard.empty() ? "" : " [" + standard + "]");
  const std::string name = setting.positional ? setting.key : short_name(setting.key) + "--" + setting.key;
  if (std::holds_alternative<bool*>(setting.target))
    setting.option = command.add_flag(name, setting.word, help);
  else if (std::holds_alternative<Words*>(setting.target))
    setting.option =
        command.add_option(name, setting.words, help)->expected(setting.positional ? -1 : 1)->take_all();
  else
    setting.option = command.add_option(name, setting.word, help)->take_last();
  if (!std::holds_alternative<bool*>(setting.target))
    setting.option->type_name(setting.value.empty() ? value_name(setting.target) : setting.value);
  if (!setting.group.empty()) setting.option->group(setting.group);
}

void Settings::declare(CLI::App& app, const std::string& name, const std::string& about,
                       const std::string& examples) {
  CLI::App& command = *app.add_subcommand(name, about);
  command_ = "irn " + name;
  for (Setting& setting : settings_) {
    declare_one(command, setting);
    environment_names().insert(environment_name(setting.key));
  }
  config_option_ =
      command.add_option("--config", config_, "TOML file with any of these options")->type_name("FILE");
  command.footer(examples);
}

Settings::Setting& Settings::find(std::string_view key, const std::string& place) {
  const auto found = std::find_if(settings_.begin(), settings_.end(), [&](auto& s) { return s.key == key; });
  if (found != settings_.end()) return *found;
  std::vector<std::string_view> known;
  for (const Setting& setting : settings_) known.push_back(setting.key);
  const std::string_view meant = closest(key, known);
  throw Error(fmt::format("{}: unknown key \"{}\"{}", place, key,
                          meant.empty() ? fmt::format("; see {} --help", command_)
                                        : fmt::format(": did you mean \"{}\"?", meant)));
}

void Settings::read_toml(std::string_view text, const std::string& source) {
  toml::table table;
  try {
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw Error(fmt::format("{}, line {}, column {}: {}", source, at.line, at.column, error.description()));
  }
  for (const auto& [key, node] : table) {
    if (std::ranges::count(passed_over_, key.str()) > 0) continue;
    const std::string place = fmt::format("{}, line {}, {}", source, key.source().begin.line, key.str());
    const Setting& setting = find(key.str(), fmt::format("{}, line {}", source, key.source().begin.line));
    set_from_toml(setting.target, setting.files, node, place);
  }
}

void Settings::resolve() {
  refuse_slips_in_environment();
  if (config_.empty())
    if (const char* value = std::getenv("IRN_CONFIG")) config_ = value;
  if (!config_.empty()) read_toml(read_named("--config", config_), config_);
  for (const Setting& setting : settings_) {
    const std::string variable = environment_name(setting.key);
    if (const char* value = std::getenv(variable.c_str()); value && *value)
      set(setting.target, value, "environment variable " + variable);
    if (setting.option->count() == 0) continue;
    const std::string place = setting.positional ? setting.key : "--" + setting.key;
    if (Words* const* list = std::get_if<Words*>(&setting.target)) {
      (*list)->clear();
      for (const std::string& word : setting.words)
        for (std::string& part : setting.files ? Words{word} : split(word))
          (*list)->push_back(std::move(part));
    } else {
      set(setting.target, setting.word, place);
    }
  }
}

Words Settings::given() const {
  Words keys;
  for (const Setting& setting : settings_)
    if (setting.option->count() > 0) keys.push_back(setting.key);
  if (config_option_->count() > 0) keys.push_back("config");
  return keys;
}

std::string Settings::to_toml() const {
  std::string text, group;
  for (const Setting& setting : settings_) {
    if (setting.passing) continue;
    if (setting.group != group) text += (text.empty() ? "# " : "\n# ") + (group = setting.group) + "\n";
    text += line(setting);
  }
  return text;
}

std::string Settings::line(const Setting& setting) {
  if (Words* const* list = std::get_if<Words*>(&setting.target);
      list && setting.files && (*list)->size() == 1)
    return setting.key + " = " + toml_text(&(*list)->front()) + "\n";
  return setting.key + " = " + toml_text(setting.target) + "\n";
}

std::string Settings::to_toml(std::string_view key) const {
  for (const Setting& setting : settings_)
    if (setting.key == key) return line(setting);
  return "";
}

}  // namespace irn::app
