// The arguments of the kernels of replicas, and where to get the kernels.
#pragma once

#include <cstddef>

#include "irn/engine/cuda/replica_records.h"

namespace irn::cuda {

inline constexpr unsigned replica_warp = 32, most_replica_threads = 128;

// Places of one replica's numbers, in floats: even, for the doubles among them, and such that neighbours in a
// warp begin in different banks.
struct ReplicaPlaces {
  std::size_t epoch = 0, notes, weights, inputs, deltas, states, size;
  constexpr explicit ReplicaPlaces(const ReplicaShape& shape)
      : notes(sizeof(EpochSums) / sizeof(float)),
        weights(notes + shape.batch * (sizeof(SampleNote) / sizeof(float))),
        inputs(weights + shape.weights()),
        deltas(inputs + shape.points * shape.batch),
        states(deltas + shape.batch * shape.neurons()),
        size(states + shape.batch * shape.neurons()) {
    const std::size_t aim = (shape.batch + 1) / 2 * 2;
    size += (aim + 64 - size % 32) % 32;
  }
};

// In the device's memory.
struct ReplicaArrays {
  ReplicaState* states;
  float* weights;
  Moments* moments;
  const AdamNumbers* adam;
  EpochSums* epochs;  // [epoch][replica], from the first epoch of a stretch on
  std::size_t replicas;
};

// Test samples that little effort left unsettled, for the replicas of one launch: replica * samples + sample,
// in any order.
struct HardSamples {
  std::uint32_t *count, *list;
};

// Threads of a block in tests, and how many test samples of one replica a block takes.
inline constexpr unsigned test_threads = 128;
inline constexpr std::size_t test_chunk = 3200;
// Threads of a block in training, if several share a sample: for the paper's batch of 6, or two of them.
constexpr unsigned block_of_shared(unsigned sample_threads) {
  return 6 * (sample_threads < 16 ? 16 : sample_threads);
}

// The kernels of one size, with recurrence or without.
struct ReplicaKernels {
  // How many threads a sample takes in training. One: replicas are in warps, `lanes` threads each. Several:
  // in blocks of block_of_shared().
  unsigned sample_threads;
  void (*train)(ReplicaTask, ReplicaArrays, std::size_t epochs, unsigned lanes);
  void (*test)(ReplicaTask, const float* weights, TestSums* sums, HardSamples);
  // Null without recurrence.
  void (*test_hard)(ReplicaTask, const float* weights, TestSums* sums, HardSamples);
  void (*paper)(ReplicaTask, const float* weights, unsigned samples, PaperRecord* records);
};
// Defined for the neurons of replica_sizes (replica_kernels_N.cu).
template <std::size_t neurons>
ReplicaKernels replica_kernels(bool recurrent);

}  // namespace irn::cuda
