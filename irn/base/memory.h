// Sizes that a caller asks for, and memory that is not there.
//   within_memory([&] { states.resize(allocatable(count, neurons)); }, [&] { return "the states of ..."; });
// ends in irn::MemoryError, one line with what was asked for, where there is not so much memory.
// Does not guess how much there is: it asks for it. Does not touch other exceptions, those of a caller's function among them.
#pragma once

#include <cstddef>
#include <new>
#include <string>

#include "irn/base/error.h"

namespace irn {

// The machine's refusal: with more memory the same would be no mistake.
class MemoryError : public Error {
 public:
  using Error::Error;
};

// a * b values; std::bad_alloc if no memory can hold as many, where the product may have wrapped around.
inline std::size_t allocatable(std::size_t a, std::size_t b = 1) {
  constexpr std::size_t most = std::size_t{1} << 45;  // floats in the 2^47 bytes that a process can address
  if (b != 0 && a > most / b) throw std::bad_array_new_length();
  return a * b;
}

// body(). `what()` says in words what takes the memory; it is called only if there is none.
template <class Body, class What>
decltype(auto) within_memory(const Body& body, const What& what) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw MemoryError("not enough memory for " + std::string(what()) + "; ask for less");
  }
}

}  // namespace irn
