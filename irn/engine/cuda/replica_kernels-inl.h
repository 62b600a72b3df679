// The kernels of replicas: training, tests, and the paper's solver.
//
// In training a replica's weights, its batch and what its samples found lie in shared memory; Adam's moments, which are read once a step, in the
// device's. Between `lanes` threads of a warp (the batch's size, or the whole warp) no other barrier is needed than the warp's.
#ifndef IRN_ENGINE_CUDA_REPLICA_KERNELS_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_KERNELS_INL_H_

#include "irn/engine/cuda/replica-inl.h"
#include "irn/engine/cuda/replica_kernels.h"

namespace irn::cuda {

template <class V>
IRN_FN typename V::Size neurons_of(const ReplicaShape& shape) {
  if constexpr (std::is_same_v<typename V::Size, std::size_t>)
    return shape.hidden + 2;
  else
    return {};
}

template <class V, std::size_t most, bool recurrent>
__global__ void __launch_bounds__(most_replica_threads, 2)
    train_replicas(const __grid_constant__ ReplicaTask task, const ReplicaArrays arrays, std::size_t epochs,
                   unsigned lanes) {
  extern __shared__ double shared[];
  const ReplicaPlaces places(task.shape);
  const typename V::Size n = neurons_of<V>(task.shape);
  const unsigned together = replica_warp / lanes, group = threadIdx.x % replica_warp / lanes,
                 lane = threadIdx.x % replica_warp % lanes,
                 place = threadIdx.x / replica_warp * together + group;
  const std::size_t replica = std::size_t(blockIdx.x) * (blockDim.x / replica_warp * together) + place;
  const bool on = group < together && replica < arrays.replicas;
  const std::size_t batch = task.shape.batch, count = task.shape.points * (n - 2) + n * (n + 1);
  float* own = reinterpret_cast<float*>(shared) + (on ? place : 0) * places.size;
  EpochSums& epoch = *reinterpret_cast<EpochSums*>(own + places.epoch);
  const plain::ReplicaMemory memory{task.shape.points,
                                    batch,
                                    own + places.weights,
                                    own + places.inputs,
                                    own + places.deltas,
                                    own + places.states,
                                    reinterpret_cast<SampleNote*>(own + places.notes)};
  ReplicaState state;
  if (on) {
    state = arrays.states[replica];
    for (std::size_t i = lane; i < count; i += lanes) memory.weights[i] = arrays.weights[replica * count + i];
  }
  Moments* moments = arrays.moments + replica * count;
  for (std::size_t e = 0; e < epochs; ++e) {
    if (on && lane == 0) epoch = EpochSums{};
    __syncwarp();
    for (std::size_t step = 0; step < task.steps_per_epoch; ++step) {
      if (on && lane < batch)
        plain::sample_step<V, most, recurrent>(task, n, memory, lane,
                                               plain::sample_of(task, state, state.attempted, lane));
      ++state.attempted;
      __syncwarp();
      if (on) {
        const std::uint32_t used = plain::used_of(memory.notes, batch);
        if (lane == 0) plain::note_step(memory.notes, batch, epoch);
        if (used > 0) {
          const plain::AdamThread adam(task, state, arrays.adam, used);
          ++state.applied;
          batch == 6 ? plain::parameter_step<recurrent, 6>(n, memory, adam, moments, lane, lanes)
                     : plain::parameter_step<recurrent, 0>(n, memory, adam, moments, lane, lanes);
        }
      }
      __syncwarp();
    }
    if (on && lane == 0) arrays.epochs[e * arrays.replicas + replica] = epoch;
  }
  if (!on) return;
  if (lane == 0) arrays.states[replica] = state;
  for (std::size_t i = lane; i < count; i += lanes) arrays.weights[replica * count + i] = memory.weights[i];
}

// Three blocks a multiprocessor, with some registers spilled, are faster by a sixth than two without (H200, 7 neurons).
template <class V, std::size_t most, bool recurrent>
__global__ void __launch_bounds__(test_threads, most <= 7 ? 3 : 1)
    test_replicas(const __grid_constant__ ReplicaTask task, const float* all_weights, TestSums* sums) {
  extern __shared__ double shared[];
  __shared__ unsigned outcomes[outcome_names.size()];
  const typename V::Size n = neurons_of<V>(task.shape);
  const std::size_t count = task.shape.points * (n - 2) + n * (n + 1);
  double* squares = shared;
  float *residuals = reinterpret_cast<float*>(shared + test_threads), *weights = residuals + test_threads;
  for (std::size_t i = threadIdx.x; i < count; i += test_threads)
    weights[i] = all_weights[blockIdx.y * count + i];
  if (threadIdx.x < outcome_names.size()) outcomes[threadIdx.x] = 0;
  __shared__ unsigned long long evaluations;
  if (threadIdx.x == 0) evaluations = 0;
  __syncthreads();
  const std::uint64_t first = blockIdx.x * test_chunk, rest = task.test_samples - first;
  const std::uint64_t size = rest < test_chunk ? rest : test_chunk;
  double own_squares = 0;
  float own_residual = 0;
  unsigned own_evaluations = 0, settled = 0;
  for (std::uint64_t i = threadIdx.x; i < size; i += test_threads) {
    const TestAnswer answer = plain::test_sample<V, most, recurrent>(task, n, weights, first + i);
    own_evaluations += answer.verdict.evaluations;
    if (answer.verdict.outcome != Outcome::settled) {
      atomicAdd(&outcomes[static_cast<std::size_t>(answer.verdict.outcome)], 1u);
      continue;
    }
    ++settled;
    own_squares += answer.squares;
    own_residual = fmaxf(own_residual, static_cast<float>(answer.verdict.residual));
  }
  squares[threadIdx.x] = own_squares, residuals[threadIdx.x] = own_residual;
  atomicAdd(&outcomes[0], settled);  // of whole numbers: in any order the same
  atomicAdd(&evaluations, own_evaluations);
  __syncthreads();
  if (threadIdx.x != 0) return;
  TestSums sum;
  for (unsigned t = 0; t < test_threads; ++t) {
    sum.squares += squares[t];
    sum.max_residual = fmaxf(sum.max_residual, residuals[t]);
  }
  for (std::size_t k = 0; k < outcome_names.size(); ++k) sum.outcomes[k] = outcomes[k];
  sum.evaluations = evaluations;
  sums[std::size_t(blockIdx.y) * gridDim.x + blockIdx.x] = sum;
}

// The share that settles, and the middle one of all residuals.
template <class V, std::size_t most>
__global__ void __launch_bounds__(test_threads)
    test_paper(const __grid_constant__ ReplicaTask task, const float* all_weights, unsigned samples,
               PaperRecord* records) {
  extern __shared__ double shared[];
  __shared__ unsigned settled;
  const typename V::Size n = neurons_of<V>(task.shape);
  const std::size_t count = task.shape.points * (n - 2) + n * (n + 1);
  float *residuals = reinterpret_cast<float*>(shared), *weights = residuals + samples;
  for (std::size_t i = threadIdx.x; i < count; i += test_threads)
    weights[i] = all_weights[blockIdx.x * count + i];
  if (threadIdx.x == 0) settled = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < samples; i += test_threads) {
    const Verdict verdict = plain::paper_sample<V, most>(task, n, weights, i);
    residuals[i] = static_cast<float>(verdict.residual);
    if (verdict.outcome == Outcome::settled) atomicAdd(&settled, 1u);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < samples; i += test_threads) {
    unsigned below = 0;
    for (unsigned j = 0; j < samples; ++j)
      below += residuals[j] < residuals[i] || (residuals[j] == residuals[i] && j < i);
    if (below == samples / 2)
      records[blockIdx.x] = {static_cast<float>(settled) / static_cast<float>(samples), residuals[i]};
  }
}

template <std::size_t n>
ReplicaKernels replica_kernels(bool recurrent) {
  using V = plain::One<float, std::integral_constant<std::size_t, n>>;
  if (!recurrent) return {train_replicas<V, n, false>, test_replicas<V, n, false>, nullptr};
  return {train_replicas<V, n, true>, test_replicas<V, n, true>, test_paper<V, n>};
}

}  // namespace irn::cuda

#endif
