// irn reproduce: the paper's figures, tables and claims.
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "apps/irn/command.h"
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
  std::vector<std::string> parts;
  std::size_t threads = 0;
  std::map<std::string, std::string> settings;  // of the protocol, as given
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
  for (const auto& [key, value] : arguments.settings)
    if (!value.empty()) set_field(protocol, key, value);
  return protocol;
}

int run(const Arguments& arguments) {
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
  CLI::App* sub =
      app.add_subcommand("reproduce", "Regenerate the paper's figures and tables and judge its claims");
  std::string names;
  for (const experiments::Part& part : experiments::parts())
    names += (names.empty() ? "" : ", ") + std::string(part.name);
  sub->add_option("parts", arguments->parts, "Parts to run, all if none is named: " + names);
  sub->add_flag("--full", arguments->full, "The paper's whole protocol instead of the quick one");
  sub->add_option("--out", arguments->folder,
                  "Folder for report.html, figures and results [reproduction, reproduction-full]");
  sub->add_option("--threads", arguments->threads, "Threads; all if 0");
  sub->add_flag("--quiet", arguments->quiet, "No progress on standard error");
  for (const FieldText& field : fields_of(Protocol::full())) {
    const std::vector<FieldText> quick = fields_of(Protocol::quick());
    std::string standard = field.value;
    for (const FieldText& q : quick)
      if (q.key == field.key && q.value != field.value) standard += " full, " + q.value + " quick";
    sub->add_option("--" + field.key, arguments->settings[field.key], "[" + standard + "]")
        ->group("Protocol");
  }
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
