// Digits that the program draws: strokes along the lines of a digit, each image turned, sheared, scaled,
// moved and bent at random. They replace MNIST where its files are missing, and are easier.
#pragma once

#include "irn/data/sample_table.h"

namespace irn::experiments {

// Images first .. first + count - 1 of a seed, each a pure function of the seed and its number. 28 x 28, ten
// classes, one-hot.
SampleTable<float> drawn_digits(std::uint64_t seed, std::uint64_t first, std::uint64_t count);

}  // namespace irn::experiments
