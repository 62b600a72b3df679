// The option --device, as every command that computes has it.
#pragma once

#include <string>

#include "irn/base/device.h"

namespace irn::app {

inline constexpr const char* device_help =
    "Device to compute on: cpu, cuda, or cuda:N for one of several; between devices, answers agree to the "
    "tolerance, not to the bit";

// irn::Error, in one line, if the text is no device or this machine cannot use it. Never another device instead.
Device device_of(const std::string& text);

}  // namespace irn::app
