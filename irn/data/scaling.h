// How numbers among the inputs are scaled once an encoding has their means and deviations.
//   columns   each column to mean 0 and deviation 1, as fit_encoding does
//   common    one mean and one deviation for all: pixels that are almost always dark are not amplified
//   none      not at all
#pragma once

#include <array>
#include <string_view>

#include "irn/data/encoding.h"

namespace irn {

enum class Scaling : unsigned char { columns, common, none };
inline constexpr std::array<std::string_view, 3> scaling_names = {"columns", "common", "none"};

void scale_inputs(Encoding& encoding, Scaling scaling);

// Whether the rows of a table are images: its file says so, or its columns are named as read_table names
// those of images: pixel0, pixel1, ...
bool is_images(const Frame& frame);
// The same if `images` is "auto"; false for "none", true for a shape (Encoding::image).
bool is_images(const Frame& frame, std::string_view images);

}  // namespace irn
