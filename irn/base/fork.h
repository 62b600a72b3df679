// Forks of this process. A child has the memory of its parent and none of its threads: who waits for one of them waits for ever.
#pragma once

#include <cstdint>

namespace irn {

// How many forks lie between the first call of this function in an ancestor and this process. What was made at another count belongs to
// the parent.
std::uint64_t forks();

}  // namespace irn
