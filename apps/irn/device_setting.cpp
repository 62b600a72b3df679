#include "apps/irn/device_setting.h"

#include "irn/base/error.h"
#include "irn/engine/devices.h"

namespace irn::app {

Device device_of(const std::string& text) {
  try {
    const Device device = from_text<Device>(text);
    check_device(device);
    return device;
  } catch (const Error& refusal) {
    throw Error(std::string("--device: ") + refusal.what());
  }
}

}  // namespace irn::app
