// A pool of threads for many short jobs: one call hands out tasks 0, 1, 2, ... in order until none is left,
// and returns when all are done. A warm call costs a microsecond or two, so a training step can afford one.
// Does not decide which answers come out: tasks must not depend on which worker runs them, nor on how many
// there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace irn {

class ThreadPool {
 public:
  // `threads` counts the calling thread; 0 takes every hardware thread. One thread means no thread is
  // started.
  explicit ThreadPool(std::size_t threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Calls body(task, worker) once for each task < count, with worker < size(); no two tasks of a call run at
  // once under the same worker number, so it can name scratch memory. The caller takes part as worker 0.
  //
  // If tasks throw, the exception of the lowest of them reaches the caller: the one a single thread would
  // have met. Tasks after it may or may not have run. Called from within a task, all runs in place, under the
  // number of the worker that runs the task (0 if the task belongs to another pool). Calls from several
  // threads take turns, but for those that need no other thread (a single task, or a pool of one): they run at once in their callers.
  using Body = std::function<void(std::size_t task, std::size_t worker)>;
  void for_each(std::size_t count, const Body& body);

  // The same for any function object. It is called through a reference, so that the call allocates nothing, however
  // much the body captures.
  template <class F>
  void for_each(std::size_t count, const F& body) {
    for_each(count, Body(std::cref(body)));
  }

  // Calls body(first, count) for consecutive ranges that make up 0 .. size - 1, none of them much below `least` unless it is
  // the only one: for work on single numbers, of which few are not worth waking a thread.
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

// As many single numbers, each added to or copied, as are worth a thread.
inline constexpr std::size_t numbers_worth_a_thread = 1 << 15;

// ThreadPool::for_ranges where there may be no pool: then all is one range.
template <class F>
void for_ranges(ThreadPool* threads, std::size_t size, std::size_t least, const F& body) {
  threads ? threads->for_ranges(size, least, body) : body(std::size_t{0}, size);
}

}  // namespace irn
