#include "experiments/run_record.h"

#include <fstream>

#include <fmt/format.h>

#include "experiments/part.h"
#include "irn/base/file.h"
#include "irn/base/version.h"
#include "irn/kernels/build_facts.h"

namespace irn::experiments {
namespace {

namespace fs = std::filesystem;

bool is_of(const fs::path& file, const std::string& command) {
  const Json stored = fs::exists(file) ? Json::parse(read_file(file), nullptr, false) : Json();
  return stored.is_object() && stored.value("command", Json()) == command;
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return build_facts().processor;
}

}  // namespace

void record_run(const fs::path& folder, const RunRecord& now, Computed computed) {
  const fs::path file = folder / "run.json";
  if (computed == Computed::all)
    write_file_atomically(file, Json{{"command", now.command},
                                     {"machine", now.machine},
                                     {"seconds", now.seconds},
                                     {"date", now.date},
                                     {"irn", IRN_VERSION}}
                                        .dump(2) +
                                    "\n");
  else if (computed == Computed::some || !is_of(file, now.command))
    fs::remove(file);
}

std::string machine_text(const std::string& device, std::size_t threads) {
  return fmt::format("{}{}{} thread{} of {}", device, device.empty() ? "" : ", and ", threads,
                     threads == 1 ? "" : "s", processor_name());
}

}  // namespace irn::experiments
