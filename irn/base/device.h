// Where things are computed. A new device is one word here and an engine (irn/engine/engine.h).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "irn/base/text_form.h"

namespace irn {

enum class Device : unsigned char { cpu };
inline constexpr std::array<std::string_view, 1> device_names = {"cpu"};

std::string to_text(Device device);
// irn::Error for a device that this build does not have.
template <>
Device from_text<Device>(std::string_view text);

}  // namespace irn
