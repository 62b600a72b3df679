// The networks that the convolution study compares: two layers of filters, 5 x 5 and 3 x 3 with stride 2, a
// dense read-out, and one pattern of recurrent connections. They have equal numbers of parameters, as nearly
// as whole channels allow.
#pragma once

#include <string_view>
#include <vector>

#include "irn/network/architecture.h"

namespace irn::experiments {

struct Pattern {
  std::string_view name, label;  // for keys; for tables and figures
  std::string_view blocks;       // appended to the architecture's layers
  std::string_view about;        // a description for the report
  bool recurrent() const { return !blocks.empty(); }
};

// The one list of patterns. The first has no recurrence.
const std::vector<Pattern>& patterns();
const Pattern& pattern(std::string_view name);

// The pattern with about as many parameters as the first pattern with `channels` channels in its first layer.
// The second layer has twice as many channels as the first, give or take one.
Architecture sized(const Pattern& pattern, std::size_t channels);

}  // namespace irn::experiments
