// A pool of threads for many short jobs: one call hands out tasks 0, 1, 2, ... in order until none is left,
// and returns when all are done. A warm call costs a microsecond or two, so a training step can afford one.
// Results must not depend on the pool: tasks must not depend on which worker runs them, nor on the number of
// workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace irn {

class ThreadPool {
 public:
  // `threads` includes the calling thread, so that 1 starts no thread; 0 takes every hardware thread.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Calls body(task, worker) once for each task < count, with worker < size(). No two tasks of a call run at
  // once with the same worker number, so it can select scratch memory. The caller takes part as worker 0.
  //
  // If tasks throw, the exception of the lowest task reaches the caller: the one that a single thread would
  // have met. Later tasks may or may not have run. If called from within a task, all tasks run in place, with
  // the number of the worker that runs the outer task (0 if that belongs to another pool). Calls from several
  // threads take turns, except those that need no other thread (a single task, or a pool of one): these run
  // immediately in their callers.
  using Body = std::function<void(std::size_t task, std::size_t worker)>;
  void for_each(std::size_t count, const Body& body);

  // The same for any function object. It is called through a reference, so that no captures are allocated.
  template <class F>
  void for_each(std::size_t count, const F& body) {
    for_each(count, Body(std::cref(body)));
  }

  // Calls body(first, count) for consecutive ranges that make up 0 .. size - 1, each at least `least` long
  // unless there is only one. For work on single numbers: a few are not worth waking a thread.
  template <class F>
  void for_ranges(std::size_t size, std::size_t least, const F& body) {
    const std::size_t ranges = std::min(this->size(), size / std::max(least, std::size_t{1}));
    if (ranges <= 1) return body(std::size_t{0}, size);
    for_each(ranges, [&](std::size_t k, std::size_t) {
      const std::size_t first = size * k / ranges;
      body(first, size * (k + 1) / ranges - first);
    });
  }

 private:
  class Crew;
  std::unique_ptr<Crew> crew_;
};

// The number of single numbers, each added to or copied, that is worth a thread.
inline constexpr std::size_t numbers_worth_a_thread = 1 << 15;

// ThreadPool::for_ranges; without a pool, all is one range.
template <class F>
void for_ranges(ThreadPool* threads, std::size_t size, std::size_t least, const F& body) {
  threads ? threads->for_ranges(size, least, body) : body(std::size_t{0}, size);
}

}  // namespace irn
