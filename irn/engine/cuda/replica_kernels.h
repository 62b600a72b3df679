// What the kernels of replicas are given, and where to get them.
#pragma once

#include <cstddef>

#include "irn/engine/cuda/replica_records.h"

namespace irn::cuda {

inline constexpr unsigned replica_warp = 32, most_replica_threads = 128;

// Places of one replica's numbers, in floats: even, for the doubles in it, and such that neighbours in a warp begin in different banks.
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
  EpochSums* epochs;  // [epoch][replica], from the first of a stretch on
  std::size_t replicas;
};

// Test samples that a block takes, of one replica: the same whatever else there is to do, so that sums are.
inline constexpr unsigned test_threads = 128;
inline constexpr std::size_t test_chunk = 3200;

// The kernels of one size, with recurrence or without.
struct ReplicaKernels {
  void (*train)(ReplicaTask, ReplicaArrays, std::size_t epochs, unsigned lanes);
  void (*test)(ReplicaTask, const float* weights, TestSums* sums);
  void (*paper)(ReplicaTask, const float* weights, unsigned samples,
                PaperRecord* records);  // none without recurrence
};
// Defined for 3, 4, 5, 7 and 10 neurons (replica_kernels_N.cu): the sizes of the paper's experiments at which a search lives in registers.
template <std::size_t neurons>
ReplicaKernels replica_kernels(bool recurrent);

}  // namespace irn::cuda
