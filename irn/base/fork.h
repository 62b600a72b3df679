// Forks of this process. A child has its parent's memory but none of its threads: it must not wait for them.
#pragma once

#include <cstdint>

namespace irn {

// The number of forks between the first call of this function, maybe in an ancestor, and this process.
// Objects made at another count belong to the parent.
std::uint64_t forks();

}  // namespace irn
