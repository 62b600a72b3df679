// The interpreter's lock, given back and taken again.
//
// When the interpreter ends, Python (before 3.14) takes threads that ask for its lock down by unwinding their stacks, which no
// C++ code survives that has something to destroy without exceptions. A thread that comes back from irn then waits here for the end
// of the process instead. What is left of the danger, a thread that waits for the lock at that very moment, may leave through ~Unlocked.
#pragma once

#include <unistd.h>

#include <pybind11/pybind11.h>

namespace irn::python {

inline void wait_if_the_interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  const bool ends = Py_IsFinalizing() != 0;
#else
  const bool ends = _Py_IsFinalizing() != 0;
#endif
  while (ends) pause();
}

// Without the lock, for as long as it lives.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() noexcept(false) {
    wait_if_the_interpreter_ends();
    PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

// With it, on any thread: for functions of the caller's that irn calls.
class Locked {
 public:
  Locked() : state_((wait_if_the_interpreter_ends(), PyGILState_Ensure())) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace irn::python
