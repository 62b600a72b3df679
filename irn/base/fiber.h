// A function with a stack of its own, which may stop in the middle and be taken up again: text that is written for one thing at a time can
// so wait for an answer that is fetched for many at once.
// Does not run at the same time as whoever resumes it, nor start a thread; it may be resumed on another thread than before, and must
// then keep nothing that belongs to a thread across wait().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace irn {

class Fiber {
 public:
  using Body = std::function<void(Fiber& self)>;
  static constexpr std::size_t usual_stack = 256 * 1024;  // bytes; only what is touched takes memory

  // Throws std::bad_alloc if there is no memory for a stack. A page that cannot be touched lies below it.
  explicit Fiber(Body body, std::size_t stack_bytes = usual_stack);
  // A body that has not ended is unwound: the wait() in which it stands throws what the body must let pass.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body on until it waits or ends; whether it waits. Throws what the body throws, which ends it. Not for a body that has ended.
  bool resume();
  // Called by the body: back to whoever has resumed it, until it is resumed again.
  void wait();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace irn
