// Networks for images in a few words: convolutions, dense layers, outputs, and how they are connected back.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "irn/data/image.h"
#include "irn/network/architecture.h"

namespace irn {

// `convolutions` are layers as in an architecture's text, separated by commas or '-': "32k5s2,64k3,pool2";
// "none" and "" mean none. A layer may name its activation; otherwise it has `activation`. Then come dense
// `layers` and unbounded outputs, which have no connections among themselves. `recurrence` is none, lateral,
// feedback or full. It may be followed by an operator for the lateral blocks between images; the default is
// conv3.
//   lateral    connects the last layer of filters and every dense layer to themselves. A position in that
//              layer of filters sees most of the image, and the products of that layer cost least
//   feedback   connects every layer of filters to the one before it, by the transpose of the way forward, and
//              every dense layer to the dense one before it
Architecture image_architecture(const ImageShape& image, std::string_view convolutions,
                                std::span<const std::size_t> layers, std::string_view activation,
                                std::size_t outputs, std::string_view recurrence);

// Whether some block is a convolution, or the transpose of one. Networks of images with such blocks are
// trained like those of image_architecture().
bool has_convolutions(const Architecture& architecture);

// The architecture that `text` names. Throws irn::Error unless it fits samples with these numbers of inputs
// and outputs, which may be images.
Architecture given_architecture(std::string_view text, std::size_t inputs, std::size_t outputs,
                                const ImageShape& image);

}  // namespace irn
