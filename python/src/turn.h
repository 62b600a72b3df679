// One caller at a time: what irn says of a network, a model or a training, kept for Python's threads. They wait for each other without
// holding the interpreter's lock.
//
// A child of a fork goes on with what nobody used at that moment. What another thread was in the middle of, it refuses: that thread is gone,
// and with it the rest of its work.
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
  std::atomic<int> users_ = 0;  // that have a turn, or wait for one
  std::atomic<std::uint64_t> forks_ = forks();
};

// Body() without the interpreter's lock, when it is our turn.
template <class Body>
decltype(auto) in_turn(Turn& turn, const Body& body) {
  const Unlocked free;
  const std::lock_guard held(turn);
  return body();
}

}  // namespace irn::python
