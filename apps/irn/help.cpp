#include "apps/irn/help.h"

#include <algorithm>

#include "apps/irn/description.h"

namespace irn::app {
namespace {

constexpr std::size_t beside = 28, width = 80;  // where descriptions begin, and lines end

// Text in lines of at most `width` characters, each but the first indented.
std::string wrapped(const std::string& text, std::size_t indent) {
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

std::string entry(const std::string& name, const std::string& about) {
  std::string line = "  " + name;
  line += line.size() + 2 > beside ? "\n" + std::string(beside, ' ') : std::string(beside - line.size(), ' ');
  return line + wrapped(about, beside) + "\n";
}

std::string entries(const std::string& title, const std::vector<NameAndWords>& all) {
  std::string text = all.empty() ? "" : "\n" + title + ":\n";
  for (const auto& [name, about] : all) text += entry(name, about);
  return text;
}

}  // namespace

std::string HelpText::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  const CommandWords words = describe(*app);
  std::string text = wrapped(words.about, 0) + "\n\nUsage: " + words.name + " " + words.usage + "\n\n" +
                     words.examples + "\n" + entries("Arguments", words.arguments) +
                     entries("Commands", words.commands);
  for (const OptionGroup& group : words.groups) {
    std::vector<NameAndWords> options;
    for (const OptionWords& option : group.options) options.emplace_back(option.heading(","), option.about);
    text += entries(group.title, options);
  }
  return text + "\n" + wrapped(words.closing, 0) + "\n";
}

}  // namespace irn::app
