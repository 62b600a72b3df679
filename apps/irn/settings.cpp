#include "apps/irn/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

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
    throw Error(fmt::format("{}: \"{}\" is not {}", place, text, options_detail::kind_of<T>()));
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

void set_from_toml(const Target& target, const toml::node& node, const std::string& place) {
  Words* const* list = std::get_if<Words*>(&target);
  const toml::array* array = node.as_array();
  if (array && !list) throw Error(place + ": takes one value, not a list");
  if (!list) return set(target, scalar_text(node, place), place);
  (*list)->clear();
  if (!array) return set(target, scalar_text(node, place), place);
  for (const toml::node& entry : *array) (*list)->push_back(scalar_text(entry, place));
}

std::string toml_text(const Target& target) {
  std::ostringstream out;
  if (const auto* list = std::get_if<Words*>(&target)) {
    toml::array array;
    for (const std::string& word : **list) array.push_back(word);
    out << array;
  } else if (const auto* text = std::get_if<std::string*>(&target)) {
    out << toml::value<std::string>(**text);
  } else {
    std::visit(
        [&](auto* value) {
          if constexpr (requires { write_value(*value); }) out << write_value(*value);
        },
        target);
  }
  return out.str();
}

std::string default_text(const Target& target) {
  if (const auto* list = std::get_if<Words*>(&target)) {
    std::string text;
    for (const std::string& word : **list) text += (text.empty() ? "" : ",") + word;
    return text;
  }
  if (const auto* text = std::get_if<std::string*>(&target)) return **text;
  return std::holds_alternative<bool*>(target) ? "" : toml_text(target);
}

std::string environment_name(std::string_view key) {
  std::string name = "IRN_";
  for (const char c : key)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

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

void Settings::declare_one(CLI::App& command, Setting& setting) {
  const std::string standard = default_text(setting.target);
  const std::string help = setting.help + (standard.empty() ? "" : " [" + standard + "]");
  const std::string name = (setting.positional ? "" : "--") + setting.key;
  if (std::holds_alternative<bool*>(setting.target))
    setting.option =
        command.add_flag_function(name, [&setting](std::int64_t) { setting.word = "true"; }, help);
  else if (std::holds_alternative<Words*>(setting.target))
    setting.option =
        command.add_option(name, setting.words, help)->expected(1)->take_all()->type_name("A,B,..");
  else
    setting.option = command.add_option(name, setting.word, help)->type_name("");
  if (!setting.group.empty()) setting.option->group(setting.group);
}

void Settings::declare(CLI::App& command) {
  for (Setting& setting : settings_) declare_one(command, setting);
  command.add_option("--config", config_, "TOML file with any of these options");
}

Settings::Setting& Settings::find(std::string_view key, const std::string& place) {
  const auto found = std::find_if(settings_.begin(), settings_.end(), [&](auto& s) { return s.key == key; });
  if (found != settings_.end()) return *found;
  std::vector<std::string_view> known;
  for (const Setting& setting : settings_) known.push_back(setting.key);
  throw Error(place + ": " + unknown_name("key", key, known));
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
    const std::string place = fmt::format("{}, line {}, {}", source, key.source().begin.line, key.str());
    const Setting& setting = find(key.str(), fmt::format("{}, line {}", source, key.source().begin.line));
    set_from_toml(setting.target, node, place);
  }
}

void Settings::resolve() {
  if (config_.empty())
    if (const char* value = std::getenv("IRN_CONFIG")) config_ = value;
  if (!config_.empty()) read_toml(read_file(config_), config_);
  for (const Setting& setting : settings_) {
    const std::string variable = environment_name(setting.key);
    if (const char* value = std::getenv(variable.c_str()); value && *value)
      set(setting.target, value, "environment variable " + variable);
    if (setting.option->count() == 0) continue;
    const std::string place = setting.positional ? setting.key : "--" + setting.key;
    if (Words* const* list = std::get_if<Words*>(&setting.target)) {
      (*list)->clear();
      for (const std::string& word : setting.words)
        for (std::string& part : split(word)) (*list)->push_back(std::move(part));
    } else {
      set(setting.target, setting.word, place);
    }
  }
}

Words Settings::given() const {
  Words keys;
  for (const Setting& setting : settings_)
    if (setting.option->count() > 0) keys.push_back(setting.key);
  return keys;
}

std::string Settings::to_toml() const {
  std::string text, group;
  for (const Setting& setting : settings_) {
    if (setting.passing) continue;
    if (setting.group != group) text += (text.empty() ? "# " : "\n# ") + (group = setting.group) + "\n";
    text += setting.key + " = " + toml_text(setting.target) + "\n";
  }
  return text;
}

}  // namespace irn::app
