// What a device can do: the peak that benchmarks compare with.
#pragma once

namespace irn::cuda {

struct DeviceLimits {
  double multiply_adds = 0;  // in a second, single precision, from registers
  double bytes = 0;          // in a second, read from the device's memory
};

// Implemented in the part for CUDA. Takes a fraction of a second and 1 GiB of the device's memory.
DeviceLimits measured_limits(unsigned device);

}  // namespace irn::cuda
