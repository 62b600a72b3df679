// The text of --help: examples first, descriptions wrapped beside their options, general options last.
#pragma once

#include <CLI/CLI.hpp>

namespace irn::app {

class HelpText : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace irn::app
