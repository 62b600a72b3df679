// irn completion: what a shell needs to complete commands, options and their values, from the same description as --help.
//   eval "$(irn completion bash)"                           in ~/.bashrc
//   irn completion zsh > ~/.zfunc/_irn                       a folder of $fpath
//   irn completion fish > ~/.config/fish/completions/irn.fish
#include <iostream>
#include <memory>
#include <regex>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/irn/command.h"
#include "apps/irn/data_settings.h"

namespace irn::app {
namespace {

struct Option {
  std::string name, letter, about;  // "--out", "-o" or nothing
  bool valued = false;
  std::vector<std::string> values;  // that --help lists
};
struct Subcommand {
  std::string name, about;
  std::vector<Option> options;
};

// "Of the rate: constant, step, cosine [cosine]": names in a row are what the option can be.
std::vector<std::string> listed_values(const std::string& about) {
  static const std::regex list("(?:: |^)((?:[a-z0-9_-]+, )+[a-z0-9_-]+)(?= \\[|;|$|, with)");
  std::vector<std::string> values;
  std::smatch found;
  if (!std::regex_search(about, found, list)) return values;
  static const std::regex word("[a-z0-9_-]+");
  const std::string names = found[1];
  for (std::sregex_iterator it(names.begin(), names.end(), word), end; it != end; ++it)
    values.push_back(it->str());
  return values;
}

Option option_of(const CLI::Option& option) {
  const std::string about = option.get_description();
  Option result{.name = "--" + option.get_lnames().front(),
                .letter = option.get_snames().empty() ? "" : "-" + option.get_snames().front(),
                .about = about.substr(0, about.find_first_of(";:[")),
                .valued = option.get_type_size() > 0};
  if (result.valued) result.values = listed_values(about);
  while (result.about.ends_with(' ')) result.about.pop_back();
  return result;
}

std::vector<Subcommand> subcommands_of(const CLI::App& app) {
  std::vector<Subcommand> all;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    all.push_back({sub->get_name(), sub->get_description(), {}});
    for (const CLI::Option* option : sub->get_options())
      if (option->nonpositional() && !option->get_lnames().empty())
        all.back().options.push_back(option_of(*option));
  }
  return all;
}

std::string words(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : " ") + word;
  return text;
}

// In single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string bash(const std::vector<Subcommand>& all) {
  std::string names, options, values;
  for (const Subcommand& sub : all) {
    names += (names.empty() ? "" : " ") + sub.name;
    std::vector<std::string> these;
    for (const Option& option : sub.options) {
      these.push_back(option.name);
      if (!option.values.empty())
        values += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return;;\n",
                              sub.name, option.name, words(option.values));
    }
    options += fmt::format("    {}) options='{}';;\n", sub.name, words(these));
  }
  return fmt::format(R"(_irn() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" options=
  if [ "$COMP_CWORD" = 1 ]; then COMPREPLY=($(compgen -W '{} help --help --version' -- "$word")); return; fi
  case "$command $before" in
{}  esac
  case "$command" in
{}  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word"));;
    *) COMPREPLY=($(compgen -f -- "$word"));;
  esac
}}
complete -o filenames -F _irn irn
)",
                     names, values, options);
}

std::string zsh(const std::vector<Subcommand>& all) {
  // zsh gives brackets and colons a meaning of their own.
  const auto plain = [](std::string text) {
    for (const char c : {'[', ']', ':'}) std::erase(text, c);
    return text;
  };
  std::string names, cases;
  for (const Subcommand& sub : all) {
    names += "    " + quoted(sub.name + ":" + plain(sub.about)) + "\n";
    cases += "    " + sub.name + ") _arguments";
    for (const Option& option : sub.options)
      cases += " \\\n      " + quoted(option.name + "[" + plain(option.about) + "]" +
                                      (!option.valued          ? ""
                                       : option.values.empty() ? ":value:_files"
                                                               : ":value:(" + words(option.values) + ")"));
    cases += " \\\n      '*:file:_files';;\n";
  }
  return fmt::format(R"(#compdef irn
_irn() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  local command="$words[2]"
  shift words; (( CURRENT-- ))
  case "$command" in
{}  esac
}}
_irn "$@"
)",
                     names, cases);
}

std::string fish(const std::vector<Subcommand>& all) {
  std::string text = "complete -c irn -f -n __fish_use_subcommand\n";
  for (const Subcommand& sub : all) {
    text +=
        fmt::format("complete -c irn -n __fish_use_subcommand -a {} -d {}\n", sub.name, quoted(sub.about));
    for (const Option& option : sub.options)
      text += fmt::format(
          "complete -c irn -n '__fish_seen_subcommand_from {}' -l {}{}{}{} -d {}\n", sub.name,
          option.name.substr(2), option.letter.empty() ? "" : " -s " + option.letter.substr(1),
          option.valued ? " -r" : "", option.values.empty() ? "" : " -f -a " + quoted(words(option.values)),
          quoted(option.about));
  }
  return text;
}

struct Command {
  Settings settings;
  std::string shell;
};

}  // namespace

Run add_completion(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->settings.positional("shell", &command->shell, "bash, zsh or fish");
  command->settings.declare(app, "completion", "A script that completes commands and options in a shell",
                            "Examples:\n"
                            "  eval \"$(irn completion bash)\"        in ~/.bashrc\n"
                            "  irn completion zsh > ~/.zfunc/_irn     a folder of $fpath\n"
                            "  irn completion fish > ~/.config/fish/completions/irn.fish");
  return [command, &app] {
    command->settings.resolve();
    if (command->shell.empty()) throw Error("name the shell: bash, zsh or fish");
    using Script = std::string (*)(const std::vector<Subcommand>&);
    const Script script =
        choose<Script>("shell", command->shell, {{"bash", bash}, {"zsh", zsh}, {"fish", fish}});
    std::cout << script(subcommands_of(app));
    return int{fine};
  };
}

}  // namespace irn::app
