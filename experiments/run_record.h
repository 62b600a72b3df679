// run.json: how long a folder's results took, and on which machine, for pages that show them
// (scripts/results).
//
// The file exists only if one call computed all results, so that its time is that of all of them.
#pragma once

#include <filesystem>
#include <string>

namespace irn::experiments {

struct RunRecord {
  std::string command;  // the command that repeats it
  std::string machine;  // "NVIDIA H200, ..., and 16 threads of Intel Xeon"
  double seconds = 0;
  std::string date;
};

// How many of its jobs a call had to compute.
enum class Computed { all, some, none };

// To be called with the report, after the jobs. Keeps the record of this call, or the earlier one if this
// call has only repeated it.
void record_run(const std::filesystem::path& folder, const RunRecord& now, Computed computed);

// The machine that a campaign runs on; `device` is empty if it is the processor alone.
std::string machine_text(const std::string& device, std::size_t threads);

}  // namespace irn::experiments
