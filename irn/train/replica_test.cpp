// Replicas as a device trains them, compiled for the host, beside the trainer: the same samples, the same rules, the same parameters but for rounding.
#include "irn/engine/cuda/replica-inl.h"

#include <gtest/gtest.h>

#include "irn/base/random.h"
#include "irn/data/oscillator.h"
#include "irn/engine/cuda/replica_task.h"
#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"

namespace irn {
namespace {

using cuda::ReplicaGradient;
using plain::One;

// One replica on the host, all its threads one after the other.
template <class V, std::size_t most, bool recurrent>
class HostReplica {
 public:
  HostReplica(const cuda::ReplicaTask& task, const NetworkOf<float>& network, std::uint64_t stream,
              float rate)
      : task_(task),
        state_{.stream = stream, .rate = rate},
        weights_(cuda::replica_weights(network)),
        moments_(weights_.size()),
        table_(cuda::adam_table()) {
    const std::size_t batch = task.shape.batch, n = task.shape.neurons();
    inputs_.resize(task.shape.points * batch), deltas_.resize(batch * n), states_.resize(batch * n);
    notes_.resize(batch);
    if constexpr (std::is_same_v<typename V::Size, std::size_t>) n_ = n;
  }
  void step(std::size_t lanes) {
    const plain::ReplicaMemory memory{task_.shape.points, task_.shape.batch, weights_.data(), inputs_.data(),
                                      deltas_.data(),     states_.data(),    notes_.data()};
    for (std::size_t s = 0; s < notes_.size(); ++s)
      plain::sample_step<V, most, recurrent>(task_, n_, memory, s,
                                             plain::sample_of(task_, state_, state_.attempted, s));
    ++state_.attempted;
    plain::note_step(notes_.data(), notes_.size(), epoch);
    const std::uint32_t used = plain::used_of(notes_.data(), notes_.size());
    if (used == 0) return;
    const plain::AdamThread adam(task_, state_, table_.data(), used);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      notes_.size() == 6
          ? plain::parameter_step<recurrent, 6>(n_, memory, adam, moments_.data(), lane, lanes)
          : plain::parameter_step<recurrent, 0>(n_, memory, adam, moments_.data(), lane, lanes);
    ++state_.applied;
  }
  cuda::TestAnswer test(std::uint64_t index) const {
    return plain::test_sample<V, most, recurrent>(task_, n_, weights_.data(), index);
  }
  Verdict paper(std::uint64_t index) const {
    return plain::paper_sample<V, most>(task_, n_, weights_.data(), index);
  }
  const std::vector<float>& weights() const { return weights_; }
  cuda::EpochSums epoch;

 private:
  cuda::ReplicaTask task_;
  cuda::ReplicaState state_;
  std::vector<float> weights_;
  std::vector<cuda::Moments> moments_;
  std::vector<cuda::AdamNumbers> table_;
  std::vector<float> inputs_, deltas_, states_;
  std::vector<cuda::SampleNote> notes_;
  typename V::Size n_{};
};

template <std::size_t n>
using Known = One<float, std::integral_constant<std::size_t, n>>;

cuda::ReplicaOptions options_for(std::size_t hidden, std::size_t batch = 6) {
  return {.seed = 1,
          .train_samples = 3'200'000,
          .test_samples = 4000,
          .hidden = hidden,
          .batch = batch,
          .steps_per_epoch = 200};
}
Oscillator<float> samples_of(const cuda::ReplicaOptions& o, bool test) {
  return Oscillator<float>({.seed = o.seed,
                            .first = test ? o.train_samples : 0,
                            .count = test ? o.test_samples : o.train_samples});
}
NetworkOf<float> start_of(std::size_t hidden, ReplicaGradient gradient) {
  const Recurrence recurrence = gradient == ReplicaGradient::sweep ? Recurrence::none : Recurrence::full;
  return NetworkOf<float>(Architecture(100, {{hidden}, {2}}, recurrence), Start::paper, 1'000'003);
}

struct Agreement {
  double farthest_loss = 0;           // of a step's, relative to it
  double loss = 0, replica_loss = 0;  // means over the steps
};

// A replica and a trainer, some steps with the same samples.
template <class V, std::size_t most, ReplicaGradient gradient>
Agreement trained(cuda::ReplicaOptions options, std::size_t steps) {
  options.gradient = gradient;
  NetworkOf<float> network = start_of(options.hidden, gradient);
  HostReplica<V, most, gradient != ReplicaGradient::sweep> replica(cuda::task_of(options), network, 1007,
                                                                   0.01f);
  ThreadPool threads(1);
  TrainOptions train;
  train.optimiser = Adam{.rate = 0.01};
  if (gradient == ReplicaGradient::semi) train.gradient.gradient = SemiGradient{};
  Trainer<float> trainer(network, train, threads);
  const Oscillator<float> samples = samples_of(options, false);
  const Stream stream(options.seed, 1007);
  Agreement agreement;
  std::vector<std::uint64_t> index(options.batch);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t b = 0; b < index.size(); ++b)
      index[b] = stream.below(step * index.size() + b, options.train_samples);
    const StepReport report = trainer.step(samples, index);
    const double before = replica.epoch.loss;
    replica.step(1);
    const double own = replica.epoch.loss - before;
    EXPECT_EQ(replica.epoch.settled, (step + 1) * options.batch) << "step " << step;
    agreement.farthest_loss = std::max(agreement.farthest_loss, std::abs(own - report.loss) / report.loss);
    agreement.loss += report.loss / double(steps);
    agreement.replica_loss += own / double(steps);
  }
  return agreement;
}

// Rounding differs from the first step on, and training amplifies it.
TEST(Replica, TrainsAsTheTrainerDoes) {
  const Agreement exact = trained<Known<7>, 7, ReplicaGradient::exact>(options_for(5), 300),
                  semi = trained<Known<7>, 7, ReplicaGradient::semi>(options_for(5), 300),
                  sweep = trained<Known<7>, 7, ReplicaGradient::sweep>(options_for(5), 300),
                  other = trained<One<float>, 24, ReplicaGradient::exact>(options_for(8, 11), 60);
  for (const Agreement& a : {exact, semi, sweep, other}) {
    EXPECT_LT(a.farthest_loss, 2e-2);
    EXPECT_NEAR(a.replica_loss, a.loss, 1e-4 * a.loss);
    EXPECT_GT(a.loss, 0.01);
  }
}

TEST(Replica, HasTheSameBitsForAnyNumberOfThreads) {
  const cuda::ReplicaOptions options = options_for(5);
  const NetworkOf<float> network = start_of(5, ReplicaGradient::exact);
  using Replica = HostReplica<Known<7>, 7, true>;
  Replica one(cuda::task_of(options), network, 1000, 0.01f), six = one;
  for (int step = 0; step < 20; ++step) one.step(1), six.step(6);
  EXPECT_EQ(one.weights(), six.weights());
  EXPECT_NE(one.weights(), cuda::replica_weights(network));
}

TEST(Replica, TestsAsTheProcessorDoes) {
  cuda::ReplicaOptions options = options_for(5);
  options.gradient = ReplicaGradient::semi;
  NetworkOf<float> network = start_of(5, ReplicaGradient::semi);
  HostReplica<Known<7>, 7, true> replica(cuda::task_of(options), network, 1001, 0.01f);
  for (int step = 0; step < 2000; ++step) replica.step(1);
  cuda::set_parameters(replica.weights(), network);
  EXPECT_EQ(cuda::replica_weights(network), replica.weights());
  const Oscillator<float> test = samples_of(options, true);
  ThreadPool threads(1);
  Settler<float> settler(network, {}, threads), paper(network, {RungeKutta4{}}, threads);
  const Evaluation expected = evaluate(settler, test);
  const Equilibria<float> by_paper = paper.settle(test);
  double squares = 0, evaluations = 0;
  std::size_t settled = 0, alike = 0;
  for (std::uint64_t i = 0; i < test.size(); ++i) {
    const cuda::TestAnswer answer = replica.test(i);
    evaluations += answer.verdict.evaluations / double(test.size());
    if (answer.verdict.outcome == Outcome::settled) squares += answer.squares, ++settled;
    alike += (replica.paper(i).outcome == Outcome::settled) == by_paper.settled(i);
  }
  EXPECT_EQ(settled, expected.summary.settled());
  EXPECT_NEAR(squares / 2 / double(settled), expected.loss, 1e-5 * expected.loss);
  EXPECT_NEAR(evaluations, expected.summary.mean_evaluations, 0.01 * evaluations);
  EXPECT_GE(alike, test.size() * 99 / 100);
}

TEST(Replica, RefusesWhatItCannotBe) {
  EXPECT_THROW(cuda::task_of(options_for(47)), Error);
  EXPECT_THROW(cuda::task_of(options_for(5, 33)), Error);
}

}  // namespace
}  // namespace irn
