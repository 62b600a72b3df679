// irn reproduce: the paper's figures, tables and claims.
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/settings.h"
#include "apps/irn/terminal.h"
#include "experiments/runner.h"

namespace irn::app {
namespace {

using experiments::Progress;
using experiments::Protocol;

struct Arguments {
  bool full = false;
  bool quiet = false;
  std::string folder;
  Words parts;
  std::size_t threads = 0;
  std::map<std::string, std::string> protocol;  // as given
  Settings settings;
};

// A line that rewrites itself on a terminal, else a line now and then.
class ProgressPrinter {
 public:
  void operator()(const Progress& p) {
    const bool terminal = on_terminal();
    const bool last = p.done == p.total;
    if (!terminal && !last && p.seconds < next_) return;
    next_ = p.seconds + 10;
    const std::string left = p.done > 0 ? ", " + clock_text(p.seconds_left) + " left" : "";
    std::cerr << (terminal ? rewrite_line : "")
              << fmt::format("{}/{} jobs, {} gone{}  {}", p.done, p.total, clock_text(p.seconds), left,
                             p.last)
              << (terminal && !last ? "" : "\n") << std::flush;
  }

 private:
  double next_ = 0;
};

Protocol protocol_of(const Arguments& arguments) {
  Protocol protocol = arguments.full ? Protocol::full() : Protocol::quick();
  for (const auto& [key, value] : arguments.protocol)
    if (!value.empty()) set_field(protocol, key, value);
  return protocol;
}

int run(Arguments& arguments) {
  arguments.settings.resolve();
  const std::string folder = !arguments.folder.empty() ? arguments.folder
                             : arguments.full          ? "reproduction-full"
                                                       : "reproduction";
  experiments::RunOptions options{.folder = folder, .parts = arguments.parts, .threads = arguments.threads};
  if (!arguments.quiet) options.on_progress = ProgressPrinter{};
  stop_in_good_order();
  if (experiments::reproduce(protocol_of(arguments), options, stop_requested) ==
      experiments::RunOutcome::interrupted) {
    std::cerr << "\nirn: interrupted; the results so far are kept in '" << folder
              << "'. The same command continues.\n";
    return interrupted;
  }
  std::cout << folder << "/report.html\n";
  return fine;
}

}  // namespace

Run add_reproduce(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  std::string names;
  for (const experiments::Part& part : experiments::parts())
    names += (names.empty() ? "" : ", ") + std::string(part.name);
  Settings& settings = arguments->settings;
  settings.positional("parts", &arguments->parts, "Parts to run, all if none is named: " + names)
      .add("full", &arguments->full, "The paper's whole protocol instead of the quick one")
      .add("out", &arguments->folder,
           "Folder for report.html, figures and results [reproduction, reproduction-full]")
      .called("FOLDER")
      .add("threads", &arguments->threads, "0: as many as the machine has; the result does not depend on it")
      .add("quiet", &arguments->quiet, "No progress on standard error")
      .group("Protocol");
  for (const FieldText& field : fields_of(Protocol::full())) {
    const std::vector<FieldText> quick = fields_of(Protocol::quick());
    std::string standard = field.value;
    for (const FieldText& q : quick)
      if (q.key == field.key && q.value != field.value) standard += " full, " + q.value + " quick";
    settings.add(field.key, &arguments->protocol[field.key], "[" + standard + "]").called("X");
  }
  settings.declare(app, "reproduce", "Regenerate the paper's figures and tables and judge its claims",
                   "Examples:\n"
                   "  irn reproduce\n"
                   "  irn reproduce oscillator --full --threads 16 --out paper");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
