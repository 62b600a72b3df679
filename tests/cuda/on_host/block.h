// The threads of a block, each a fiber of one thread of the host.
#pragma once

#include <boost/context/fiber.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "tests/cuda/on_host/cuda_on_host.h"

namespace cuda_on_host {

// Where threads wait until all that have not ended are there.
class Meeting {
 public:
  explicit Meeting(unsigned threads) : expected_(threads) {}
  // True: all are there. False: this thread has to wait until turn() has changed.
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

// 32 threads that tell each other numbers. There are two sets of them: who has come for the next may write while others still read.
struct Warp {
  explicit Warp(unsigned threads) : meeting(threads) {}
  Meeting meeting;
  std::uint64_t given[2][32] = {};
  unsigned there[2] = {}, votes[2] = {};  // bits of lanes
};

class Block {
 public:
  // Runs the kernel in every thread of a block.
  static void run(const std::function<void()>& kernel, const cudaLaunchConfig_t& config, uint3 place);
  static Block& current();

  void* shared_memory() { return shared_.data(); }
  void meet() { wait_at(threads_meet_); }
  unsigned count(bool here);
  Warp& warp() { return warps_[threadIdx.x / 32]; }
  void meet_warp() { wait_at(warp().meeting); }
  void let_others_run();  // somebody outside of the block is waited for

 private:
  Block(const std::function<void()>& kernel, const cudaLaunchConfig_t& config);
  void go();
  void end_thread();
  void wait_at(Meeting& meeting);
  void pause();

  const std::function<void()>& kernel_;
  std::vector<boost::context::fiber> threads_;
  std::vector<Warp> warps_;
  std::vector<double> shared_;
  Meeting threads_meet_;
  unsigned counts_[2] = {};
  boost::context::fiber scheduler_;
  bool moved_ = false;  // somebody has got on since the last look
};

}  // namespace cuda_on_host
