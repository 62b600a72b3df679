// What `irn reproduce` and `irn study` share: the options of a campaign, its progress, and where its results
// are.
#pragma once

#include <map>

#include "apps/irn/settings.h"
#include "experiments/runner.h"

namespace irn::app {

struct CampaignArguments {
  bool full = false;
  bool quiet = false;
  std::string folder;
  std::size_t threads = 0;
  std::map<std::string, std::string> protocol;  // option and value; the value is empty if none was given
  Settings settings;

  std::map<std::string, std::string> given_protocol() const;
};

// Declares --out, --threads and --quiet. `folder` is the default of --out; --full appends "-full" to it.
void declare_run(CampaignArguments& arguments, const std::string& folder);
// The settings of a campaign in both forms. `whose` names the campaign where several share a setting.
struct ProtocolForms {
  std::string whose;
  std::vector<FieldText> quick, full;
};
// One option for each setting, with its values; `help` says what each is.
void declare_protocols(CampaignArguments& arguments, const std::vector<ProtocolForms>& protocols,
                       const std::map<std::string, std::string>& help);

// Runs it with its progress on standard error, prints where the report is (and the tables and claims if
// `print_tables`), and returns the exit code.
int run_campaign(const experiments::Campaign& campaign, const CampaignArguments& arguments,
                 const Words& parts, const std::string& folder, bool print_tables = false);

}  // namespace irn::app
