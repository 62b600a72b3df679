// Makes the tasks of replicas of the paper's networks, and converts networks to replicas and back.
#pragma once

#include <span>

#include "irn/base/device.h"
#include "irn/engine/cuda/replicas.h"
#include "irn/network/network.h"

namespace irn::cuda {

struct ReplicaOptions {
  std::uint64_t seed = 1;
  std::size_t points = 100;
  double time_step = 0.1, spread = 2;
  std::uint64_t train_samples = 0, test_samples = 0;  // the test set follows the training set
  ReplicaGradient gradient = ReplicaGradient::exact;
  std::size_t hidden = 5, batch = 6, steps_per_epoch = 1, batches_per_epoch = 0;
};
// Whether there are kernels for this size.
bool has_replicas(std::size_t hidden, std::size_t batch);
// Throws irn::Error for options that replicas do not support.
ReplicaTask task_of(const ReplicaOptions& options);
// The numbers of Adam's steps, by step.
std::vector<AdamNumbers> adam_table();
// From a network's parameters to a replica's weights, and back. The network is points-hidden-2 with full
// recurrence or none.
std::vector<float> replica_weights(const NetworkOf<float>& network);
void set_parameters(std::span<const float> weights, NetworkOf<float>& network);

// On a CUDA device that check_device() accepts; fills in the plan's device and its table of Adam's numbers.
// Throws irn::Error if this build has no part for CUDA.
std::unique_ptr<Replicas> make_replicas(Device device, ReplicaPlan plan);

}  // namespace irn::cuda
