// run.json: how long a folder's results took, and on which machine, for whoever shows them (scripts/results).
//
// The time is that of all results only if one call computed them all; else there is no such file.
#pragma once

#include <filesystem>
#include <string>

namespace irn::experiments {

struct RunRecord {
  std::string command;  // that repeats it
  std::string machine;  // "NVIDIA H200, ..., and 16 threads of Intel Xeon"
  double seconds = 0;
  std::string date;
};

// What a call found to do of its jobs.
enum class Computed { all, some, none };

// To be called with the report, after the jobs: keeps the record of the call that ends now, or that of the call that it only repeats.
void record_run(const std::filesystem::path& folder, const RunRecord& now, Computed computed);

// What a campaign runs on; `device` is empty if it is the processor alone.
std::string machine_text(const std::string& device, std::size_t threads);

}  // namespace irn::experiments
