// A problem and the lane it is put into.
#pragma once

#include <cstddef>

namespace irn {

struct Placed {
  std::size_t lane = 0;
  std::size_t problem = 0;
};

}  // namespace irn
