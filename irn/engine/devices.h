// Which devices this build and this machine have.
#pragma once

#include <string>
#include <vector>

#include "irn/base/device.h"

namespace irn {

// A report on one device.
struct DeviceFinding {
  Device device;
  bool usable = false;
  std::string text;  // what it is, or why it cannot be used
};

// The processor, and every CUDA device, or one finding that says why there is none.
std::vector<DeviceFinding> find_devices();

// Whether this build has the part for CUDA devices, whatever the machine has.
bool cuda_is_built();

// Throws irn::Error, in one line, if this device cannot be used: not in this build, no driver, no such
// device, too old.
void check_device(Device device);

}  // namespace irn
