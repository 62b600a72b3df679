#include "tests/cuda/on_host/block.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace cuda_on_host {
namespace {

thread_local Block* running = nullptr;

// Stacks of this thread of the host, reused for one block after the other. The lowest page of each is
// inaccessible.
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

Block::Block(const std::function<void()>& kernel, const cudaLaunchConfig_t& config, Cluster* cluster)
    : kernel_(kernel),
      cluster_(cluster),
      threads_(config.blockDim.x),
      shared_((config.dynamicSmemBytes + sizeof(double) - 1) / sizeof(double) + 2,
              std::bit_cast<double>(~std::uint64_t{0})),  // two floats that are NaNs, too
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

void Block::run(const std::function<void()>& kernel, const cudaLaunchConfig_t& config, uint3 place,
                Cluster* cluster) {
  Block all(kernel, config, cluster);
  running = &all;
  blockIdx = place, blockDim = config.blockDim, gridDim = config.gridDim;
  if (cluster) {
    cluster->blocks[all.rank()] = &all;
    cluster->meeting.arrive_and_wait();
  }
  all.go();
  if (cluster) cluster->meeting.arrive_and_wait();  // others may still write here
  running = nullptr;
}
Block& Block::current() { return *running; }

unsigned Block::rank() const { return blockIdx.x % static_cast<unsigned>(cluster_->blocks.size()); }
void Block::meet_cluster() {
  meet();
  if (threadIdx.x == 0) cluster_->meeting.arrive_and_wait();
  meet();
}
void* Block::there(void* own, unsigned rank) const {
  return reinterpret_cast<char*>(cluster_->blocks[rank]->shared_.data()) +
         (static_cast<char*>(own) - reinterpret_cast<const char*>(shared_.data()));
}

void Block::go() {
  for (std::size_t left = threads_.size(); left > 0;) {
    moved_ = waiting_ = false;
    for (unsigned t = 0; t < threads_.size(); ++t) {
      if (!threads_[t]) continue;
      threadIdx = {t, 0, 0};
      threads_[t] = std::move(threads_[t]).resume();
      if (!threads_[t]) --left;
    }
    if (waiting_ && !moved_) std::this_thread::yield();
    if (!moved_ && !waiting_) {
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

void Block::wait_for_others() {
  waiting_ = true;
  pause();
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

namespace {

// The number of a signal's ended turns, and what the present turn waits for.
struct Turn {
  std::uint16_t threads, left, turns;
  std::int16_t bytes;  // below zero: some came before they were announced
};
template <class Change>
void change(Signal* signal, const Change& how) {
  const std::atomic_ref<std::uint64_t> state(signal->state);
  std::uint64_t before = state.load();
  Turn turn;
  do {
    turn = std::bit_cast<Turn>(before);
    how(turn);
    if (turn.left == 0 && turn.bytes == 0) turn.left = turn.threads, ++turn.turns;
  } while (!state.compare_exchange_weak(before, std::bit_cast<std::uint64_t>(turn)));
}
template <class T>
T* there(T* own, unsigned rank) {
  return static_cast<T*>(Block::current().there(own, rank));
}

}  // namespace

unsigned rank_in_cluster() { return Block::current().rank(); }
void meet_cluster() { Block::current().meet_cluster(); }
void start_signal(Signal* own, unsigned threads) {
  const auto count = static_cast<std::uint16_t>(threads);
  own->state = std::bit_cast<std::uint64_t>(Turn{count, count, 0, 0});
}
void expect(Signal* own, unsigned bytes) {
  change(own, [&](Turn& turn) { --turn.left, turn.bytes = static_cast<std::int16_t>(turn.bytes + bytes); });
}
void expect_there(Signal* same, unsigned rank, unsigned bytes) { expect(there(same, rank), bytes); }
void come_for_good(Signal* same, unsigned rank) { expect(there(same, rank), 0); }
void put_there(float* same, unsigned rank, float value, Signal* signal) {
  *there(same, rank) = value;
  change(there(signal, rank), [](Turn& turn) { turn.bytes = static_cast<std::int16_t>(turn.bytes - 4); });
}
bool came(Signal* own, unsigned parity) {
  Block::current().wait_for_others();
  return std::bit_cast<Turn>(std::atomic_ref<std::uint64_t>(own->state).load()).turns % 2 != parity;
}

cudaError_t run(const cudaLaunchConfig_t& config, const std::function<void()>& kernel) {
  const dim3 blocks = config.gridDim;
  if (blocks.x == 0 || blocks.y == 0 || config.blockDim.x == 0 || config.blockDim.x > 1024 ||
      config.blockDim.y != 1 || blocks.z != 1)
    return cudaErrorInvalidValue;
  const auto attribute = [&](cudaLaunchAttributeID id) -> const cudaLaunchAttributeValue* {
    for (unsigned k = 0; k < config.numAttrs; ++k)
      if (config.attrs[k].id == id) return &config.attrs[k].val;
    return nullptr;
  };
  const auto side_by_side = [&](unsigned first, unsigned count, Cluster* cluster) {
    std::vector<std::jthread> together;
    for (unsigned x = first; x < first + count; ++x)
      together.emplace_back([&, x] { Block::run(kernel, config, {x, 0, 0}, cluster); });
  };
  if (const auto* value = attribute(cudaLaunchAttributeClusterDimension)) {
    const unsigned size = value->clusterDim.x;
    if (size == 0 || size > 8 || blocks.x % size != 0 || blocks.y != 1) return cudaErrorInvalidValue;
    for (unsigned first = 0; first < blocks.x; first += size) {
      Cluster cluster(size);
      side_by_side(first, size, &cluster);
    }
    return cudaSuccess;
  }
  if (!attribute(cudaLaunchAttributeCooperative)) {
    for (unsigned y = 0; y < blocks.y; ++y)
      for (unsigned x = 0; x < blocks.x; ++x) Block::run(kernel, config, {x, y, 0});
    return cudaSuccess;
  }
  if (blocks.x > multiprocessors * blocks_a_multiprocessor || blocks.y != 1) return cudaErrorInvalidValue;
  side_by_side(0, blocks.x, nullptr);
  return cudaSuccess;
}

}  // namespace cuda_on_host
