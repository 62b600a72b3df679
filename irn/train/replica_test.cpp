// Replicas as a device trains them, compiled for the host, compared with the trainer: the same samples, the
// same rules, the same parameters except for rounding.
#include "irn/engine/cuda/replica-inl.h"
#include "irn/engine/cuda/replica_shared-inl.h"

#include <gtest/gtest.h>

#include "irn/base/random.h"
#include "irn/data/oscillator.h"
#include "irn/engine/cuda/replica_task.h"
#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"
#include "tests/support/host_share.h"

namespace irn {
namespace {

using cuda::ReplicaGradient;
using plain::One;

// Runs `what` in threads of the host, in place of the device's threads that share a sample; once if none do.
template <class Share, class Do>
void as_threads(const Do& what) {
  if constexpr (Share::threads == 1)
    what();
  else
    Share::run(what);
}

// One replica on the host, all its samples one after the other.
template <class Sample>
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
  }
  void step(std::size_t lanes) {
    const plain::ReplicaMemory memory{task_.shape.points, task_.shape.batch, weights_.data(), inputs_.data(),
                                      deltas_.data(),     states_.data(),    notes_.data()};
    as_threads<typename Sample::V::Share>([&] {
      for (std::size_t s = 0; s < notes_.size(); ++s)
        plain::sample_step<Sample>(task_, memory, s, plain::sample_of(task_, state_, state_.attempted, s));
    });
    ++state_.attempted;
    plain::note_step(notes_.data(), notes_.size(), epoch);
    const std::uint32_t used = plain::used_of(notes_.data(), notes_.size());
    if (used == 0) return;
    const plain::AdamThread adam(task_, state_, table_.data(), used);
    const auto n = plain::neurons_of<typename Sample::Neurons>(task_.shape);
    constexpr bool recurrent = Sample::is_recurrent;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      notes_.size() == 6 ? plain::parameter_step<recurrent, 6>(n, memory, adam, moments_.data(), lane, lanes)
                         : plain::parameter_step<recurrent, 0>(n, memory, adam, moments_.data(), lane, lanes);
    ++state_.applied;
  }
  cuda::TestAnswer test(std::uint64_t index, cuda::Effort effort = cuda::Effort::all) const {
    cuda::TestAnswer answer;
    as_threads<typename Sample::V::Share>([&] {
      const auto own = plain::test_sample<Sample>(task_, weights_.data(), index, effort);
      if (Sample::V::Share::rank() == 0) answer = own;
    });
    return answer;
  }
  Verdict paper(std::uint64_t index) const {
    Verdict verdict;
    as_threads<typename Sample::V::Share>([&] {
      const Verdict own = plain::paper_sample<Sample>(task_, weights_.data(), index);
      if (Sample::V::Share::rank() == 0) verdict = own;
    });
    return verdict;
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
};

template <std::size_t n>
using Known = std::integral_constant<std::size_t, n>;
template <std::size_t n, bool recurrent = true>
using Alone = plain::SampleThread<One<float, Known<n>>, n, recurrent>;
// n neurons, `rows` in each of some threads, which have room for more.
template <std::size_t n, std::size_t rows, std::size_t threads>
using Shared = plain::SampleShared<One<float, Known<rows>, HostShare<threads>>, n>;

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
  double farthest_loss = 0;           // largest difference of a step's loss, relative
  double loss = 0, replica_loss = 0;  // means over the steps
};

// A replica and a trainer do some steps with the same samples.
template <class Sample, ReplicaGradient gradient>
Agreement trained(cuda::ReplicaOptions options, std::size_t steps) {
  options.gradient = gradient;
  NetworkOf<float> network = start_of(options.hidden, gradient);
  HostReplica<Sample> replica(cuda::task_of(options), network, 1007, 0.01f);
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
  using OfAnySize = plain::SampleThread<One<float>, 24, true>;
  const Agreement exact = trained<Alone<7>, ReplicaGradient::exact>(options_for(5), 300),
                  semi = trained<Alone<7>, ReplicaGradient::semi>(options_for(5), 300),
                  sweep = trained<Alone<7, false>, ReplicaGradient::sweep>(options_for(5), 300),
                  wide = trained<Alone<22, false>, ReplicaGradient::sweep>(options_for(20), 100),
                  other = trained<OfAnySize, ReplicaGradient::exact>(options_for(8, 11), 60);
  for (const Agreement& a : {exact, semi, sweep, wide, other}) {
    EXPECT_LT(a.farthest_loss, 2e-2);
    EXPECT_NEAR(a.replica_loss, a.loss, 1e-4 * a.loss);
    EXPECT_GT(a.loss, 0.01);
  }
}

// Threads share a sample, with and without neurons that only pad. Few samples, because threads of the host
// wait for each other thousands of times in each.
TEST(Replica, TrainsAsTheTrainerDoesWithThreadsThatShareASample) {
  const Agreement exact = trained<Shared<14, 7, 2>, ReplicaGradient::exact>(options_for(12, 2), 2),
                  semi = trained<Shared<14, 7, 2>, ReplicaGradient::semi>(options_for(12, 1), 2),
                  padded = trained<Shared<22, 6, 4>, ReplicaGradient::exact>(options_for(20, 1), 2);
  for (const Agreement& a : {exact, semi, padded}) {
    EXPECT_LT(a.farthest_loss, 1e-4);
    EXPECT_GT(a.loss, 1e-3);
  }
}

TEST(Replica, HasTheSameBitsForAnyNumberOfThreads) {
  const cuda::ReplicaOptions options = options_for(5);
  const NetworkOf<float> network = start_of(5, ReplicaGradient::exact);
  using Replica = HostReplica<Alone<7>>;
  Replica one(cuda::task_of(options), network, 1000, 0.01f), six = one;
  for (int step = 0; step < 20; ++step) one.step(1), six.step(6);
  EXPECT_EQ(one.weights(), six.weights());
  EXPECT_NE(one.weights(), cuda::replica_weights(network));
}

TEST(Replica, TestsAsTheProcessorDoes) {
  cuda::ReplicaOptions options = options_for(5);
  options.gradient = ReplicaGradient::semi;
  NetworkOf<float> network = start_of(5, ReplicaGradient::semi);
  HostReplica<Alone<7>> replica(cuda::task_of(options), network, 1001, 0.01f);
  for (int step = 0; step < 2000; ++step) replica.step(1);
  cuda::set_parameters(replica.weights(), network);
  EXPECT_EQ(cuda::replica_weights(network), replica.weights());
  const Oscillator<float> test = samples_of(options, true);
  ThreadPool threads(1);
  Settler<float> settler(network, {}, threads), paper(network, {RungeKutta4{}}, threads);
  const Evaluation expected = evaluate(settler, test);
  const Equilibria<float> by_paper = paper.settle(test);
  double squares = 0, evaluations = 0;
  std::size_t settled = 0, alike = 0, soon = 0;
  for (std::uint64_t i = 0; i < test.size(); ++i) {
    const cuda::TestAnswer answer = replica.test(i), little = replica.test(i, cuda::Effort::little);
    if (little.verdict.outcome == Outcome::settled) {
      ++soon;
      EXPECT_EQ(little.squares, answer.squares);
      EXPECT_EQ(little.verdict.evaluations, answer.verdict.evaluations);
    }
    evaluations += answer.verdict.evaluations / double(test.size());
    if (answer.verdict.outcome == Outcome::settled) squares += answer.squares, ++settled;
    alike += (replica.paper(i).outcome == Outcome::settled) == by_paper.settled(i);
  }
  EXPECT_EQ(settled, expected.summary.settled());
  EXPECT_NEAR(squares / 2 / double(settled), expected.loss, 1e-5 * expected.loss);
  EXPECT_NEAR(evaluations, expected.summary.mean_evaluations, 0.01 * evaluations);
  EXPECT_GE(alike, test.size() * 99 / 100);
  EXPECT_GE(soon, test.size() * 98 / 100);
}

// Samples shared by threads, with solver auto and the paper's.
TEST(Replica, TestsAsTheProcessorDoesWithThreadsThatShareASample) {
  const cuda::ReplicaOptions options = options_for(12);
  NetworkOf<float> network = start_of(12, ReplicaGradient::exact);
  for (float& weight : network.parameters()) weight *= 6;  // as far from harmless as after training
  const HostReplica<Shared<14, 4, 4>> replica(cuda::task_of(options), network, 1001, 0.01f);
  const Oscillator<float> test = samples_of(options, true);
  ThreadPool threads(1);
  const Equilibria<float> expected = Settler<float>(network, {}, threads).settle(test);
  const Equilibria<float> by_paper = Settler<float>(network, {RungeKutta4{}}, threads).settle(test);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const Verdict found = replica.test(i).verdict, paper = replica.paper(i);
    EXPECT_EQ(found.outcome, expected.verdicts[i].outcome) << i;
    EXPECT_EQ(found.stability, expected.verdicts[i].stability) << i;
    EXPECT_EQ(found.evaluations, expected.verdicts[i].evaluations) << i;
    EXPECT_EQ(paper.outcome, by_paper.verdicts[i].outcome) << i;
    EXPECT_NEAR(paper.residual, by_paper.verdicts[i].residual, 1e-5 + 1e-2 * paper.residual) << i;
  }
}

TEST(Replica, RefusesWhatItCannotBe) {
  EXPECT_THROW(cuda::task_of(options_for(47)), Error);
  EXPECT_THROW(cuda::task_of(options_for(5, 33)), Error);
}

}  // namespace
}  // namespace irn
