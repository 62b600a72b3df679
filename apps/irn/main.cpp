// irn: implicit recurrent networks from the shell. Parses, calls, prints; each subcommand has its file.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>

#include "apps/irn/command.h"
#include "apps/irn/doctor.h"
#include "apps/irn/help.h"
#include "irn/base/error.h"
#include "irn/base/file.h"
#include "irn/base/memory.h"
#include "irn/base/text.h"
#include "irn/data/frame.h"

namespace irn::app {

std::atomic<bool> stop_requested{false};

namespace {

std::atomic<bool> in_good_order{false};

void on_signal(int signal) {
  using Clock = std::chrono::steady_clock;
  static std::atomic<Clock::rep> first{0};
  constexpr Clock::duration one_request =
      std::chrono::milliseconds(200);  // impatient people take longer than this
  if (!in_good_order) {
    constexpr std::string_view words = "irn: interrupted\n";
    (void)!::write(STDERR_FILENO, words.data(), words.size());
    ::_exit(interrupted);
  }
  const Clock::rep now = Clock::now().time_since_epoch().count();
  Clock::rep before = 0;
  if (first.compare_exchange_strong(before, now)) {
    stop_requested = true;
  } else if (Clock::duration(now - before) > one_request) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // when this returns
  }
}

int complain(const std::string& message, int code) {
  std::cerr << "irn: " << one_line(message) << "\n";
  return code;
}

// 'unknown option "--epoch": did you mean "--epochs"?', without a list of all, which --help gives.
std::string unknown(std::string_view kind, const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view meant = closest(name, views);
  const std::string text = "unknown " + std::string(kind) + " \"" + name + "\"";
  return meant.empty() ? text : text + ": did you mean \"" + std::string(meant) + "\"?";
}

std::string with_help(const std::string& about, const std::string& help) {
  return about + (about.ends_with("?") ? " See " : "; see ") + help;
}

std::string about_extra(const CLI::App& chosen, const std::string& extra) {
  std::vector<std::string> known;
  if (extra.starts_with("-")) {
    for (const CLI::Option* option : chosen.get_options())
      if (option->nonpositional()) known.push_back(option->get_name());
    return unknown("option", extra, known);
  }
  return "one argument too many, \"" + extra + "\"";
}

// What the first argument should have been, if it is a word but no command; else empty. CLI11 does not check
// it if --help follows.
std::string about_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return "";
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands(nullptr)) known.push_back(sub->get_name());
  if (std::find(known.begin(), known.end(), arguments.front()) != known.end()) return "";
  return with_help(unknown("command", arguments.front(), known), "irn --help");
}

// CLI11's exceptions in our words.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& chosen = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  const std::string help = "irn " + (&chosen == &app ? "" : chosen.get_name() + " ") + "--help",
                    said = error.what();
  const std::vector<std::string> extras = app.remaining(true);
  if (!extras.empty()) return with_help(about_extra(chosen, extras.front()), help);
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return "name a command; see " + help;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return said.substr(0, said.find(':')) + ": a value is missing; see " + help;
  return said + "; see " + help;
}

// " (--missing)": the option that allows such data, if this command has it.
std::string option_of(const CLI::App& command, const DataError& error) {
  const std::string option = "--" + error.setting();
  const bool known = !error.setting().empty() && command.get_option_no_throw(option) != nullptr;
  return known ? " (" + option + ")" : "";
}

int run(int argc, char** argv) {
  CLI::App app{"Implicit recurrent networks, z = f(A z + B x + b)", "irn"};
  app.set_help_flag("-h,--help", "Print this help");
  // Only on request: looking for devices loads the part for CUDA and wakes the driver.
  app.set_version_flag("--version", version_text, "Print the version, the build and the devices");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpText>());
  app.footer(
      "A first model, its errors, and its answers for other rows:\n"
      "  irn train flowers.csv --target species\n"
      "  irn eval flowers-model test.csv\n"
      "  irn predict flowers-model new.csv > answers.csv");
  // In the order of irn --help; the subcommand at place k runs commands[k].
  const std::vector<Run> commands = {
      add_train(app),     add_cv(app),    add_sweep(app),      add_predict(app),    add_eval(app),
      add_info(app),      add_check(app), add_importance(app), add_compare(app),    add_bench(app),
      add_reproduce(app), add_study(app), add_doctor(app),     add_completion(app), add_man(app)};
  for (CLI::App* sub : app.get_subcommands(nullptr)) sub->group("Commands");
  std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {  // irn help train: irn train --help
    arguments.erase(arguments.begin());
    arguments.resize(std::min<std::size_t>(arguments.size(), 1));
    arguments.emplace_back("--help");
  }
  if (const std::string about = about_command(app, arguments); !about.empty()) return complain(about, usage);
  try {
    std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 wants
    app.parse(arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    if (argc > 2)
      return complain("--version takes nothing beside it; irn doctor --json says the same to programs",
                      usage);
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    return complain(explain(app, error), usage);
  }
  const std::vector<CLI::App*> all = app.get_subcommands(nullptr);
  const auto chosen = std::find(all.begin(), all.end(), app.get_subcommands().front());
  try {
    return commands[static_cast<std::size_t>(chosen - all.begin())]();
  } catch (const DataError& error) {
    return complain(error.what() + option_of(**chosen, error), bad_data);
  }
}

// Output counts only if it could be written.
int run_and_flush(int argc, char** argv) {
  const int code = run(argc, argv);
  std::cout.flush();
  return std::cout || code != fine ? code : complain("cannot write to standard output", failed);
}

}  // namespace

void stop_in_good_order() { in_good_order = true; }

void on_hangup(void (*handler)(int)) {
  if (std::signal(SIGHUP, handler) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

}  // namespace irn::app

int main(int argc, char** argv) {
  std::signal(SIGINT, irn::app::on_signal);
  std::signal(SIGTERM, irn::app::on_signal);
  irn::app::on_hangup(irn::app::on_signal);
  // A file beyond `ulimit -f` is then an error like a full disk, with its message.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return irn::app::run_and_flush(argc, argv);
  } catch (const irn::FileError& error) {
    return irn::app::complain(error.what(), irn::app::failed);
  } catch (const irn::MemoryError& error) {
    return irn::app::complain(error.what(), irn::app::failed);
  } catch (const irn::DataError& error) {
    return irn::app::complain(error.what(), irn::app::bad_data);
  } catch (const irn::Error& error) {
    return irn::app::complain(error.what(), irn::app::usage);
  } catch (const std::bad_alloc&) {
    return irn::app::complain("not enough memory; fewer neurons or rows take less", irn::app::failed);
  } catch (const std::exception& error) {
    return irn::app::complain(error.what(), irn::app::failed);
  }
}
