// A function with its own stack, which may stop in the middle and be resumed: code written for one problem at
// a time can thus wait for an answer that is computed for many at once.
// A fiber starts no thread and does not run at the same time as the code that resumes it. It may be resumed
// on another thread than before; it must then keep nothing that belongs to a thread across wait().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace irn {

class Fiber {
 public:
  using Body = std::function<void(Fiber& self)>;
  static constexpr std::size_t usual_stack = 256 * 1024;  // bytes; only pages that are used take memory

  // Throws std::bad_alloc if there is no memory for a stack. Below the stack is a protected page.
  explicit Fiber(Body body, std::size_t stack_bytes = usual_stack);
  // A body that has not ended is unwound: its wait() throws an exception, which the body must let pass.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body until it waits or ends; returns whether it waits. Throws what the body throws, which ends
  // it. Must not be called after the body has ended.
  bool resume();
  // Called by the body: returns to the caller of resume() until resumed again.
  void wait();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace irn
