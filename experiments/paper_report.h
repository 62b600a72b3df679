// The report of a reproduction: report.html, every figure as SVG and CSV, claims.json.
#pragma once

#include <filesystem>

#include "experiments/part.h"

namespace irn::experiments {

struct FinishedPart {
  const Part* part;
  PartReport report;
  double seconds;  // of computation, all jobs added up
  std::size_t jobs;
};

struct ReportFacts {
  std::string command;      // that repeats it
  double wall_seconds = 0;  // of this call
  std::size_t threads = 0;
};

void write_report(const std::filesystem::path& folder, const Protocol& protocol,
                  const std::vector<FinishedPart>& finished, const ReportFacts& facts);

}  // namespace irn::experiments
