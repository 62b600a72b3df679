// Numbers for people to read. For text to be read back see write_value (options_text.h).
#pragma once

#include <cstdint>
#include <string>

namespace irn {

std::string fixed_text(double value, int decimals);  // as printf's %.*f
std::string short_text(double value, int digits);    // as printf's %.*g
std::string hex_text(std::uint32_t value, std::size_t digits);

// The fewest digits that read back as the same number, with an exponent only below 1e-4 and from 1e16 on:
// 0.0001, 1e-05, 2500000. Class names in model files are written in this way.
std::string plain_text(double value);
std::string plain_text(float value);

// The fewest digits that read back as a number at most `off` away, in the form of plain_text:
// "1700000012345.68" for 1700000012345.678 within 0.01.
std::string text_within(double value, double off);

}  // namespace irn
