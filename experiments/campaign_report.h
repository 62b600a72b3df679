// The report of a campaign: report.html, every figure as SVG and CSV, claims.json, and claims and tables as
// Markdown.
#pragma once

#include <filesystem>

#include "experiments/campaign.h"

namespace irn::experiments {

struct FinishedPart {
  const BoundPart* part;
  PartReport report;
  double seconds;  // of computation, summed over all jobs
};

struct ReportFacts {
  std::string command;      // the command that repeats it
  double wall_seconds = 0;  // of this call
  std::size_t threads = 0;
};

void write_report(const std::filesystem::path& folder, const Campaign& campaign,
                  const std::vector<FinishedPart>& finished, const ReportFacts& facts);

}  // namespace irn::experiments
