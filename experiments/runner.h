// Runs the jobs of chosen parts of a campaign on all threads, keeps their results on disk, and writes the
// report.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "experiments/campaign.h"

namespace irn::experiments {

struct Progress {
  std::size_t done = 0, total = 0;
  std::string last;         // key of the job that finished last
  double seconds = 0;       // since the start
  double seconds_left = 0;  // estimated
};

struct RunOptions {
  std::filesystem::path folder;
  std::vector<std::string> parts;  // names; empty: all
  std::size_t threads = 0;
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
};

enum class RunOutcome { finished, interrupted };

// Throws irn::Error for an unknown part, or for a folder that holds other settings or anything else.
RunOutcome run(const Campaign& campaign, const RunOptions& options, const std::atomic<bool>& stop);

}  // namespace irn::experiments
