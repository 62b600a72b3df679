// irn doctor: what this build and this machine have, and a self-test that takes a fraction of a second.
// Changes nothing.
#include "apps/irn/doctor.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/json_text.h"
#include "apps/irn/self_test.h"
#include "apps/irn/settings.h"
#include "apps/irn/terminal.h"
#include "irn/base/version.h"
#include "irn/engine/devices.h"
#include "irn/kernels/build_facts.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  Settings settings;
  std::size_t threads = 0;
  std::string folder;
  bool json = false;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Instruction sets by their makers' names.
std::string set_name(const std::string& highway) {
  return highway == "AVX3" ? "AVX-512" : is_simd(highway) ? highway : "plain numbers";
}

Finding version_finding(const BuildFacts& build) {
  return {.name = "version",
          .text = fmt::format("irn {}, {}, {}", IRN_VERSION, build.compiler, build.processor),
          .facts = {{"irn", IRN_VERSION}, {"compiler", build.compiler}, {"processor", build.processor}}};
}

Finding instructions_finding(const BuildFacts& build) {
  std::vector<std::string> names;
  for (const std::string& set : build.compiled) names.push_back(set_name(set));
  Finding found{.name = "instructions",
                .text = fmt::format("{} in use; compiled for {}", set_name(build.in_use), joined(names)),
                .facts = {{"in_use", build.in_use}, {"compiled", build.compiled}}};
  if (!is_simd(build.in_use)) {
    found.health = Health::warning;
    found.advice = "this processor has none of the vectors that irn is compiled for: it works, but slowly";
  }
  return found;
}

Finding parts_finding(const BuildFacts& build) {
  const bool cuda = cuda_is_built();
  return {
      .name = "parts",
      .text = fmt::format("OpenBLAS: {}; CUDA: {}",
                          build.openblas ? "built in" : "not in this build (only wide gradients would gain)",
                          cuda ? "built in" : "not in this build"),
      .facts = {{"openblas", build.openblas}, {"cuda", cuda}}};
}

Finding test_finding(const SelfTest& test, const std::string& tested = "this build here") {
  Finding found{.name = test.name,
                .health = test.passed ? Health::ok : Health::failed,
                .text = test.found,
                .facts = {{"ran", test.ran}, {"passed", test.passed}}};
  if (!test.ran) {
    found.text = "could not run its self-test: " + test.found;
    found.advice = "nothing is known of its answers; put that right and try again";
  } else if (!test.passed) {
    found.advice = fmt::format("wrong answers: do not use {}; report it with this output", tested);
  }
  return found;
}

std::vector<Finding> examine(const Arguments& arguments) {
  const BuildFacts build = build_facts();
  std::vector<Finding> all = {version_finding(build), instructions_finding(build), parts_finding(build)};
  for (Finding& found : device_findings()) all.push_back(std::move(found));
  for (Finding& found : machine_findings(arguments.threads, arguments.folder))
    all.push_back(std::move(found));
  for (const SelfTest& test : self_tests(arguments.threads)) all.push_back(test_finding(test));
  for (const DeviceFinding& found : find_devices())
    if (found.usable && found.device != Device::cpu)
      all.push_back(test_finding(self_test_on(found.device), "--device " + to_text(found.device)));
  return all;
}

constexpr std::string_view health_names[] = {"ok", "warning", "failed"};
std::string_view name(Health health) { return health_names[static_cast<std::size_t>(health)]; }

std::string line(const Finding& found) {
  const std::string text = fmt::format("{:<8} {:<13} {}\n", name(found.health), found.name, found.text);
  return found.advice.empty() ? text : text + fmt::format("{:22} -> {}\n", "", found.advice);
}

Json to_json(const Finding& found) {
  Json json = {{"name", found.name}, {"health", name(found.health)}, {"text", found.text}};
  if (!found.advice.empty()) json["advice"] = found.advice;
  if (!found.facts.is_null()) json["facts"] = found.facts;
  return json;
}

int run(Arguments& arguments) {
  arguments.settings.resolve();
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Finding> all = examine(arguments);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto count = [&](Health health) {
    return std::count_if(all.begin(), all.end(), [&](const Finding& f) { return f.health == health; });
  };
  const auto failures = count(Health::failed), warnings = count(Health::warning);
  if (arguments.json) {
    Json json = {{"irn", IRN_VERSION}, {"ok", failures == 0}, {"warnings", warnings}, {"seconds", seconds}};
    for (const Finding& found : all) json["findings"].push_back(to_json(found));
    std::cout << json_text(json, 2);
  } else {
    for (const Finding& found : all) std::cout << line(found);
    std::cout << fmt::format("{}, in {:.2g} s\n",
                             failures > 0   ? fmt::format("{} failed", failures)
                             : warnings > 0 ? fmt::format("works; {} to look at", warnings)
                                            : "all is well",
                             seconds);
  }
  return failures > 0 ? failed : fine;
}

}  // namespace

std::vector<Finding> device_findings() {
  std::vector<Finding> all;
  for (const DeviceFinding& found : find_devices())
    all.push_back({.name = to_text(found.device), .text = found.text, .facts = {{"usable", found.usable}}});
  return all;
}

namespace {

const char* built_in(bool part) { return part ? "built in" : "not built in"; }

std::string usable_devices() {
  std::vector<std::string> names;
  for (const DeviceFinding& found : find_devices())
    if (found.usable) names.push_back(to_text(found.device));
  return joined(names);
}

}  // namespace

std::string version_text() {
  const BuildFacts build = build_facts();
  return fmt::format("irn {}\n{}, {}, {}; OpenBLAS {}; CUDA {}; devices: {}", IRN_VERSION, build.compiler,
                     build.processor, set_name(build.in_use), built_in(build.openblas),
                     built_in(cuda_is_built()), usable_devices());
}

Run add_doctor(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  arguments->settings
      .add("out", &arguments->folder, "Folder for results to check; by default the current one")
      .called("FOLDER")
      .add("threads", &arguments->threads, "Threads to use; 0: as many as the machine has")
      .add("json", &arguments->json, "Print the findings as JSON");
  arguments->settings.declare(app, "doctor",
                              "Check whether irn works here: the build, the machine, a few small networks",
                              "Examples:\n  irn doctor\n  irn doctor --json");
  return [arguments] { return run(*arguments); };
}

}  // namespace irn::app
