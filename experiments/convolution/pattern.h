// The networks that the convolution study compares: two layers of filters, 5 x 5 and 3 x 3 with stride 2, a dense read-out, and recurrent
// connections of one pattern. They have the same number of parameters, as near as channels allow.
#pragma once

#include <string_view>
#include <vector>

#include "irn/network/architecture.h"

namespace irn::experiments {

struct Pattern {
  std::string_view name, label;  // of keys; of tables and figures
  std::string_view blocks;       // behind the architecture's layers
  std::string_view about;        // in words, for the report
  bool recurrent() const { return !blocks.empty(); }
};

// The one list. The first has no recurrence.
const std::vector<Pattern>& patterns();
const Pattern& pattern(std::string_view name);

// The pattern with about as many parameters as the first one has with so many channels in its first layer. The second layer has twice as
// many channels as the first, or one more or less.
Architecture sized(const Pattern& pattern, std::size_t channels);

}  // namespace irn::experiments
