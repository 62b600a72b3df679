// One caller at a time for a network, a model or a training, as irn requires of Python's threads. They wait
// for each other without the interpreter's lock.
//
// After a fork, the child can use objects that nobody used at that moment. It refuses one that another thread
// was using: that thread does not exist in the child, and its work is unfinished.
#pragma once

#include <atomic>
#include <mutex>

#include "irn/base/error.h"
#include "irn/base/fork.h"
#include "python/src/gil.h"

namespace irn::python {

class Turn {
 public:
  void lock() {
    if (forks_ != forks()) {
      if (users_ != 0)
        throw Error(
            "this object was in use by another thread when the process was forked; make or load it anew");
      forks_ = forks();
    }
    ++users_;
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    --users_;
  }

 private:
  std::mutex mutex_;
  std::atomic<int> users_ = 0;  // callers that have a turn, or wait for one
  std::atomic<std::uint64_t> forks_ = forks();
};

// Runs body() without the interpreter's lock, once it is our turn.
template <class Body>
decltype(auto) in_turn(Turn& turn, const Body& body) {
  const Unlocked free;
  const std::lock_guard held(turn);
  return body();
}

}  // namespace irn::python
