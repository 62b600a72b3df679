// Many small networks in training at once on a CUDA device: the host queues whole stretches of training and tests, and reads what came of them.
//
// A group is of replicas (replica-inl.h) with the same sizes and the same gradient, each with its own start, samples and rate. Groups work side by side, each in
// a stream of its own. A replica's bits depend on nothing but its own numbers: not on its group, nor on how training is cut into stretches. No
// type of CUDA's stands here.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "irn/engine/cuda/replica_records.h"
#include "irn/network/network.h"

namespace irn::cuda {

// Networks of up to so many neurons, batches of up to so many samples.
inline constexpr std::size_t most_replica_neurons = dense_limit, most_replica_batch = 32;

struct ReplicaOptions {
  std::uint64_t seed = 1;
  std::size_t points = 100;
  double time_step = 0.1, spread = 2;
  std::uint64_t train_samples = 0, test_samples = 0;  // the test set follows the training set
  ReplicaGradient gradient = ReplicaGradient::exact;
  std::size_t hidden = 5, batch = 6, steps_per_epoch = 1, batches_per_epoch = 0;
};
// Throws irn::Error for what replicas cannot be.
ReplicaTask task_of(const ReplicaOptions& options);
// What steps of Adam need, by their number.
std::vector<AdamNumbers> adam_table();
// From a network's parameters to a replica's weights, and back. The network is points-hidden-2 with full recurrence or none.
std::vector<float> replica_weights(const NetworkOf<float>& network);
void set_parameters(std::span<const float> weights, NetworkOf<float>& network);

// All that a group of replicas is, between two stretches: what a run continues from.
struct ReplicaNumbers {
  std::vector<ReplicaState> states;
  std::vector<float> weights;    // [replica][weight]
  std::vector<Moments> moments;  // the same; empty: of a start
};

class Replicas {
 public:
  // `crowded`: other groups fill the device, so that a replica should take few threads. Throws irn::Error for whatever CUDA refuses.
  Replicas(unsigned device, const ReplicaTask& task, const ReplicaNumbers& numbers, bool crowded);
  ~Replicas();
  Replicas(Replicas&&) noexcept;

  // Queued; return at once.
  void train(std::size_t epochs);
  void test(std::size_t paper_samples = 0);  // and the paper's solver on the first so many
  std::size_t pending();                     // stretches that are not done
  void wait();

  // After wait(): everything since the start, [epoch][replica], [test][replica].
  std::vector<EpochSums> epochs() const;
  std::vector<TestSums> tests() const;
  std::vector<PaperRecord> paper() const;
  ReplicaNumbers numbers() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn::cuda
