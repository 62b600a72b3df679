#include "apps/irn/campaign_run.h"

#include <iostream>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/terminal.h"
#include "irn/base/file.h"

namespace irn::app {
namespace {

using experiments::Progress;

// A line that rewrites itself on a terminal, else a line from time to time.
class ProgressPrinter {
 public:
  void operator()(const Progress& p) {
    const bool terminal = on_terminal();
    const bool last = p.done == p.total;
    if (!terminal && !last && p.seconds < next_) return;
    next_ = p.seconds + 10;
    const std::string left = p.done > 0 ? ", " + clock_text(p.seconds_left) + " left" : "";
    const std::string line =
        fmt::format("{}/{} jobs, {} gone{}  {}", p.done, p.total, clock_text(p.seconds), left, p.last);
    std::cerr << (terminal ? rewrite_line : "") << (terminal ? cut_to_terminal(line) : line)
              << (terminal && !last ? "" : "\n") << std::flush;
  }

 private:
  double next_ = 0;
};

std::string folder_of(const CampaignArguments& arguments, const std::string& folder) {
  return !arguments.folder.empty() ? arguments.folder : folder + (arguments.full ? "-full" : "");
}

// "8 full, 3 quick", or, where protocols differ, "settling 8 full, 3 quick; depth 5 full, 3 quick".
std::string values_of(const std::string& key, const std::vector<ProtocolForms>& protocols) {
  std::vector<std::pair<std::string, std::string>> all;
  bool alike = true;
  for (const ProtocolForms& p : protocols)
    for (std::size_t i = 0; i < p.full.size(); ++i) {
      if (p.full[i].key != key) continue;
      const bool same = p.quick[i].value == p.full[i].value;
      all.emplace_back(p.whose, p.full[i].value + (same ? "" : " full, " + p.quick[i].value + " quick"));
      alike &= all.back().second == all.front().second;
    }
  if (alike) return all.front().second;
  std::string text;
  for (const auto& [whose, values] : all) text += (text.empty() ? "" : "; ") + whose + " " + values;
  return text;
}

}  // namespace

std::map<std::string, std::string> CampaignArguments::given_protocol() const {
  std::map<std::string, std::string> given = protocol;
  std::erase_if(given, [](const auto& option) { return option.second.empty(); });
  return given;
}

void declare_run(CampaignArguments& arguments, const std::string& folder) {
  arguments.settings.group("Run")
      .add("out", &arguments.folder,
           fmt::format("Folder for report.html, figures and results [{0}, {0}-full]", folder))
      .called("FOLDER")
      .add("threads", &arguments.threads, threads_help)
      .add("quiet", &arguments.quiet, "No progress on standard error");
}

void declare_protocols(CampaignArguments& arguments, const std::vector<ProtocolForms>& protocols,
                       const std::map<std::string, std::string>& help) {
  arguments.settings.group("Protocol");
  for (const ProtocolForms& protocol : protocols)
    for (const FieldText& field : protocol.full)
      if (!arguments.protocol.contains(field.key))
        arguments.settings
            .add(field.key, &arguments.protocol[field.key],
                 help.at(field.key) + " [" + values_of(field.key, protocols) + "]")
            .called("X");
}

int run_campaign(const experiments::Campaign& campaign, const CampaignArguments& arguments,
                 const Words& parts, const std::string& folder, bool print_tables) {
  const std::string out = folder_of(arguments, folder);
  experiments::RunOptions options{.folder = out, .parts = parts, .threads = arguments.threads};
  if (!arguments.quiet) options.on_progress = ProgressPrinter{};
  stop_in_good_order();
  if (experiments::run(campaign, options, stop_requested) == experiments::RunOutcome::interrupted) {
    std::cerr << "\nirn: interrupted; the results so far are kept in '" << out
              << "'. The same command continues.\n";
    return interrupted;
  }
  if (print_tables)
    std::cout << read_file(out + "/tables.md") << "\n" << read_file(out + "/claims.md") << "\n";
  std::cout << out << "/report.html\n";
  return fine;
}

}  // namespace irn::app
