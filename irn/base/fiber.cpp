// A stack is first entered by POSIX contexts. After that swapcontext() would work, but it asks the kernel for
// the signal mask at every switch, which takes ten times as long as the rest. So later switches are jumps, as
// in QEMU's coroutines.
#undef _FORTIFY_SOURCE  // its longjmp() refuses to jump to another stack
#include "irn/base/fiber.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cassert>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

// Sanitizers track every stack and must be told of each switch.
#if defined(__SANITIZE_ADDRESS__)
#define IRN_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define IRN_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IRN_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define IRN_THREAD_SANITIZER
#endif
#endif
#ifdef IRN_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef IRN_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace irn {
namespace {

struct Unwind {};  // thrown by wait() in a fiber that is destroyed

class Stack {
 public:
  explicit Stack(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (bytes + page_ - 1) / page_ * page_ + page_;
    memory_ =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(memory_, page_, PROT_NONE) != 0) {
      munmap(memory_, size_);
      throw std::bad_alloc();
    }
  }
  ~Stack() { munmap(memory_, size_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  void* bottom() const { return static_cast<char*>(memory_) + page_; }
  std::size_t size() const { return size_ - page_; }

 private:
  std::size_t page_, size_ = 0;
  void* memory_ = nullptr;
};

// One side of a switch, with the sanitizers' data.
struct Side {
  ucontext_t context{};
  bool left = false;  // `place` is set and can be jumped to
  jmp_buf place;
#ifdef IRN_ADDRESS_SANITIZER
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
#endif
#ifdef IRN_THREAD_SANITIZER
  void* fiber = nullptr;
#endif
};

// Returns when `to` has switched back to `from`; never if `from` ends.
void switch_sides(Side& from, Side& to, [[maybe_unused]] bool ends) {
#ifdef IRN_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(ends ? nullptr : &from.fake_stack, to.bottom, to.size);
#endif
#ifdef IRN_THREAD_SANITIZER
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
#if defined(IRN_ADDRESS_SANITIZER) || defined(IRN_THREAD_SANITIZER)
  swapcontext(&from.context, &to.context);  // sanitizers treat jumps differently
#else
  from.left = true;
  if (_setjmp(from.place) == 0) {
    if (to.left) _longjmp(to.place, 1);
    setcontext(&to.context);
  }
#endif
#ifdef IRN_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(from.fake_stack, &to.bottom, &to.size);
#endif
}

}  // namespace

struct Fiber::Context {
  Context(Fiber& f, Body b, std::size_t stack_bytes) : fiber(f), body(std::move(b)), stack(stack_bytes) {
#ifdef IRN_ADDRESS_SANITIZER
    inside.bottom = stack.bottom(), inside.size = stack.size();
#endif
#ifdef IRN_THREAD_SANITIZER
    inside.fiber = __tsan_create_fiber(0);
#endif
  }
  ~Context() {
#ifdef IRN_THREAD_SANITIZER
    __tsan_destroy_fiber(inside.fiber);
#endif
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Called on the thread that runs the body first, as a context contains the rounding mode.
  void prepare() {
    getcontext(&inside.context);
    inside.context.uc_stack.ss_sp = stack.bottom();
    inside.context.uc_stack.ss_size = stack.size();
    const auto address = std::uint64_t{reinterpret_cast<std::uintptr_t>(this)};
    makecontext(&inside.context, reinterpret_cast<void (*)()>(&Context::begin), 2,
                static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
    begun = true;
  }
  void enter() {
#ifdef IRN_THREAD_SANITIZER
    outside.fiber = __tsan_get_current_fiber();
#endif
    switch_sides(outside, inside, false);
  }
  void leave() { switch_sides(inside, outside, ended); }

  // makecontext passes numbers of 32 bits.
  static void begin(unsigned high, unsigned low) {
    const std::uint64_t address = std::uint64_t{high} << 32 | low;
    reinterpret_cast<Context*>(static_cast<std::uintptr_t>(address))->run();
  }
  void run() {
#ifdef IRN_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &outside.bottom, &outside.size);
#endif
    try {
      body(fiber);
    } catch (const Unwind&) {
    } catch (...) {
      error = std::current_exception();
    }
    ended = true;
    leave();
  }

  Fiber& fiber;
  Body body;
  Stack stack;
  Side inside, outside;
  std::exception_ptr error;
  bool begun = false, ended = false, unwinding = false;
};

Fiber::Fiber(Body body, std::size_t stack_bytes)
    : context_(std::make_unique<Context>(*this, std::move(body), stack_bytes)) {}

Fiber::~Fiber() {
  if (!context_->begun || context_->ended) return;
  context_->unwinding = true;
  context_->enter();
}

bool Fiber::resume() {
  assert(!context_->ended);
  if (!context_->begun) context_->prepare();
  context_->enter();
  if (context_->error) std::rethrow_exception(std::exchange(context_->error, nullptr));
  return !context_->ended;
}

void Fiber::wait() {
  context_->leave();
  if (context_->unwinding) throw Unwind{};
}

}  // namespace irn
