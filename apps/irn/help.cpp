#include "apps/irn/help.h"

#include <algorithm>
#include <cctype>

#include "apps/irn/settings.h"

namespace irn::app {
namespace {

constexpr std::size_t indent = 30, width = 100;  // of descriptions, of the page

// Text in lines of at most `width` letters, each but the first indented.
std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size()), size = end - at;
    if (column > indent && column + 1 + size > width)
      result += "\n" + std::string(indent, ' '), column = indent;
    else if (column > indent)
      result += ' ', ++column;
    result += text.substr(at, size);
    column += size;
    at = end + 1;
  }
  return result;
}

std::string entry(const std::string& name, const std::string& description) {
  std::string line = "  " + name;
  line += line.size() + 2 > indent ? "\n" + std::string(indent, ' ') : std::string(indent - line.size(), ' ');
  return line + wrapped(description) + "\n";
}

std::vector<const CLI::Option*> options_of(const CLI::App* app, const std::string& group) {
  return app->get_options(
      [&](const CLI::Option* o) { return o->get_group() == group && o->nonpositional(); });
}

}  // namespace

std::string HelpText::make_usage(const CLI::App* app, std::string name) const {
  std::string text = "Usage: " + name;
  for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); }))
    text += option->get_type_name() == optional_argument
                ? " [" + make_option_name(option, true) + "]"
                : " " + make_option_name(option, true) + (option->get_expected_max() > 1 ? "..." : "");
  return text + (app->get_subcommands({}).empty() ? "" : " COMMAND") + " [OPTIONS]\n";
}

// The options of a command by their groups, those that all commands have at the end.
std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::vector<std::string> groups = app->get_groups();
  if (std::erase(groups, "Options") > 0) groups.push_back("Options");
  std::string text = app->get_description() + "\n\n" + make_usage(app, name) + make_positionals(app) +
                     make_subcommands(app, mode);
  for (const std::string& group : groups)
    if (const auto options = options_of(app, group); !group.empty() && !options.empty())
      text += make_group(groups.size() > 1 && group == "Options" ? "General" : group, false, options);
  return text + "\n" + make_footer(app);
}

std::string HelpText::make_option_name(const CLI::Option* option, bool positional) const {
  std::string name = CLI::Formatter::make_option_name(option, positional);
  if (positional)
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return name;
}

std::string HelpText::make_option(const CLI::Option* option, bool positional) const {
  const bool valued = !positional && option->get_type_size() > 0;
  return entry(make_option_name(option, positional) + (valued ? " " + option->get_type_name() : ""),
               option->get_description());
}

std::string HelpText::make_subcommand(const CLI::App* sub) const {
  return entry(sub->get_name(), sub->get_description());
}

}  // namespace irn::app
