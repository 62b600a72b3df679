// What replicas (replica-inl.h) are told and what they tell: plain numbers that host and device share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"
#include "irn/kernels/oscillator.h"

namespace irn::cuda {

// Hidden neurons for which there are kernels: those of the paper's experiments at which a thread has registers for a search; samples in a batch.
inline constexpr std::size_t replica_sizes[] = {1, 2, 3, 5, 8}, most_replica_batch = 32;

//   exact   I - J^T factored at the equilibrium
//   semi    the forward blocks carry the gradient
//   sweep   a network without recurrence
enum class ReplicaGradient : std::uint8_t { exact, semi, sweep };

// Of the processor: adjoint_trust<float>, GradientOptions::amplification_limit.
inline constexpr float adjoint_trust_of_replicas = 1e-3f, amplification_limit_of_replicas = 1e4f;

// Weights lie as B [point][hidden neuron], A [neuron][neuron], the hidden ones first, and the biases; without recurrence most of A is zero.
struct ReplicaShape {
  std::size_t points = 0, hidden = 0, batch = 0;
  constexpr std::size_t neurons() const { return hidden + 2; }
  constexpr std::size_t weights() const { return points * hidden + neurons() * (neurons() + 1); }
};

// What solver `auto` is for small networks: first and second attempt.
struct AutoSearch {
  Rosenbrock solver[2];
  Rules<float> rules[2];
};

struct AdamNumbers {
  float size = 0, epsilon = 0;  // of a step, bias correction included, for rate 1
};

// Steps after which Adam's bias correction is none in float: 0.999^32768 = 6e-15.
inline constexpr std::size_t adam_table_size = 32768;

// What all replicas of a group share.
struct ReplicaTask {
  ReplicaShape shape;
  ReplicaGradient gradient = ReplicaGradient::exact;
  kernels::OscillatorPlan train, test;
  std::uint64_t train_samples = 0, test_samples = 0;
  std::size_t steps_per_epoch = 0;
  std::size_t batches_per_epoch = 0;  // drawn in an epoch and gone round; 0: a fresh one each step
  AutoSearch search;
  RungeKutta4 paper;
  float less1 = 0, beta2 = 0, less2 = 0;
};

struct ReplicaState {
  std::uint64_t stream = 0;     // of the seed of task.train: which samples a batch has
  float rate = 0;               // of Adam
  std::uint32_t applied = 0;    // steps of Adam so far
  std::uint64_t attempted = 0;  // steps of training so far
};

struct Moments {
  float first = 0, second = 0;
};

// What became of one sample of a batch.
struct SampleNote {
  float loss;
  std::uint32_t evaluations;
  bool settled, used;
};

struct EpochSums {
  double loss = 0;  // of the means of steps in which a sample settled, and how many these are
  std::uint32_t counted = 0, steps = 0;
  std::uint32_t settled = 0, used = 0;  // samples
  std::uint64_t evaluations = 0;
};

struct TestAnswer {
  Verdict verdict;
  double squares = 0;
};

// Samples whose errors are summed up together on a device, by the threads of a block.
struct TestSums {
  double squares = 0;  // of the errors of settled samples
  std::uint64_t evaluations = 0;
  std::uint32_t outcomes[outcome_names.size()] = {};
  float max_residual = 0;  // of settled samples
  constexpr void add(const TestSums& other) {
    squares += other.squares;
    evaluations += other.evaluations;
    for (std::size_t k = 0; k < outcome_names.size(); ++k) outcomes[k] += other.outcomes[k];
    max_residual = other.max_residual > max_residual ? other.max_residual : max_residual;
  }
};

// The paper's solver on some samples.
struct PaperRecord {
  float settled_share = 0, median_residual = 0;
};

}  // namespace irn::cuda
