// irn completion: what a shell needs to complete commands, options and their values, from the descriptions of
// --help.
//   eval "$(irn completion bash)"                           in ~/.bashrc
//   irn completion zsh > ~/.zfunc/_irn                       a folder of $fpath
//   irn completion fish > ~/.config/fish/completions/irn.fish
#include <array>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/irn/command.h"
#include "apps/irn/description.h"
#include "apps/irn/settings.h"
#include "irn/base/error.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

struct Subcommand {
  std::string name, about;
  std::vector<OptionWords> options;
};

std::vector<Subcommand> subcommands_of(const CLI::App& app) {
  std::vector<Subcommand> all;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    all.push_back({sub->get_name(), sub->get_description(), {}});
    for (const OptionGroup& group : describe(*sub).groups)
      all.back().options.insert(all.back().options.end(), group.options.begin(), group.options.end());
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
    for (const OptionWords& option : sub.options) {
      these.push_back(option.name);
      if (!option.choices.empty())
        values += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$word\")); return;;\n",
                              sub.name, option.name, words(option.choices));
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
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word");;  # a line a file: names may have blanks
  esac
}}
complete -o filenames -F _irn irn
)",
                     names, values, options);
}

std::string zsh(const std::vector<Subcommand>& all) {
  // Brackets and colons have a meaning in zsh.
  const auto plain = [](std::string text) {
    for (const char c : {'[', ']', ':'}) std::erase(text, c);
    return text;
  };
  std::string names, cases;
  for (const Subcommand& sub : all) {
    names += "    " + quoted(sub.name + ":" + plain(sub.about)) + "\n";
    cases += "    " + sub.name + ") _arguments";
    for (const OptionWords& option : sub.options)
      cases += " \\\n      " + quoted(option.name + "[" + plain(option.brief()) + "]" +
                                      (option.value.empty()     ? ""
                                       : option.choices.empty() ? ":value:_files"
                                                                : ":value:(" + words(option.choices) + ")"));
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
    for (const OptionWords& option : sub.options)
      text += fmt::format(
          "complete -c irn -n '__fish_seen_subcommand_from {}' -l {}{}{}{} -d {}\n", sub.name,
          option.name.substr(2), option.letter.empty() ? "" : " -s " + option.letter.substr(1),
          !option.value.empty() ? " -r" : "",
          option.choices.empty() ? "" : " -f -a " + quoted(words(option.choices)), quoted(option.brief()));
  }
  return text;
}

using Script = std::string (*)(const std::vector<Subcommand>&);

Script script_for(const std::string& shell) {
  constexpr std::array<std::string_view, 3> names = {"bash", "zsh", "fish"};
  constexpr std::array<Script, 3> scripts = {bash, zsh, fish};
  for (std::size_t k = 0; k < names.size(); ++k)
    if (shell == names[k]) return scripts[k];
  throw Error(unknown_name("shell", shell, names));
}

struct Command {
  Settings settings;
  std::string shell;
};

}  // namespace

Run add_completion(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->settings.positional("shell", &command->shell, "Shell: bash, zsh or fish");
  command->settings.declare(app, "completion", "Print a shell script that completes commands and options",
                            "Examples:\n"
                            "  eval \"$(irn completion bash)\"          # in ~/.bashrc\n"
                            "  irn completion zsh > ~/.zfunc/_irn     # a folder of $fpath\n"
                            "  irn completion fish > ~/.config/fish/completions/irn.fish");
  return [command, &app] {
    command->settings.resolve();
    if (command->shell.empty()) throw Error("name the shell: bash, zsh or fish");
    std::cout << script_for(command->shell)(subcommands_of(app));
    return int{fine};
  };
}

}  // namespace irn::app
