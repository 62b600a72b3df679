// Many small networks in training at once on a CUDA device: the host queues whole stretches of training and tests, and reads what came of them.
//
// A group is of replicas (replica-inl.h) with the same sizes and the same gradient, each with its own start, samples and rate. Groups work side by side, each in
// a stream of its own. A replica's bits depend on nothing but its own numbers: not on its group, nor on how training is cut into stretches. No
// type of CUDA's stands here.
#pragma once

#include <memory>
#include <vector>

#include "irn/engine/cuda/replica_records.h"

namespace irn::cuda {

// All that a group of replicas is, between two stretches: what a run continues from.
struct ReplicaNumbers {
  std::vector<ReplicaState> states;
  std::vector<float> weights;    // [replica][weight]
  std::vector<Moments> moments;  // the same; empty: of a start
};

struct ReplicaPlan {
  unsigned device = 0;
  ReplicaTask task;
  std::vector<AdamNumbers> adam;  // see adam_table()
  ReplicaNumbers numbers;
  std::size_t epochs = 0, tests = 0;  // that there will be at most
  bool crowded =
      false;  // other groups fill the device, so that a replica should take few threads; the bits are the same
};

// For one caller at a time. Throws irn::Error, in one line, for whatever CUDA refuses.
class Replicas {
 public:
  virtual ~Replicas() = default;

  // Queued; return at once.
  virtual void train(std::size_t epochs) = 0;
  virtual void test(
      std::size_t paper_samples) = 0;  // and, if there is recurrence, the paper's solver on the first so many
  virtual std::size_t pending() = 0;   // stretches that are not done
  virtual void wait() = 0;

  // After wait(): everything since the start, [epoch][replica], [test][replica].
  virtual std::vector<EpochSums> epochs() const = 0;
  virtual std::vector<TestSums> tests() const = 0;
  virtual std::vector<PaperRecord> paper() const = 0;
  virtual ReplicaNumbers numbers() const = 0;
};

// Within the part for CUDA.
std::unique_ptr<Replicas> made_replicas(const ReplicaPlan& plan);

}  // namespace irn::cuda
