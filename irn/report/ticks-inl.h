// Where an axis has ticks, and their labels.
//
//   linear       multiples of 1, 2 or 5 times a power of ten
//   logarithmic  decades with minor ticks at 2..9; 1-2-5 within few decades; linear steps within a fraction
//                of one
#pragma once

#include <string>
#include <vector>

#include "irn/report/figure.h"

namespace irn::report {

// "1.5×10^-3" is split into mantissa and exponent: the renderer raises the exponent.
struct TickLabel {
  std::string text;      // "0.25", "1.5×10", "10"; empty: the tick stays without label
  std::string exponent;  // "−3", mostly empty
};

struct Tick {
  double at = 0;
  TickLabel label = {};
};

struct Ticks {
  std::vector<Tick> major;
  std::vector<double> minor;
};

// About `most` labelled ticks at most, all inside the range. Needs low < high, both finite, and 0 < low if
// log.
Ticks ticks(const Axis& axis, Range range, int most);

// The smallest step of 1, 2 or 5 times a power of ten that makes at most `most` intervals.
double nice_step(double span, int most);

// Three to six significant digits, minus sign U+2212: for numbers in cells and above bars.
std::string short_number(double value);

}  // namespace irn::report
