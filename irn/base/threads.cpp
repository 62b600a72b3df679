// A call is an *offer*: one atomic word that holds its serial number, whether it is still open, and how many
// workers joined it. Workers join an open offer by incrementing it. The caller works, too, closes the offer
// when no task is left, and waits only for the workers that joined, not for one that slept through the call.
#include "irn/base/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/fork.h"

namespace irn {
namespace {

constexpr std::size_t cache_line = 64;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Waits for a condition on sequentially consistent atomics: looks for a while, then sleeps until rung.
// A thread that makes the condition true must ring afterwards: either it sees the sleeper, or the sleeper
// sees the condition.
class Bell {
 public:
  using Clock = std::chrono::steady_clock;

  template <class Ready>
  void wait(Clock::duration patience, const Ready& ready) {
    constexpr int looks = 64;  // between two looks at the clock
    if (patience > Clock::duration::zero()) {
      const Clock::time_point end = Clock::now() + patience;
      do {
        for (int look = 0; look < looks; ++look) {
          if (ready()) return;
          pause();
        }
      } while (Clock::now() < end);
    }
    std::unique_lock lock(mutex_);
    ++sleepers_;
    rung_.wait(lock, ready);
    --sleepers_;
  }

  // Wakes as many threads as needed for `wanted` of `waiting` to be awake.
  void ring(std::size_t wanted, std::size_t waiting) {
    const std::size_t asleep = sleepers_, awake = waiting - std::min(waiting, asleep);
    if (asleep == 0 || wanted <= awake) return;
    {
      const std::lock_guard lock(mutex_);
    }
    if (wanted >= waiting) return rung_.notify_all();
    for (std::size_t k = awake; k < wanted; ++k) rung_.notify_one();
  }

 private:
  std::atomic<std::size_t> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable rung_;
};

// The tasks that the current thread is in, innermost first. Because of them nested calls run in place.
struct RunningTask {
  RunningTask(const void* its_crew, std::size_t its_worker)
      : crew(its_crew), worker(its_worker), outer(innermost) {
    innermost = this;
  }
  ~RunningTask() { innermost = outer; }
  RunningTask(const RunningTask&) = delete;
  RunningTask& operator=(const RunningTask&) = delete;

  const void* const crew;
  const std::size_t worker;
  const RunningTask* const outer;
  static thread_local const RunningTask* innermost;
};
thread_local const RunningTask* RunningTask::innermost = nullptr;

std::size_t hardware_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

class ThreadPool::Crew {
 public:
  explicit Crew(std::size_t size);
  ~Crew();
  std::size_t size() const { return size_; }
  void for_each(std::size_t count, const Body& body);
  // Whether this process is the child of a fork, and the threads are its parent's.
  bool left_behind() const { return forks_ != forks(); }

 private:
  // The offer: bits 0-15 workers that joined, bit 16 open, above it the serial number of the call.
  static constexpr std::uint64_t open = 1u << 16, serial = 1u << 17, joined = open - 1;

  void stop();
  void work(std::size_t worker);
  void run_in_place(std::size_t count, const Body& body) const;
  void run_tasks(std::size_t worker);
  void note_failure(std::size_t task);

  const std::size_t size_;
  const std::uint64_t forks_ = forks();
  // How long a thread looks for work before it sleeps. Longer than the gaps between the calls of a training
  // step, in which some threads may have nothing to do, because waking one takes a tenth of a millisecond on
  // a virtual machine; short enough not to disturb other programs. With more threads than the machine has,
  // looking would only delay the others.
  const Bell::Clock::duration patience_;
  std::mutex turn_;
  Bell offered_, finished_;

  // Written by the caller while no offer is open, read by workers that joined.
  const Body* body_ = nullptr;
  std::size_t count_ = 0;

  std::mutex failure_mutex_;
  std::size_t failed_task_ = 0;
  std::exception_ptr failure_;

  alignas(cache_line) std::atomic<std::uint64_t> offer_ = 0;
  alignas(cache_line) std::atomic<std::size_t> next_task_ = 0;
  alignas(cache_line) std::atomic<std::size_t> done_workers_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

ThreadPool::Crew::Crew(std::size_t size)
    : size_(size), patience_(std::chrono::milliseconds(size <= hardware_threads() ? 2 : 0)) {
  threads_.reserve(size - 1);
  try {
    for (std::size_t worker = 1; worker < size; ++worker)
      threads_.emplace_back([this, worker] { work(worker); });
  } catch (...) {
    stop();
    throw Error("cannot start " + std::to_string(size) + " threads: the system refuses; ask for fewer");
  }
}

ThreadPool::Crew::~Crew() { stop(); }

void ThreadPool::Crew::stop() {
  stop_ = true;
  offered_.ring(size_, size_);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::Crew::work(std::size_t worker) {
  std::uint64_t last_call = 0;
  const auto call_is_new = [&](std::uint64_t offer) {
    return (offer & open) != 0 && offer / serial != last_call;
  };
  for (;;) {
    offered_.wait(patience_, [&] { return call_is_new(offer_) || stop_; });
    if (stop_) return;
    std::uint64_t offer = offer_;
    while (call_is_new(offer) && !offer_.compare_exchange_weak(offer, offer + 1)) continue;
    if (!call_is_new(offer)) continue;
    last_call = offer / serial;
    run_tasks(worker);
    ++done_workers_;
    finished_.ring(1, 1);
  }
}

void ThreadPool::Crew::for_each(std::size_t count, const Body& body) {
  if (size_ == 1 || count <= 1 || RunningTask::innermost != nullptr || left_behind())
    return run_in_place(count, body);
  const std::lock_guard turn(turn_);
  body_ = &body;
  count_ = count;
  next_task_.store(0, std::memory_order_relaxed);
  done_workers_.store(0, std::memory_order_relaxed);
  const std::uint64_t last = offer_.load(std::memory_order_relaxed);
  offer_ = (last & ~(serial - 1)) + serial + open;
  offered_.ring(std::min(count, size_) - 1, size_ - 1);
  run_tasks(0);
  const std::size_t helpers = offer_.fetch_and(~open) & joined;
  finished_.wait(patience_, [&] { return done_workers_ == helpers; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::Crew::run_in_place(std::size_t count, const Body& body) const {
  std::size_t worker = 0;
  for (const RunningTask* level = RunningTask::innermost; level != nullptr; level = level->outer) {
    if (level->crew == this) worker = level->worker;
  }
  const RunningTask here(this, worker);
  for (std::size_t task = 0; task < count; ++task) body(task, worker);
}

void ThreadPool::Crew::run_tasks(std::size_t worker) {
  const RunningTask here(this, worker);
  for (std::size_t task; (task = next_task_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
    try {
      (*body_)(task, worker);
    } catch (...) {
      note_failure(task);
    }
  }
}

// Tasks are handed out in order. So when any task fails, the lowest failing task has been handed out, too,
// and will report here; the rest need not start.
void ThreadPool::Crew::note_failure(std::size_t task) {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_ || task < failed_task_) {
    failure_ = std::current_exception();
    failed_task_ = task;
  }
  next_task_ = count_;
}

ThreadPool::ThreadPool(std::size_t threads) {
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  if (threads > most) {
    throw Error("cannot start " + std::to_string(threads) + " threads: give at most " + std::to_string(most) +
                ", or 0 for one a hardware thread");
  }
  crew_ = std::make_unique<Crew>(threads == 0 ? hardware_threads() : threads);
}

// A child of a fork does not destroy the crew: it has no threads to join, and the state of locks is that at
// the moment of the fork.
ThreadPool::~ThreadPool() {
  if (crew_->left_behind()) static_cast<void>(crew_.release());
}

std::size_t ThreadPool::size() const { return crew_->size(); }

void ThreadPool::for_each(std::size_t count, const Body& body) { crew_->for_each(count, body); }

}  // namespace irn
