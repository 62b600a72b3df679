// What this build and this machine have, and whether irn works on them: one line for each check.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace irn::app {

enum class Health { ok, warning, failed };

struct Finding {
  std::string name;
  Health health = Health::ok;
  std::string text;
  std::string advice = {};            // what to do, unless all is well
  nlohmann::ordered_json facts = {};  // the same for a program
};

// A finding for each device that can compute networks, those missing from this build included.
std::vector<Finding> device_findings();
// Cores, memory and the folder for results.
std::vector<Finding> machine_findings(std::size_t threads, const std::string& folder);

// irn --version: the version, and on a second line how it was built.
std::string version_text();

}  // namespace irn::app
