#include "apps/irn/description.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include <CLI/CLI.hpp>

#include "apps/irn/settings.h"

namespace irn::app {
namespace {

std::vector<std::string> listed_choices(const std::string& about) {
  static const std::regex list("(?:: |^)((?:[A-Za-z0-9_-]+, )+[A-Za-z0-9_-]+)(?= \\[|;|$|, with)"),
      word("[A-Za-z0-9_-]+");
  std::vector<std::string> choices;
  std::smatch found;
  if (!std::regex_search(about, found, list)) return choices;
  const std::string names = found[1];
  for (std::sregex_iterator it(names.begin(), names.end(), word), end; it != end; ++it)
    choices.push_back(it->str());
  return choices;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words{.name = "--" + option.get_lnames().front(),
                    .letter = option.get_snames().empty() ? "" : "-" + option.get_snames().front(),
                    .value = option.get_type_size() > 0 ? option.get_type_name() : "",
                    .about = option.get_description()};
  if (!words.value.empty()) words.choices = listed_choices(words.about);
  return words;
}

std::string argument_name(const CLI::Option& option) {
  std::string name = option.get_name(true);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string usage_of(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    const std::string name = argument_name(*option);
    const std::string argument = name + (option->get_expected_max() > 1 ? "..." : "");
    text += option->get_type_name() == optional_argument ? "[" + argument + "] " : argument + " ";
  }
  return text + (app.get_subcommands({}).empty() ? "" : "COMMAND ") + "[OPTIONS]";
}

// The options by group; those without a group come last.
std::vector<OptionGroup> groups_of(const CLI::App& app) {
  std::vector<std::string> names = app.get_groups();
  if (std::erase(names, "Options") > 0) names.emplace_back("Options");
  std::vector<OptionGroup> groups;
  for (const std::string& name : names) {
    OptionGroup group{names.size() > 1 && name == "Options" ? "General" : name, {}};
    for (const CLI::Option* option : app.get_options())
      if (option->get_group() == name && option->nonpositional()) group.options.push_back(words_of(*option));
    if (!name.empty() && !group.options.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::string closing_of(const CLI::App& app) {
  if (!app.get_subcommands({}).empty()) return "irn COMMAND --help shows the options of a command.";
  return "Defaults are in brackets. The file named by --config overrides them, the environment "
         "(IRN_THREADS=2 for "
         "--threads 2) overrides the file, and the command line overrides all. Separate lists by commas, or "
         "repeat the option; \\, stands for a comma within a name.";
}

}  // namespace

std::string OptionWords::heading(const std::string& between) const {
  return (letter.empty() ? "" : letter + between) + name + (value.empty() ? "" : " " + value);
}

std::string OptionWords::brief() const {
  std::string text = about.substr(0, about.find_first_of(";:["));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

CommandWords describe(const CLI::App& app) {
  CommandWords words{.name = (app.get_parent() ? app.get_parent()->get_name() + " " : "") + app.get_name(),
                     .about = app.get_description(),
                     .usage = usage_of(app),
                     .examples = app.get_footer(),
                     .groups = groups_of(app),
                     .closing = closing_of(app)};
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->get_positional(); }))
    words.arguments.emplace_back(argument_name(*option), option->get_description());
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    words.commands.emplace_back(sub->get_name(), sub->get_description());
  return words;
}

const std::vector<NameAndWords>& exit_codes() {
  static const std::vector<NameAndWords> codes = {
      {"0", "success"},
      {"1",
       "failure at run time: no space on the disk, not enough memory, output that cannot be written; a check "
       "of irn doctor that failed"},
      {"2", "usage: an unknown command, option or value; a folder that cannot be used"},
      {"3", "data: a table or a model that cannot be read, is damaged, or does not fit"},
      {"4", "training diverged"},
      {"130", "interrupted"}};
  return codes;
}

}  // namespace irn::app
