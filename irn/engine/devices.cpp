#include "irn/engine/devices.h"

#include "irn/base/error.h"
#include "irn/engine/cuda/load_module.h"

namespace irn {
namespace {

constexpr unsigned as_number(std::size_t n) { return static_cast<unsigned>(n); }

DeviceFinding finding(unsigned number, const cuda::DeviceFacts& facts, const std::string& driver) {
  const std::string what = facts.name + ", " + std::to_string(facts.memory >> 30) + " GiB, " +
                           std::to_string(facts.processors) + " multiprocessors, sm_" +
                           std::to_string(facts.major) + std::to_string(facts.minor) + ", driver " + driver;
  return {{Device::Kind::cuda, number},
          facts.trouble.empty(),
          facts.trouble.empty() ? what : what + ": " + facts.trouble};
}

std::vector<DeviceFinding> cuda_devices() {
  const cuda::LoadedModule& loaded = cuda::loaded_module();
  const auto none = [](const std::string& why) {
    return std::vector<DeviceFinding>{{{Device::Kind::cuda}, false, why}};
  };
  if (!loaded.module) return none(loaded.trouble);
  const cuda::MachineFacts machine = loaded.module->machine();
  if (machine.devices.empty()) return none(machine.trouble);
  std::vector<DeviceFinding> all;
  for (const cuda::DeviceFacts& facts : machine.devices)
    all.push_back(finding(as_number(all.size()), facts, machine.driver));
  return all;
}

}  // namespace

std::vector<DeviceFinding> find_devices() {
  std::vector<DeviceFinding> all = {{Device::cpu, true, "in this build"}};
  for (DeviceFinding& found : cuda_devices()) all.push_back(std::move(found));
  return all;
}

bool cuda_is_built() { return cuda::loaded_module().built; }

void check_device(Device device) {
  if (device.kind == Device::Kind::cpu) return;
  const std::vector<DeviceFinding> all = cuda_devices();
  for (const DeviceFinding& found : all) {
    if (!found.usable && all.size() == 1)
      throw Error("device " + to_text(device) + " cannot be used: " + found.text);
    if (found.device != device) continue;
    if (found.usable) return;
    throw Error("device " + to_text(device) + " cannot be used: " + found.text);
  }
  throw Error("there is no device " + to_text(device) + ": this machine has " + std::to_string(all.size()) +
              (all.size() == 1 ? " CUDA device" : " CUDA devices") + ", counted from 0");
}

}  // namespace irn
