// The kernels that train replicas, and which of them a size uses.
//
// A replica's weights, its batch and the results of its samples are in shared memory; Adam's moments, which
// are read once a step, in the device's memory. If a sample has a thread of its own, a replica is `lanes`
// threads of a warp (the batch's size, or the whole warp), and the warp's barrier is enough. If threads share
// a sample, a block has the samples of a few replicas.
#ifndef IRN_ENGINE_CUDA_REPLICA_KERNELS_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_KERNELS_INL_H_

#include "irn/engine/cuda/replica_shared-inl.h"
#include "irn/engine/cuda/replica_tests-inl.h"

namespace irn::cuda {

// Where replica `place` of a block has its numbers.
struct ReplicaInBlock {
  plain::ReplicaMemory memory;
  EpochSums* epoch;
  __device__ ReplicaInBlock(const ReplicaShape& shape, unsigned place) {
    const ReplicaPlaces places(shape);
    float* own = shared_memory<float>() + place * places.size;
    epoch = reinterpret_cast<EpochSums*>(own + places.epoch);
    memory = {shape.points,
              shape.batch,
              own + places.weights,
              own + places.inputs,
              own + places.deltas,
              own + places.states,
              reinterpret_cast<SampleNote*>(own + places.notes)};
  }
};

// What thread `lane` of a replica's `lanes` does between the samples of one step and those of the next.
template <class Sample>
__device__ __forceinline__ void end_step(const ReplicaTask& task, const ReplicaInBlock& own,
                                         ReplicaState& state, const AdamNumbers* table, Moments* moments,
                                         unsigned lane, unsigned lanes) {
  const std::size_t batch = task.shape.batch;
  const auto n = plain::neurons_of<typename Sample::Neurons>(task.shape);
  const std::uint32_t used = plain::used_of(own.memory.notes, batch);
  ++state.attempted;
  if (lane == 0) plain::note_step(own.memory.notes, batch, *own.epoch);
  if (used == 0) return;
  const plain::AdamThread adam(task, state, table, used);
  ++state.applied;
  batch == 6 ? plain::parameter_step<Sample::is_recurrent, 6>(n, own.memory, adam, moments, lane, lanes)
             : plain::parameter_step<Sample::is_recurrent, 0>(n, own.memory, adam, moments, lane, lanes);
}

template <class Sample>
__global__ void __launch_bounds__(most_replica_threads, 2)
    train_replicas(const __grid_constant__ ReplicaTask task, const ReplicaArrays arrays, std::size_t epochs,
                   unsigned lanes) {
  const unsigned together = replica_warp / lanes, group = threadIdx.x % replica_warp / lanes,
                 lane = threadIdx.x % replica_warp % lanes,
                 place = threadIdx.x / replica_warp * together + group;
  const std::size_t replica = std::size_t(blockIdx.x) * (blockDim.x / replica_warp * together) + place;
  const bool on = group < together && replica < arrays.replicas;
  const std::size_t batch = task.shape.batch, count = task.shape.weights();
  const ReplicaInBlock own(task.shape, on ? place : 0);
  ReplicaState state;
  if (on) {
    state = arrays.states[replica];
    for (std::size_t i = lane; i < count; i += lanes)
      own.memory.weights[i] = arrays.weights[replica * count + i];
  }
  for (std::size_t e = 0; e < epochs; ++e) {
    if (on && lane == 0) *own.epoch = EpochSums{};
    __syncwarp();
    for (std::size_t step = 0; step < task.steps_per_epoch; ++step) {
      if (on && lane < batch)
        plain::sample_step<Sample>(task, own.memory, lane,
                                   plain::sample_of(task, state, state.attempted, lane));
      __syncwarp();
      if (on) end_step<Sample>(task, own, state, arrays.adam, arrays.moments + replica * count, lane, lanes);
      __syncwarp();
    }
    if (on && lane == 0) arrays.epochs[e * arrays.replicas + replica] = *own.epoch;
  }
  if (!on) return;
  if (lane == 0) arrays.states[replica] = state;
  for (std::size_t i = lane; i < count; i += lanes)
    arrays.weights[replica * count + i] = own.memory.weights[i];
}

// Steps through the samples of all replicas of a block; a warp without samples waits.
template <class Sample>
__device__ __forceinline__ void step_samples(const ReplicaTask& task, const ReplicaState* states,
                                             unsigned count) {
  constexpr unsigned threads = Sample::V::Share::threads;
  const auto batch = static_cast<unsigned>(task.shape.batch);
  for (unsigned from = 0; from < count * batch; from += block_of_shared(threads) / threads) {
    const unsigned of_warp = from + threadIdx.x / replica_warp * (replica_warp / threads);
    if (of_warp >= count * batch) continue;
    const unsigned at = from + threadIdx.x / threads, taken = at < count * batch ? at : of_warp;
    const unsigned place = taken / batch, s = taken % batch;
    const ReplicaState& state = states[place];
    plain::sample_step<Sample>(task, ReplicaInBlock(task.shape, place).memory, s,
                               plain::sample_of(task, state, state.attempted, s), at == taken);
  }
}

template <class Sample>
__global__ void __launch_bounds__(block_of_shared(Sample::V::Share::threads),
                                  Sample::V::Share::threads > 16 ? 2 : 4)
    train_shared(const __grid_constant__ ReplicaTask task, const ReplicaArrays arrays, std::size_t epochs,
                 unsigned lanes) {
  constexpr unsigned threads = Sample::V::Share::threads, block = block_of_shared(threads);
  __shared__ ReplicaState states[block / threads];
  const unsigned together = block / lanes, place = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const std::size_t first = std::size_t(blockIdx.x) * together, replica = first + place;
  const bool on = place < together && replica < arrays.replicas;
  const std::size_t rest = arrays.replicas - first, count = task.shape.weights();
  const auto here = static_cast<unsigned>(rest < together ? rest : together);
  const ReplicaInBlock own(task.shape, on ? place : 0);
  ReplicaState state;
  if (on) {
    state = arrays.states[replica];
    for (std::size_t i = lane; i < count; i += lanes)
      own.memory.weights[i] = arrays.weights[replica * count + i];
  }
  for (std::size_t e = 0; e < epochs; ++e) {
    if (on && lane == 0) *own.epoch = EpochSums{};
    for (std::size_t step = 0; step < task.steps_per_epoch; ++step) {
      if (on && lane == 0) states[place] = state;
      __syncthreads();
      step_samples<Sample>(task, states, here);
      __syncthreads();
      if (on) end_step<Sample>(task, own, state, arrays.adam, arrays.moments + replica * count, lane, lanes);
    }
    if (on && lane == 0) arrays.epochs[e * arrays.replicas + replica] = *own.epoch;
  }
  __syncthreads();
  if (!on) return;
  if (lane == 0) arrays.states[replica] = state;
  for (std::size_t i = lane; i < count; i += lanes)
    arrays.weights[replica * count + i] = own.memory.weights[i];
}

// Without recurrence a sample has one thread, whatever the size.
template <std::size_t n>
using SweptSample = plain::SampleThread<plain::One<float, std::integral_constant<std::size_t, n>>, n, false>;
template <std::size_t n>
ReplicaKernels swept_kernels() {
  return {1, train_replicas<SweptSample<n>>, test_replicas<SweptSample<n>>, nullptr, nullptr};
}

template <std::size_t n>
ReplicaKernels thread_kernels(bool recurrent) {
  using Sample = plain::SampleThread<plain::One<float, std::integral_constant<std::size_t, n>>, n, true>;
  if (!recurrent) return swept_kernels<n>();
  return {1, train_replicas<Sample>, test_replicas<Sample>, test_hard<Sample>, test_paper<Sample>};
}

template <std::size_t n, std::size_t rows, std::size_t threads>
ReplicaKernels shared_kernels(bool recurrent) {
  using V = plain::One<float, std::integral_constant<std::size_t, rows>, plain::WarpShare<threads>>;
  using Sample = plain::SampleShared<V, n>;
  if (!recurrent) return swept_kernels<n>();
  return {threads, train_shared<Sample>, test_replicas<Sample>, test_hard<Sample>, test_paper<Sample>};
}

}  // namespace irn::cuda

#endif
