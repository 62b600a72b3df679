// Inputs and results of replicas (replica-inl.h): plain numbers that host and device share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"
#include "irn/kernels/oscillator.h"

namespace irn::cuda {

// replica_sizes: the hidden neurons for which there are kernels, those of the paper's experiments. Up to 8, a
// thread has registers for the search of a sample; beyond, several threads share it. most_replica_batch:
// samples in a batch.
inline constexpr std::size_t replica_sizes[] = {1, 2, 3, 5, 8, 12, 20, 32}, most_replica_batch = 32;

//   exact   I - J^T factored at the equilibrium
//   semi    the forward blocks carry the gradient
//   sweep   a network without recurrence
enum class ReplicaGradient : std::uint8_t { exact, semi, sweep };

// The processor's values: adjoint_trust<float>, GradientOptions::amplification_limit.
inline constexpr float adjoint_trust_of_replicas = 1e-3f, amplification_limit_of_replicas = 1e4f;

// Weights are stored as B [point][hidden neuron], A [neuron][neuron], hidden neurons first, and the biases;
// without recurrence most of A is zero.
struct ReplicaShape {
  std::size_t points = 0, hidden = 0, batch = 0;
  constexpr std::size_t neurons() const { return hidden + 2; }
  constexpr std::size_t weights() const { return points * hidden + neurons() * (neurons() + 1); }
};

// How much is done for a sample.
//   little     a first attempt of few steps, which settles nearly all: tests begin with it
//   training   a first attempt of some more steps. A sample that it does not settle is left out of its batch:
//              a network's training waits for its slowest sample, and most of the samples that take longer
//              cycle
//   all        all that solver `auto` does
// A sample that settles with less effort has the same bits as with more.
// What settles by less effort has the bits of a search with more.
enum class Effort : std::uint8_t { little, training, all };

// The first and the second attempt of solver `auto` for small networks.
struct AutoSearch {
  Rosenbrock solver[2];
  Rules<float> rules[2];
  // Implicit steps. One sample in a hundred thousand takes more than 64 and settles (5 hidden neurons,
  // trained, on the processor).
  static constexpr std::size_t little_steps = 12, training_steps = 64;

  constexpr Rosenbrock solver_of(int attempt, Effort effort) const {
    Rosenbrock taken = solver[attempt];
    if (effort != Effort::all)
      taken.steps = taken.launch + (effort == Effort::little ? little_steps : training_steps);
    return taken;
  }
};

struct AdamNumbers {
  float size = 0, epsilon = 0;  // of a step with rate 1, bias correction included
};

// The number of steps after which Adam's bias correction is none in float: 0.999^32768 = 6e-15.
inline constexpr std::size_t adam_table_size = 32768;

// What all replicas of a group share.
struct ReplicaTask {
  ReplicaShape shape;
  ReplicaGradient gradient = ReplicaGradient::exact;
  kernels::OscillatorPlan train, test;
  std::uint64_t train_samples = 0, test_samples = 0;
  std::size_t steps_per_epoch = 0;
  std::size_t batches_per_epoch = 0;  // drawn in an epoch and used in turn; 0: a new one each step
  AutoSearch search;
  RungeKutta4 paper;
  float less1 = 0, beta2 = 0, less2 = 0;
};

struct ReplicaState {
  std::uint64_t stream = 0;     // of the seed of task.train: chooses the samples of a batch
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
  // Of the means of steps in which a sample settled, and the number of these steps.
  double loss = 0;
  std::uint32_t counted = 0, steps = 0;
  std::uint32_t settled = 0, used = 0;  // samples
  std::uint64_t evaluations = 0;
};

struct TestAnswer {
  Verdict verdict;
  double squares = 0;
};

// Sums over a replica's test samples. All are sums of whole numbers, the same in any order, so any thread may
// take any sample.
struct TestSums {
  static constexpr double unit = 0x1p-40;  // has room for 8 million samples with the largest error, 2
  std::uint64_t squares = 0;               // of the errors of settled samples, in units
  std::uint64_t evaluations = 0;
  std::uint32_t outcomes[outcome_names.size()] = {};
  float max_residual = 0;  // of settled samples
  constexpr double squared_errors() const { return static_cast<double>(squares) * unit; }
};
inline constexpr std::uint64_t most_replica_tests = std::uint64_t{1} << 23;

// The paper's solver on some samples.
struct PaperRecord {
  float settled_share = 0, median_residual = 0;
};

}  // namespace irn::cuda
