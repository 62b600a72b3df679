#include "irn/base/device.h"

#include <charconv>

#include "irn/base/error.h"

namespace irn {

std::string to_text(Device device) {
  const std::string name(device_names[static_cast<std::size_t>(device.kind)]);
  return device.number == 0 ? name : name + ":" + std::to_string(device.number);
}

template <>
Device from_text<Device>(std::string_view text) {
  if (text == "cpu") return Device::cpu;
  Device device{Device::Kind::cuda};
  if (text == "cuda") return device;
  if (text.starts_with("cuda:")) {
    const char *first = text.data() + 5, *last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(first, last, device.number);
    if (failure == std::errc{} && end == last) return device;
  }
  throw Error("'" + std::string(text) + "' is no device; take cpu, cuda, or cuda:N for the N-th of several, counted from 0");
}

}  // namespace irn
