// How the numbers among the inputs are scaled, once an encoding has their means and deviations.
//   columns   each column to mean 0 and deviation 1: what fit_encoding does
//   common    one mean and one deviation for all: pixels that hardly ever light up are not blown up to the rest
//   none      as they are
#pragma once

#include <array>
#include <string_view>

#include "irn/data/encoding.h"

namespace irn {

enum class Scaling : unsigned char { columns, common, none };
inline constexpr std::array<std::string_view, 3> scaling_names = {"columns", "common", "none"};

void scale_inputs(Encoding& encoding, Scaling scaling);

// Whether the rows of a table are images: as its file says, or as read_table names their columns: pixel0, pixel1, ...
bool is_images(const Frame& frame);
// The same where `images` says of them "auto" (as above), "none", or a shape (Encoding::image).
bool is_images(const Frame& frame, std::string_view images);

}  // namespace irn
