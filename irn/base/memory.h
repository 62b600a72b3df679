// For allocations of sizes that users choose:
//   within_memory([&] { states.resize(allocatable(count, neurons)); }, [&] { return "the states of ..."; });
// If the memory is not available, this throws irn::MemoryError with one line that says what was asked for.
// It does not guess how much memory there is; it tries. Other exceptions, also those of the caller's
// functions, pass.
#pragma once

#include <cstddef>
#include <new>
#include <string>

#include "irn/base/error.h"

namespace irn {

// A refusal by the machine: with more memory the same request would succeed.
class MemoryError : public Error {
 public:
  using Error::Error;
};

// Returns a * b. Throws std::bad_alloc if no memory can hold as many values, so that the product cannot wrap
// around.
inline std::size_t allocatable(std::size_t a, std::size_t b = 1) {
  constexpr std::size_t most = std::size_t{1} << 45;  // floats in the 2^47 bytes that a process can address
  if (b != 0 && a > most / b) throw std::bad_array_new_length();
  return a * b;
}

// Returns body(). `what()` returns what takes the memory, in words; it is called only if there is not enough.
template <class Body, class What>
decltype(auto) within_memory(const Body& body, const What& what) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw MemoryError("not enough memory for " + std::string(what()) + "; ask for less");
  }
}

}  // namespace irn
