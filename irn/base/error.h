// The caller's mistake: what is wrong, where, and what to do about it, in words for the person who made it.
// Numerical outcomes are not errors (they are values to look at), and neither are bugs in irn (they are
// assertions).
#pragma once

#include <stdexcept>

namespace irn {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace irn
