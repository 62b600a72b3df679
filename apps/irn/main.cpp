// irn: implicit recurrent networks from the shell. Parses, calls, prints; one file a subcommand.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>

#include "apps/irn/command.h"
#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/base/version.h"
#include "irn/data/frame.h"

namespace irn::app {

std::atomic<bool> stop_requested{false};

namespace {

// The first signal asks; the second, from someone impatient, ends the program as usual.
void on_signal(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

int complain(const std::string& message, int code) {
  std::cerr << "irn: " << message << "\n";
  return code;
}

// CLI11's own words for an unknown argument, with a suggestion.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* chosen = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  const bool unknown =
      dynamic_cast<const CLI::ExtrasError*>(&error) || dynamic_cast<const CLI::RequiredError*>(&error);
  if (!unknown) return error.what();
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) return error.what();
  std::vector<std::string> known;
  for (const CLI::Option* option : chosen->get_options()) known.push_back(option->get_name(false, false));
  if (chosen == &app)
    for (const CLI::App* sub : app.get_subcommands(nullptr)) known.push_back(sub->get_name());
  std::vector<std::string_view> views(known.begin(), known.end());
  return unknown_name(extras.front().starts_with("-") ? "option" : "command", extras.front(), views);
}

int run(int argc, char** argv) {
  CLI::App app{"irn: implicit recurrent networks, z = f(A z + B x + b)", "irn"};
  app.set_version_flag("--version", std::string("irn ") + IRN_VERSION);
  app.require_subcommand(1);
  // In the order of irn --help; the subcommand at place k runs commands[k].
  const std::vector<Run> commands = {add_train(app), add_predict(app), add_eval(app),
                                     add_info(app),  add_bench(app),   add_reproduce(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error) + "; see irn --help", usage);
  }
  const std::vector<CLI::App*> all = app.get_subcommands(nullptr);
  const auto chosen = std::find(all.begin(), all.end(), app.get_subcommands().front());
  return commands[static_cast<std::size_t>(chosen - all.begin())]();
}

}  // namespace
}  // namespace irn::app

int main(int argc, char** argv) {
  std::signal(SIGINT, irn::app::on_signal);
  std::signal(SIGTERM, irn::app::on_signal);
  try {
    return irn::app::run(argc, argv);
  } catch (const irn::FileError& error) {
    return irn::app::complain(error.what(), irn::app::failed);
  } catch (const irn::DataError& error) {
    return irn::app::complain(error.what(), irn::app::bad_data);
  } catch (const irn::Error& error) {
    return irn::app::complain(error.what(), irn::app::usage);
  } catch (const std::bad_alloc&) {
    return irn::app::complain("not enough memory", irn::app::failed);
  } catch (const std::exception& error) {
    return irn::app::complain(error.what(), irn::app::failed);
  }
}
