#include "irn/base/fork.h"

#include <atomic>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace irn {
namespace {

std::atomic<std::uint64_t> count = 0;

}  // namespace

std::uint64_t forks() {
#if __has_include(<pthread.h>)
  static const int counts = pthread_atfork(nullptr, nullptr, [] { ++count; });
  static_cast<void>(counts);
#endif
  return count;
}

}  // namespace irn
