// What irn doctor finds out about the machine: cores, memory, the folder for results. Containers may allow
// less than the machine has; the limits of control groups (version 2, and 1 for memory) are read.
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>

#include "apps/irn/doctor.h"
#include "irn/base/file.h"
#include "irn/base/threads.h"

namespace irn::app {
namespace {

namespace fs = std::filesystem;

constexpr double giga = 1e9;

// The words of a file of /proc or /sys; none if there is no such file.
std::vector<std::string> words_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

// Bytes of the line "MemTotal: 123 kB".
double memory_line(const std::string& name) {
  const std::vector<std::string> words = words_of("/proc/meminfo");
  for (std::size_t k = 0; k + 1 < words.size(); ++k)
    if (words[k] == name + ":") return 1024 * number(words[k + 1]);
  return 0;
}

// Cores' worth of time that a container may use; 0: no limit.
double allowed_cores() {
  const std::vector<std::string> limit =
      words_of("/sys/fs/cgroup/cpu.max");  // "200000 100000", or "max 100000"
  return limit.size() == 2 && limit[0] != "max" ? number(limit[0]) / number(limit[1]) : 0;
}

double allowed_memory() {
  for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (const auto words = words_of(path); words.size() == 1 && words[0] != "max") return number(words[0]);
  return 0;
}

Finding cores(std::size_t threads) {
  const std::size_t there = std::max(1u, std::thread::hardware_concurrency()),
                    used = ThreadPool(threads).size();
  const double allowed = allowed_cores();
  Finding found{.name = "cores",
                .text = fmt::format("{}, of which {} will be used (--threads)", there, used),
                .facts = {{"cores", there}, {"threads", used}}};
  if (allowed > 0) {
    found.text += fmt::format("; the container allows the time of {:.3g}", allowed);
    found.facts["allowed"] = allowed;
  }
  const std::size_t best = allowed > 0 ? std::min(there, std::size_t(std::max(1.0, allowed))) : there;
  if (used > best) {
    found.health = Health::warning;
    found.advice = fmt::format(
        "more threads than cores wait for each other: use --threads {} (or IRN_THREADS={})", best, best);
  }
  return found;
}

Finding memory() {
  const double total = memory_line("MemTotal"), allowed = allowed_memory();
  double free = memory_line("MemAvailable");
  Finding found{.name = "memory"};
  if (total == 0) {
    found.text = "/proc/meminfo is not there to tell";
    return found;
  }
  if (allowed > 0 && allowed < total) free = std::min(free, allowed);
  found.text = fmt::format("{:.3g} GB, {:.3g} GB of it free", total / giga, free / giga);
  found.facts = {{"bytes", std::uint64_t(total)}, {"free_bytes", std::uint64_t(free)}};
  if (allowed > 0 && allowed < total) {
    found.text += fmt::format("; the container allows {:.3g} GB", allowed / giga);
    found.facts["allowed_bytes"] = std::uint64_t(allowed);
  }
  // A million rows of ten columns are 80 MB, and a training on them needs as much again.
  if (free < 0.2 * giga) {
    found.health = Health::warning;
    found.advice = "close other programs, or use small tables and --precision float32";
  }
  return found;
}

Finding folder_finding(const std::string& name) {
  const fs::path folder = name.empty() ? fs::path(".") : fs::path(name);
  std::error_code error;
  const fs::path whole = fs::absolute(folder, error);
  Finding found{.name = "folder",
                .facts = {{"folder", whole.lexically_normal().string()}, {"writable", true}}};
  const fs::path trial = folder / fmt::format(".irn-doctor-{}", ::getpid());
  try {
    write_file_atomically(trial, "irn doctor\n");
    fs::remove(trial, error);
  } catch (const Error& failure) {
    found.health = Health::failed;
    found.text = failure.what();
    found.advice = "go to a folder of your own, or name one with --out";
    found.facts["writable"] = false;
    return found;
  }
  const double free = double(fs::space(folder, error).available);
  found.text = fmt::format("{} takes files; {:.3g} GB free", whole.lexically_normal().string(), free / giga);
  found.facts["free_bytes"] = std::uint64_t(free);
  if (!error && free < 0.1 * giga) {
    found.health = Health::warning;
    found.advice = "a training keeps checkpoints: make room, or name another place with --out";
  }
  return found;
}

}  // namespace

std::vector<Finding> machine_findings(std::size_t threads, const std::string& folder) {
  return {cores(threads), memory(), folder_finding(folder)};
}

}  // namespace irn::app
