// A network's text form in words.
#pragma once

#include <string>
#include <vector>

#include "irn/network/architecture.h"

namespace irn::app {

// "input", "layer 1".
std::string node_words(std::size_t node);
// forward, skip, lateral or feedback.
std::string_view kind(const Block& block);

// "64", or "32x14x14 = 6272" of an image.
std::string size_words(const Layer& layer);

// A sentence for the inputs and for each layer: its neurons, its activation, where its connections come from.
std::vector<std::string> network_words(const Architecture& architecture);

}  // namespace irn::app
