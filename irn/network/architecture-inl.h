// Shared by the two halves of Architecture: its blocks (architecture.cpp) and its text
// (architecture_text.cpp).
#pragma once

#include "irn/network/architecture.h"

namespace irn {

// Whether these nodes are connected by a recurrence or as neighbours in the forward direction.
bool in_pattern(Recurrence recurrence, std::size_t from, std::size_t to);
std::string connection_text(std::size_t from, std::size_t to);  // "1:2"
// The operator fitted to the shapes of its two layers. Refuses one that does not fit, before anything is
// changed.
Operator placed(const Operator& op, const ImageShape& source, const ImageShape& target, const Block& block);
// Refuses images whose size cannot be counted.
std::size_t size_of_image(const ImageShape& shape, const std::string& what);

}  // namespace irn
