// What the machine can do, measured in the run whose results are judged by it: the same clock, the same neighbours.
#pragma once

#include <cstddef>

namespace irn::bench {

// Single-precision multiply-adds a second of `threads` cores at once, in full vectors of the best instruction set and from
// registers: no program does better. The best of a few tries by the wall clock.
double multiply_adds_a_second(std::size_t threads);

// Bytes a second that `threads` cores read together from memory, out of an array far larger than the caches.
double bytes_a_second(std::size_t threads);

}  // namespace irn::bench
