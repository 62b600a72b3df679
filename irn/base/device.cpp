#include "irn/base/device.h"

#include <algorithm>

#include "irn/base/error.h"
#include "irn/base/text.h"

namespace irn {

std::string to_text(Device device) { return std::string(device_names[static_cast<std::size_t>(device)]); }

template <>
Device from_text<Device>(std::string_view text) {
  const auto found = std::find(device_names.begin(), device_names.end(), text);
  if (found == device_names.end())
    throw Error("this build has no device '" + std::string(text) + "'; it has " + join(device_names));
  return static_cast<Device>(found - device_names.begin());
}

}  // namespace irn
