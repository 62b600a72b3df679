// The text of --help: arguments in capitals, descriptions wrapped beside their options, general options last.
#pragma once

#include <CLI/CLI.hpp>

namespace irn::app {

class HelpText : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option_name(const CLI::Option* option, bool positional) const override;
  std::string make_option(const CLI::Option* option, bool positional) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
};

}  // namespace irn::app
