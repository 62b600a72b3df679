// A device that computes. A new kind of device needs one word here and an engine (irn/engine/engine.h).
// Whether this machine has the device, and this build an engine for it, is checked when it is used
// (irn/engine/devices.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "irn/base/text_form.h"

namespace irn {

struct Device {
  enum class Kind : unsigned char { cpu, cuda };
  Kind kind = Kind::cpu;
  unsigned number = 0;  // of several of one kind

  static const Device cpu;
  friend bool operator==(const Device&, const Device&) = default;
};
inline constexpr Device Device::cpu{};
inline constexpr std::array<std::string_view, 2> device_names = {"cpu", "cuda"};

// cpu, cuda (the first), cuda:N
std::string to_text(Device device);
// irn::Error for any other text.
template <>
Device from_text<Device>(std::string_view text);

}  // namespace irn
