// A network for images in short: convolutions, dense layers, outputs, and how they are connected back.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "irn/data/image.h"
#include "irn/network/architecture.h"

namespace irn {

// `convolutions` are layers as an architecture has them, separated by commas or '-': "32k5s2,64k3,pool2". An activation may follow one; else it is
// `activation`. Then come dense `layers` and the outputs, of any range. `recurrence`: none, lateral, feedback or full, with an operator
// for the lateral blocks between images behind it, conv3 if there is none:
//   lateral    the last layer of filters, whose places see most of the image and whose products cost least, and every dense one, to itself
//   feedback   every layer of filters to the one before it, by the transpose of the way it came; dense layers likewise, each to the dense one before it
// Outputs do not feed themselves. "none" and "" are no convolutions.
Architecture image_architecture(const ImageShape& image, std::string_view convolutions,
                                std::span<const std::size_t> layers, std::string_view activation,
                                std::size_t outputs, std::string_view recurrence);

// Whether some block is a convolution, or the transpose of one. Such networks of images are trained as those of image_architecture() are.
bool has_convolutions(const Architecture& architecture);

// An architecture as it was given, for samples of so many inputs and outputs, which may be images: irn::Error if it does not fit them.
Architecture given_architecture(std::string_view text, std::size_t inputs, std::size_t outputs,
                                const ImageShape& image);

}  // namespace irn
