// The option --device of every command that computes.
#pragma once

#include <string>

#include "irn/base/device.h"

namespace irn::app {

inline constexpr const char* device_help =
    "Device to compute on: cpu, cuda, or cuda:N for one of several; between devices, answers agree to the "
    "tolerance, not to the bit";

// irn::Error, in one line, if the text is no device or this machine cannot use it. Never falls back to
// another device.
Device device_of(const std::string& text);

}  // namespace irn::app
