// Many small networks in training at once on a CUDA device: the host queues whole stretches of training and
// tests, and reads the results.
//
// A group consists of replicas (replica-inl.h) with the same sizes and the same gradient, each with its own
// start, samples and rate. Groups work side by side, each in its own stream. A replica's bits depend only on
// its own numbers: not on its group, nor on how training is divided into stretches. This header uses no CUDA
// types.
#pragma once

#include <memory>
#include <vector>

#include "irn/engine/cuda/replica_records.h"

namespace irn::cuda {

// The whole state of a group of replicas between two stretches: enough to continue a run.
struct ReplicaNumbers {
  std::vector<ReplicaState> states;
  std::vector<float> weights;    // [replica][weight]
  std::vector<Moments> moments;  // in the same order; empty at the start
};

struct ReplicaPlan {
  unsigned device = 0;
  ReplicaTask task;
  std::vector<AdamNumbers> adam;  // see adam_table()
  ReplicaNumbers numbers;
  std::size_t epochs = 0, tests = 0;  // how many there will be at most
  bool crowded =
      false;  // other groups fill the device, so a replica should take few threads; the bits are the same
};

// For one caller at a time. Throws irn::Error, in one line, for everything that CUDA refuses.
class Replicas {
 public:
  virtual ~Replicas() = default;

  // These queue their work and return at once.
  virtual void train(std::size_t epochs) = 0;
  virtual void test(
      std::size_t paper_samples) = 0;  // also runs, with recurrence, the paper's solver on the first samples
  virtual std::size_t pending() = 0;   // stretches that are not done
  virtual void wait() = 0;

  // Call these after wait(): everything since the start, [epoch][replica], [test][replica].
  virtual std::vector<EpochSums> epochs() const = 0;
  virtual std::vector<TestSums> tests() const = 0;
  virtual std::vector<PaperRecord> paper() const = 0;
  virtual ReplicaNumbers numbers() const = 0;
};

// Implemented in the part for CUDA.
std::unique_ptr<Replicas> made_replicas(const ReplicaPlan& plan);

}  // namespace irn::cuda
