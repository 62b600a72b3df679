// irn man: manual pages from the descriptions of --help.
//   irn man train | man -l -          read one
//   irn man --out share/man/man1      write all: irn.1, irn-train.1, ...
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "apps/irn/command.h"
#include "apps/irn/description.h"
#include "apps/irn/output_folder.h"
#include "apps/irn/settings.h"
#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/base/version.h"

namespace irn::app {
namespace {

// Text escaped for roff, which would turn a plain hyphen into a typographic one that shells do not accept.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (result.empty() || result.back() == '\n') result += c == '.' || c == '\'' ? "\\&" : "";
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }
std::string section(const std::string& title) { return ".SH " + title + "\n"; }
std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + roff(text) + "\n";
}

// "irn train" has the page irn-train.
std::string page_name(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '-');
  return command;
}

// Without the line that announces them: here a heading does.
std::string examples(const CommandWords& words) {
  const std::string lines = words.examples.substr(words.examples.find('\n') + 1);
  return section("EXAMPLES") + ".EX\n" + roff(lines) + "\n.EE\n";
}

std::string options(const CommandWords& words) {
  std::string text = section("OPTIONS");
  for (const OptionGroup& group : words.groups) {
    if (words.groups.size() > 1) text += ".SS " + roff(group.title) + "\n";
    for (const OptionWords& option : group.options)
      text += entry((option.letter.empty() ? "" : bold(option.letter) + ", ") + bold(option.name) +
                        (option.value.empty() ? "" : " " + slanted(option.value)),
                    option.about);
  }
  return text;
}

std::string see_also(const CommandWords& words) {
  std::string text = section("SEE ALSO");
  if (words.commands.empty()) return text + bold("irn") + "(1)\n";
  for (std::size_t k = 0; k < words.commands.size(); ++k)
    text += fmt::format("{}(1){}\n", bold("irn-" + words.commands[k].first),
                        k + 1 < words.commands.size() ? "," : "");
  return text;
}

std::string man_page(const CLI::App& app) {
  const CommandWords words = describe(app);
  const std::string page = page_name(words.name);
  std::string capitals = page;
  for (char& c : capitals) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = fmt::format(".TH {} 1 \"\" \"irn {}\" \"irn manual\"\n", roff(capitals), IRN_VERSION);
  text += section("NAME") + roff(page) + " \\- " + roff(words.about) + "\n";
  text += section("SYNOPSIS") + bold(words.name) + " " + roff(words.usage) + "\n" + examples(words);
  if (!words.arguments.empty()) text += section("ARGUMENTS");
  for (const auto& [name, about] : words.arguments) text += entry(slanted(name), about);
  if (!words.commands.empty()) text += section("COMMANDS");
  for (const auto& [name, about] : words.commands) text += entry(bold(name), about);
  text += options(words) + ".PP\n" + roff(words.closing) + "\n" + section("EXIT STATUS");
  for (const auto& [code, meaning] : exit_codes()) text += entry(bold(code), meaning);
  return text + see_also(words);
}

const CLI::App& command_named(const CLI::App& app, const std::string& name) {
  if (name.empty()) return app;
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) {
    if (sub->get_name() == name) return *sub;
    names.push_back(sub->get_name());
  }
  const std::string_view meant = closest(name, std::vector<std::string_view>(names.begin(), names.end()));
  throw Error("there is no command \"" + name + "\"" +
              (meant.empty() ? "; see irn --help" : ": did you mean \"" + std::string(meant) + "\"?"));
}

void write_pages(const CLI::App& app, const std::filesystem::path& folder) {
  make_output(folder);
  write_file_atomically(folder / "irn.1", man_page(app));
  for (const CLI::App* sub : app.get_subcommands(nullptr))
    write_file_atomically(folder / (page_name("irn " + sub->get_name()) + ".1"), man_page(*sub));
}

struct Command {
  Settings settings;
  std::string command, folder;
};

}  // namespace

Run add_man(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->settings
      .positional("command", &command->command, "Command whose page to print; by default irn itself")
      .may_be_left_out("command")
      .add("out", &command->folder, "Write all pages to this folder instead")
      .called("FOLDER");
  command->settings.declare(app, "man", "Print manual pages",
                            "Examples:\n"
                            "  irn man train | man -l -\n"
                            "  irn man --out ~/.local/share/man/man1");
  return [command, &app] {
    command->settings.resolve();
    if (!command->folder.empty() && !command->command.empty())
      throw Error("--out writes the pages of all commands; leave out the command");
    if (command->folder.empty())
      std::cout << man_page(command_named(app, command->command));
    else
      write_pages(app, command->folder);
    return int{fine};
  };
}

}  // namespace irn::app
