// The threads of a block, each a fiber of one thread of the host.
#pragma once

#include <barrier>
#include <boost/context/fiber.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "tests/cuda/on_host/cuda_on_host.h"

namespace cuda_on_host {

// Where threads wait until all threads that have not ended have come.
class Meeting {
 public:
  explicit Meeting(unsigned threads) : expected_(threads) {}
  // True: all have come. False: this thread must wait until turn() changes.
  bool come() {
    if (++come_ < expected_) return false;
    return next(), true;
  }
  void leave_for_good() {
    if (--expected_ > 0 && come_ == expected_) next();
  }
  unsigned turn() const { return turn_; }
  bool is_first() const { return come_ == 0; }

 private:
  void next() { come_ = 0, ++turn_; }
  unsigned expected_, come_ = 0, turn_ = 0;
};

// 32 threads that exchange numbers. There are two sets of numbers: a thread may write for the next exchange
// while others still read.
struct Warp {
  explicit Warp(unsigned threads) : meeting(threads) {}
  Meeting meeting;
  std::uint64_t given[2][32] = {};
  unsigned there[2] = {}, votes[2] = {};  // bits of lanes
};

class Block;
// Blocks that can reach each other's shared memory, each in a thread of the host.
struct Cluster {
  explicit Cluster(unsigned blocks) : blocks(blocks), meeting(blocks) {}
  std::vector<Block*> blocks;  // by rank
  std::barrier<> meeting;
};

class Block {
 public:
  // Runs the kernel in every thread of a block, which belongs to a cluster or to none.
  static void run(const std::function<void()>& kernel, const cudaLaunchConfig_t& config, uint3 place,
                  Cluster* cluster = nullptr);
  static Block& current();

  void* shared_memory() { return shared_.data(); }
  unsigned rank() const;
  void meet_cluster();
  // The address in the shared memory of block `rank` of the cluster that corresponds to `own` in this
  // block's.
  void* there(void* own, unsigned rank) const;
  void meet() { wait_at(threads_meet_); }
  unsigned count(bool here);
  Warp& warp() { return warps_[threadIdx.x / 32]; }
  void meet_warp() { wait_at(warp().meeting); }
  void let_others_run();   // to be called while waiting for something outside the block
  void wait_for_others();  // the same, where other threads of the block may be waited for

 private:
  Block(const std::function<void()>& kernel, const cudaLaunchConfig_t& config, Cluster* cluster);
  void go();
  void end_thread();
  void wait_at(Meeting& meeting);
  void pause();

  const std::function<void()>& kernel_;
  Cluster* cluster_;
  std::vector<boost::context::fiber> threads_;
  std::vector<Warp> warps_;
  std::vector<double> shared_;
  Meeting threads_meet_;
  unsigned counts_[2] = {};
  boost::context::fiber scheduler_;
  bool moved_ = false;    // some thread has made progress since the last look
  bool waiting_ = false;  // some thread waits for what other blocks may do
};

}  // namespace cuda_on_host
