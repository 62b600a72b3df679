// Operators new that count, for a test program that shows that something allocates nothing. They replace those of the
// whole program: include this in one file of it only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace irn {

inline std::atomic<std::size_t> allocations{0};

inline void* counted(void* p) {
  ++allocations;
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace irn

void* operator new(std::size_t size) { return irn::counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const std::size_t a = static_cast<std::size_t>(alignment);
  return irn::counted(std::aligned_alloc(a, (size + a - 1) / a * a + (size == 0 ? a : 0)));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
