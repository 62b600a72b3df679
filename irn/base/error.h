// The caller's mistake: what is wrong, where, and what to do about it, in words meant for the person who made
// it. Not for numerical outcomes (those are values to look at) and not for bugs of ours (those are
// assertions).
#pragma once

#include <stdexcept>

namespace irn {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace irn
