// Which colour, dash, marker and hatch a series has.
//
// The colours are those of Okabe and Ito (2008), which can be told apart with every common colour blindness;
// dash, marker and hatch repeat the distinction for black-and-white print. Their yellow comes last: as a line
// it is too pale.
#pragma once

#include <string>
#include <string_view>

#include "irn/report/svg-inl.h"

namespace irn::report {

struct Look {
  int colour = 0, dash = 0;
};

Look look_of(const Panel& panel, std::size_t index);

std::string_view colour_of(Look look);
std::string_view dash_of(Look look);
std::string marker_path(Look look, Point centre, double radius);

// Hatches must be defined once in each figure; the first look is plain.
std::string hatch_definitions(std::string_view prefix);
std::string hatch_of(Look look, std::string_view prefix);  // "url(#...)", empty: plain

// From white to dark blue in even steps of lightness, for a share in [0, 1].
std::string shade(double share);
bool is_dark(double share);

}  // namespace irn::report
