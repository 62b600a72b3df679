// The interpreter's lock, given back and taken again.
//
// When the interpreter ends, Python (before 3.14) takes down threads that ask for its lock: pthread_exit unwinds their stacks, which no C++
// code survives that has something to destroy without exceptions, or catches all of them. Such a thread waits here for the end of the
// process instead.
#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <pybind11/pybind11.h>

#include "irn/base/fork.h"

namespace irn::python {

[[noreturn]] inline void wait_for_the_end() {
  for (;;) pause();
}

// body(), which may ask for the lock or run Python.
template <class Body>
decltype(auto) outlasting(const Body& body) {
  try {
    return body();
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

// The end of the interpreter, said by end_threads() while all threads still live: from then on those that come back from irn, or want to call
// Python, wait for the end of the process. Nothing computes while what the process owns is destroyed.
struct Ending {
  std::atomic<bool> begun = false;
  std::atomic<int> inside = 0;   // threads that are in irn without the lock
  std::thread::id thread = {};   // that ends the interpreter; set before `begun`
  std::uint64_t born = forks();  // a child of a fork waits for no thread of its parent's
  bool concerns_us() const { return begun && std::this_thread::get_id() != thread; }
};
inline Ending ending;

[[noreturn]] inline void leave() {
  --ending.inside;
  wait_for_the_end();
}

// Without the lock, for as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {
    ++ending.inside;
    if (ending.concerns_us()) leave();
  }
  ~Unlocked() {
    if (ending.concerns_us()) leave();
    --ending.inside;
    outlasting([&] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// With it, on a thread that is Unlocked: for functions of the caller's that irn calls.
class Locked {
 public:
  Locked() {
    if (ending.concerns_us()) leave();
    --ending.inside;
    state_ = outlasting([] { return PyGILState_Ensure(); });
  }
  ~Locked() {
    PyGILState_Release(state_);
    ++ending.inside;
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

// Called at the exit of the interpreter. A part of a call takes a fraction of a second (parts.h); who takes longer is not waited for.
inline void end_threads() {
  ending.thread = std::this_thread::get_id();
  ending.begun = true;
  PyThreadState* const state = PyEval_SaveThread();
  for (int waits = 0; ending.born == forks() && ending.inside > 0 && waits < 500; ++waits) usleep(10'000);
  PyEval_RestoreThread(state);
}

}  // namespace irn::python
