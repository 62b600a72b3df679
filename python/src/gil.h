// The interpreter's lock, given back and taken again.
//
// When the interpreter ends, Python (before 3.14) takes down threads that ask for its lock: pthread_exit unwinds their stacks, which no C++
// code survives that has something to destroy without exceptions, or catches all of them. Such a thread waits here for the end of the
// process instead.
#pragma once

#include <cxxabi.h>
#include <unistd.h>

#include <pybind11/pybind11.h>

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

// Without the lock, for as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    outlasting([&] { PyEval_RestoreThread(state_); });
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// With it, on any thread: for functions of the caller's that irn calls.
class Locked {
 public:
  Locked() : state_(outlasting([] { return PyGILState_Ensure(); })) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace irn::python
