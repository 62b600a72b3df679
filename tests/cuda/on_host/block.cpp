#include "tests/cuda/on_host/block.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

namespace cuda_on_host {
namespace {

thread_local Block* running = nullptr;

// Stacks of this thread of the host, for one block after the other. Below each lies a page that nobody may write to.
class Stacks {
 public:
  boost::context::stack_context allocate() {
    if (free_.empty()) free_.push_back(mapped());
    boost::context::stack_context stack;
    stack.size = size, stack.sp = static_cast<char*>(free_.back()) + size;
    free_.pop_back();
    return stack;
  }
  void deallocate(boost::context::stack_context& stack) {
    free_.push_back(static_cast<char*>(stack.sp) - size);
  }
  ~Stacks() {
    for (void* memory : free_) munmap(memory, size);
  }

 private:
  static constexpr std::size_t size = 512 * 1024, page = 4096;
  static void* mapped() {
    void* memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) std::perror("stacks"), std::abort();
    return memory;
  }
  std::vector<void*> free_;
};
thread_local Stacks stacks;
struct TakenStacks {
  boost::context::stack_context allocate() { return stacks.allocate(); }
  void deallocate(boost::context::stack_context& stack) { stacks.deallocate(stack); }
};

unsigned threads_of_warp(unsigned threads, unsigned warp) { return std::min(32u, threads - 32 * warp); }

}  // namespace

Block::Block(const std::function<void()>& kernel, const cudaLaunchConfig_t& config)
    : kernel_(kernel),
      threads_(config.blockDim.x),
      shared_((config.dynamicSmemBytes + sizeof(double) - 1) / sizeof(double) + 2,
              std::numeric_limits<double>::quiet_NaN()),
      threads_meet_(config.blockDim.x) {
  for (unsigned w = 0; 32 * w < config.blockDim.x; ++w)
    warps_.emplace_back(threads_of_warp(config.blockDim.x, w));
  for (boost::context::fiber& thread : threads_)
    thread = {std::allocator_arg, TakenStacks(), [this](boost::context::fiber&& scheduler) {
                scheduler_ = std::move(scheduler);
                kernel_();
                end_thread();
                return std::move(scheduler_);
              }};
}

void Block::run(const std::function<void()>& kernel, const cudaLaunchConfig_t& config, uint3 place) {
  Block all(kernel, config);
  running = &all;
  blockIdx = place, blockDim = config.blockDim, gridDim = config.gridDim;
  all.go();
  running = nullptr;
}
Block& Block::current() { return *running; }

void Block::go() {
  for (std::size_t left = threads_.size(); left > 0;) {
    moved_ = false;
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (!threads_[t]) continue;
      threadIdx = {t, 0, 0};
      threads_[t] = std::move(threads_[t]).resume();
      if (!threads_[t]) --left;
    }
    if (!moved_) {
      std::fputs("a kernel's threads wait for each other in different places\n", stderr);
      std::abort();
    }
  }
}

void Block::end_thread() {
  moved_ = true;
  threads_meet_.leave_for_good();
  warp().meeting.leave_for_good();
}

void Block::pause() { scheduler_ = std::move(scheduler_).resume(); }

void Block::wait_at(Meeting& meeting) {
  moved_ = true;
  const unsigned turn = meeting.turn();
  if (meeting.come()) return;
  while (meeting.turn() == turn) pause();
  moved_ = true;
}

void Block::let_others_run() {
  moved_ = true;
  std::this_thread::yield();
}

unsigned Block::count(bool here) {
  unsigned& count = counts_[threads_meet_.turn() % 2];
  if (threads_meet_.is_first()) count = 0;
  count += here;
  meet();
  return count;
}

void* shared_memory() { return Block::current().shared_memory(); }
void meet_block() { Block::current().meet(); }
unsigned count_in_block(bool here) { return Block::current().count(here); }
void meet_warp() { Block::current().meet_warp(); }

std::uint64_t of_lane(std::uint64_t given, unsigned from) {
  Warp& warp = Block::current().warp();
  const unsigned set = warp.meeting.turn() % 2, own = lane();
  if (warp.meeting.is_first()) warp.there[set] = 0;
  warp.given[set][own] = given, warp.there[set] |= 1u << own;
  Block::current().meet_warp();
  return warp.there[set] >> from & 1u ? warp.given[set][from] : given;
}
unsigned ballot(bool here) {
  Warp& warp = Block::current().warp();
  const unsigned set = warp.meeting.turn() % 2;
  if (warp.meeting.is_first()) warp.votes[set] = 0;
  warp.votes[set] |= unsigned{here} << lane();
  Block::current().meet_warp();
  return warp.votes[set];
}

void add_one(unsigned* counter) { std::atomic_ref<unsigned>(*counter).fetch_add(1); }
unsigned seen(const unsigned* counter) {
  Block::current().let_others_run();
  return std::atomic_ref<unsigned>(*const_cast<unsigned*>(counter)).load();
}

cudaError_t run(const cudaLaunchConfig_t& config, const std::function<void()>& kernel) {
  const dim3 blocks = config.gridDim;
  if (blocks.x == 0 || blocks.y == 0 || config.blockDim.x == 0 || config.blockDim.x > 1024 ||
      config.blockDim.y != 1 || blocks.z != 1)
    return cudaErrorInvalidValue;
  if (config.numAttrs == 0) {
    for (unsigned y = 0; y < blocks.y; ++y)
      for (unsigned x = 0; x < blocks.x; ++x) Block::run(kernel, config, {x, y, 0});
    return cudaSuccess;
  }
  if (blocks.x > multiprocessors * blocks_a_multiprocessor || blocks.y != 1) return cudaErrorInvalidValue;
  std::vector<std::jthread> together;
  for (unsigned x = 0; x < blocks.x; ++x)
    together.emplace_back([&, x] { Block::run(kernel, config, {x, 0, 0}); });
  return cudaSuccess;
}

}  // namespace cuda_on_host
