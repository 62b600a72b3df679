// Factors of I - J that a search for equilibria ends with, for whoever needs I - J next: the exact gradient does.
//
// They are there only where they lie in place: of a batch that fits one group of lanes, sample s in lane s, and of the samples whose
// last step was one of Newton's method. They belong to the iterate before the equilibrium, so that an answer found with them needs refining.
#pragma once

#include <cstddef>

namespace irn {

// Factors of fewer unknowns are made anew in less time than a gradient takes to be refined with old ones.
inline constexpr std::size_t least_kept = 17;

template <class T>
struct LaneFactors {
  const T* data = nullptr;  // [n][n][width], laid out as in irn/kernels/lu-inl.h
  std::size_t width = 0;    // lanes
  unsigned samples = 0;     // that have factors, as bits
};

}  // namespace irn
