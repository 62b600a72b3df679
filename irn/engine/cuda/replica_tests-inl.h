// Kernels that test replicas on samples that they have not seen. Whether a sample has one thread or several
// (replica_thread-inl.h, replica_shared-inl.h), all threads of a warp make the same turns; a turn beyond the
// last sample repeats it and is not counted.
//
// Nearly all samples settle in a few steps, but one that cycles takes hundreds. So the first kernel spends
// little effort on all of them and lists the rest; the second takes these alone.
#ifndef IRN_ENGINE_CUDA_REPLICA_TESTS_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_TESTS_INL_H_

#include "irn/engine/cuda/replica-inl.h"
#include "irn/engine/cuda/replica_kernels.h"

namespace irn::cuda {

// Sums over the samples of a thread, a block or a replica.
struct CountedAnswers {
  unsigned long long squares, evaluations;
  unsigned settled, residual;  // residual: bits of a float that is not negative, which have its order

  __device__ void add(const TestAnswer& answer) {
    squares += static_cast<unsigned long long>(answer.squares / TestSums::unit + 0.5);
    evaluations += answer.verdict.evaluations;
    ++settled;
    residual = max(residual, __float_as_uint(static_cast<float>(answer.verdict.residual)));
  }
  __device__ void add_to(TestSums& sums) const {
    static_assert(sizeof(unsigned long long) == sizeof sums.squares &&
                  sizeof(unsigned) == sizeof sums.outcomes[0]);
    atomicAdd(reinterpret_cast<unsigned long long*>(&sums.squares), squares);
    atomicAdd(reinterpret_cast<unsigned long long*>(&sums.evaluations), evaluations);
    atomicAdd(&sums.outcomes[static_cast<std::size_t>(Outcome::settled)], settled);
    atomicMax(reinterpret_cast<unsigned*>(&sums.max_residual), residual);
  }
};

template <class Sample>
__device__ float* copied(const ReplicaTask& task, const float* weights) {
  float* own = shared_memory<float>();
  const std::size_t count = task.shape.weights();
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) own[i] = weights[i];
  return own;
}

// How many blocks a multiprocessor must have room for. With 7 neurons, three with some registers spilled are
// faster by a sixth than two without (H200).
template <class Sample>
constexpr unsigned test_blocks() {
  if (Sample::V::Share::threads == 1) return Sample::room <= 7 ? 3 : 1;
  return Sample::Neurons::value <= 16 ? 3 : 2;
}

template <class Sample>
__global__ void __launch_bounds__(test_threads, test_blocks<Sample>())
    test_replicas(const __grid_constant__ ReplicaTask task, const float* all_weights, TestSums* sums,
                  HardSamples hard) {
  constexpr unsigned threads = Sample::V::Share::threads, together = test_threads / threads;
  __shared__ TestSums of_block;
  const float* weights = copied<Sample>(task, all_weights + blockIdx.y * task.shape.weights());
  if (threadIdx.x == 0) of_block = {};
  __syncthreads();
  const std::uint64_t first = blockIdx.x * test_chunk, rest = task.test_samples - first;
  const auto size = static_cast<unsigned>(rest < test_chunk ? rest : test_chunk);
  CountedAnswers own{};
  for (unsigned from = 0; from < size; from += together) {
    const unsigned i = from + threadIdx.x / threads;
    const std::uint64_t sample = first + (i < size ? i : size - 1);
    const TestAnswer answer = plain::test_sample<Sample>(task, weights, sample, Effort::little);
    if (i >= size || Sample::V::Share::rank() != 0) continue;
    if (answer.verdict.outcome == Outcome::settled)
      own.add(answer);
    else
      hard.list[atomicAdd(hard.count, 1u)] =
          static_cast<std::uint32_t>(blockIdx.y * task.test_samples + sample);
  }
  if (own.settled > 0) own.add_to(of_block);
  __syncthreads();
  if (threadIdx.x != 0) return;
  const CountedAnswers all{of_block.squares, of_block.evaluations,
                           of_block.outcomes[static_cast<std::size_t>(Outcome::settled)],
                           __float_as_uint(of_block.max_residual)};
  all.add_to(sums[blockIdx.y]);
}

template <class Sample>
__global__ void __launch_bounds__(test_threads)
    test_hard(const __grid_constant__ ReplicaTask task, const float* all_weights, TestSums* sums,
              HardSamples hard) {
  constexpr unsigned threads = Sample::V::Share::threads;
  const unsigned count = *hard.count, stride = gridDim.x * test_threads / threads;
  for (unsigned i = (blockIdx.x * test_threads + threadIdx.x) / threads;
       i - i % (replica_warp / threads) < count; i += stride) {
    const std::uint64_t at = hard.list[i < count ? i : count - 1], replica = at / task.test_samples;
    const TestAnswer answer = plain::test_sample<Sample>(task, all_weights + replica * task.shape.weights(),
                                                         at % task.test_samples, Effort::all);
    if (i >= count || Sample::V::Share::rank() != 0) continue;
    if (answer.verdict.outcome == Outcome::settled) {
      CountedAnswers own{};
      own.add(answer);
      own.add_to(sums[replica]);
    } else {
      atomicAdd(&sums[replica].outcomes[static_cast<std::size_t>(answer.verdict.outcome)], 1u);
      atomicAdd(reinterpret_cast<unsigned long long*>(&sums[replica].evaluations),
                static_cast<unsigned long long>(answer.verdict.evaluations));
    }
  }
}

// By the paper's solver: the share that settles, and the median of all residuals.
template <class Sample>
__global__ void __launch_bounds__(test_threads)
    test_paper(const __grid_constant__ ReplicaTask task, const float* all_weights, unsigned samples,
               PaperRecord* records) {
  constexpr unsigned threads = Sample::V::Share::threads, together = test_threads / threads;
  __shared__ unsigned settled;
  const float* weights = copied<Sample>(task, all_weights + blockIdx.x * task.shape.weights());
  float* residuals = const_cast<float*>(weights) + task.shape.weights();
  if (threadIdx.x == 0) settled = 0;
  __syncthreads();
  for (unsigned from = 0; from < samples; from += together) {
    const unsigned i = from + threadIdx.x / threads;
    const Verdict verdict = plain::paper_sample<Sample>(task, weights, i < samples ? i : samples - 1);
    if (i >= samples || Sample::V::Share::rank() != 0) continue;
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

}  // namespace irn::cuda

#endif
