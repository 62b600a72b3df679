// Releases the interpreter's lock, and takes it again.
//
// When the interpreter ends, Python (before 3.14) kills threads that ask for its lock: pthread_exit unwinds
// their stacks, which fails in C++ code with a noexcept destructor or a handler that catches everything. Here
// such a thread waits for the end of the process instead.
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

// Runs body(), which may ask for the lock or run Python.
template <class Body>
decltype(auto) outlasting(const Body& body) {
  try {
    return body();
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
  }
}

// The end of the interpreter, announced by end_threads() while all threads still live. From then on, threads
// that return from irn or want to call Python wait for the end of the process. So nothing computes while the
// objects of the process are destroyed.
struct Ending {
  std::atomic<bool> begun = false;
  std::atomic<int> inside = 0;   // threads that are in irn without the lock
  std::thread::id thread = {};   // the thread that ends the interpreter; set before `begun`
  std::uint64_t born = forks();  // after a fork, the child does not wait for threads of its parent
  bool concerns_us() const { return begun && std::this_thread::get_id() != thread; }
};
inline Ending ending;

[[noreturn]] inline void leave() {
  --ending.inside;
  wait_for_the_end();
}

// Releases the lock for the lifetime of this object.
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

// Takes the lock on a thread that is Unlocked, to call functions of the caller.
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

// Called at the exit of the interpreter. Waits for the current part of each call, a fraction of a second
// (parts.h), but at most five seconds.
inline void end_threads() {
  ending.thread = std::this_thread::get_id();
  ending.begun = true;
  PyThreadState* const state = PyEval_SaveThread();
  for (int waits = 0; ending.born == forks() && ending.inside > 0 && waits < 500; ++waits) usleep(10'000);
  PyEval_RestoreThread(state);
}

}  // namespace irn::python
