// irn's side of bench/compare.
//   irn_jobs serve          a request for each line of standard input, a reply for each on standard output,
//                           both JSON:
//     {"do": "hello"}                                 names and versions
//     {"do": "prepare", "spec": {...}, "file": F}     makes the job, writes it as NPZ if a file is named,
//                                                     describes it
//     {"do": "run", "inner": K}                       seconds of each of K runs
//     {"do": "answer", "file": F}                     the answer as NPZ
//     {"do": "model", "spec": {...}, "file": F}       the network as a model file
//     {"do": "machine", "threads": T, "device": D}    the limits of T cores, or of a device
//     {"do": "quit"}
//   irn_jobs memory SPEC    does one job and prints the peak memory of the process in bytes, before and after
//   irn_jobs page JSON HTML   renders results
#include <cstdio>
#include <fstream>
#include <iostream>

#include "bench/compare/irn_jobs/job.h"
#include "bench/compare/irn_jobs/page.h"
#include "bench/machine.h"
#include "irn/base/error.h"
#include "irn/base/version.h"
#include "irn/engine/cuda/load_module.h"
#include "irn/engine/devices.h"

namespace irn::bench {
namespace {

std::unique_ptr<Job> current;

Job& job() {
  if (!current) throw Error("no job was prepared");
  return *current;
}

Json prepare(const Json& request) {
  current.reset();  // frees its memory first
  current = make_job(spec_from(request.at("spec")));
  if (const std::string file = request.value("file", std::string()); !file.empty()) {
    Npz out(file);
    current->hand_over(out);
    out.close();
  }
  return current->describe();
}

Json run_some(const Json& request) {
  Json seconds = Json::array();
  for (std::size_t k = 0; k < request.value("inner", std::size_t{1}); ++k) seconds.push_back(job().run());
  return {{"seconds", seconds}};
}

Json write_answer(const Json& request) {
  Npz out(request.at("file").get<std::string>());
  Json reply = job().answer(out);
  out.close();
  return reply;
}

Json limits_of(Device device, std::size_t threads) {
  if (device == Device::cpu)
    return {{"multiply_adds", multiply_adds_a_second(threads)}, {"bytes", bytes_a_second(threads)}};
  check_device(device);
  const cuda::Module& module = *cuda::loaded_module().module;
  const cuda::DeviceLimits limits = module.limits(device.number);
  return {{"multiply_adds", limits.multiply_adds},
          {"bytes", limits.bytes},
          {"name", module.machine().devices[device.number].name}};
}

Json reply_to(const Json& request) {
  const std::string what = request.at("do");
  if (what == "hello") return {{"name", "irn"}, {"version", IRN_VERSION}};
  if (what == "prepare") return prepare(request);
  if (what == "run") return run_some(request);
  if (what == "answer") return write_answer(request);
  if (what == "model") {
    write_model_of(spec_from(request.at("spec")), request.at("file"));
    return Json::object();
  }
  if (what == "machine") {
    const auto device = from_text<Device>(request.value("device", std::string("cpu")));
    return limits_of(device, request.at("threads"));
  }
  throw Error("unknown request '" + what + "'");
}

int serve() {
  for (std::string line; std::getline(std::cin, line);) {
    Json reply;
    try {
      const Json request = Json::parse(line);
      if (request.at("do") == "quit") break;
      reply = reply_to(request);
      reply["ok"] = true;
    } catch (const std::exception& error) {
      reply = {{"ok", false}, {"reason", error.what()}};
    }
    std::cout << reply.dump() << std::endl;
  }
  return 0;
}

// Of this program alone: getrusage() includes the peak of the process that started it.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  throw Error("/proc/self/status has no VmHWM");
}

int memory(const std::string& text) {
  const Spec spec = spec_from(Json::parse(text));
  const std::unique_ptr<Job> made = make_job(spec);
  const double before = peak_bytes();
  made->run();
  std::cout << Json{{"before", before}, {"after", peak_bytes()}}.dump() << "\n";
  return 0;
}

int main(const std::vector<std::string>& arguments) {
  if (arguments == std::vector<std::string>{"serve"}) return serve();
  if (arguments.size() == 2 && arguments[0] == "memory") return memory(arguments[1]);
  if (arguments.size() == 3 && arguments[0] == "page") return write_page(arguments[1], arguments[2]);
  std::cerr << "usage: irn_jobs serve | memory SPEC | page RESULTS.json PAGE.html\n";
  return 2;
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) try {
  return irn::bench::main({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::fprintf(stderr, "irn_jobs: %s\n", error.what());
  return 1;
}
