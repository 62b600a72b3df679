// The memory of a search on the host: vectors of lanes and lists of problems, handed out once. They live as
// long as the arena, so that a search allocates nothing. Searches in other places (threads of a device) use
// another memory with the same functions.
#pragma once

#include <cstddef>
#include <vector>

#include "irn/base/aligned.h"

namespace irn {

template <class V>
class Arena {
 public:
  V* vectors(std::size_t count, std::size_t n) {
    vectors_.emplace_back(count * n);
    return vectors_.back().data();
  }
  // Numbers of a state as a whole, not of its unknowns.
  V* scalars(std::size_t count) { return vectors(count, 1); }
  template <class Number>
  Number* numbers(std::size_t count) {
    numbers_.emplace_back(count * sizeof(Number));
    return reinterpret_cast<Number*>(numbers_.back().data());
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const AlignedBuffer<V>& vectors : vectors_) sum += vectors.size() * sizeof(V);
    for (const AlignedBuffer<std::byte>& numbers : numbers_) sum += numbers.size();
    return sum;
  }

 private:
  std::vector<AlignedBuffer<V>> vectors_;
  std::vector<AlignedBuffer<std::byte>> numbers_;
};

}  // namespace irn
