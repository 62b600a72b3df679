// Counting replacements of operator new, for a test program that shows that some code allocates nothing. They
// replace the operators of the whole program: include this in one file only. The thread sanitizer has its
// own, which cannot be replaced; with it nothing is counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace irn {

inline std::atomic<std::size_t> allocations{0};

#if defined(__SANITIZE_THREAD__)
#define IRN_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IRN_THREAD_SANITIZER
#endif
#endif
#ifdef IRN_THREAD_SANITIZER
inline constexpr bool allocations_are_counted = false;
#else
inline constexpr bool allocations_are_counted = true;
#endif

inline void* counted(void* p) {
  ++allocations;
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace irn

#ifndef IRN_THREAD_SANITIZER
// If malloc and free are inlined into callers, g++ takes them for mismatched pairs.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) { return irn::counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const std::size_t a = static_cast<std::size_t>(alignment);
  return irn::counted(std::aligned_alloc(a, (size + a - 1) / a * a + (size == 0 ? a : 0)));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
#pragma GCC diagnostic pop
#endif
