// The limits of the machine, measured in the run whose results they judge: with the same clock and the same
// load.
#pragma once

#include <cstddef>

namespace irn::bench {

// Single-precision multiply-adds a second of `threads` cores together, in full vectors of the best
// instruction set and from registers: no program does better. The best of a few tries, by wall time.
double multiply_adds_a_second(std::size_t threads);

// Bytes a second that `threads` cores together read from memory, out of an array far larger than the caches.
double bytes_a_second(std::size_t threads);

}  // namespace irn::bench
