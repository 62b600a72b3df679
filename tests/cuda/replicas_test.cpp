// Replicas on a CUDA device: the same bits whatever other replicas, threads and stretches of training there
// are, and the processor's results.
#include <gtest/gtest.h>

#include <cmath>

#include "irn/base/random.h"
#include "irn/data/oscillator.h"
#include "irn/engine/cuda/replica_task.h"
#include "irn/train/evaluate.h"
#include "irn/train/trainer.h"
#include "tests/cuda/on_cuda.h"

namespace irn {
namespace {

using cuda::ReplicaGradient;
class ReplicasOnCuda : public OnCuda {};

cuda::ReplicaOptions options(std::size_t hidden, ReplicaGradient gradient) {
  return {.train_samples = 3'200'000,
          .test_samples = 20'000,
          .gradient = gradient,
          .hidden = hidden,
          .steps_per_epoch = 50};
}
NetworkOf<float> start(std::size_t hidden, ReplicaGradient gradient, std::size_t repeat) {
  const Recurrence recurrence = gradient == ReplicaGradient::sweep ? Recurrence::none : Recurrence::full;
  return NetworkOf<float>(Architecture(100, {{hidden}, {2}}, recurrence), Start::paper, 1'000'003 + repeat);
}
std::unique_ptr<cuda::Replicas> group(const cuda::ReplicaOptions& o, std::size_t first, std::size_t count,
                                      bool crowded) {
  cuda::ReplicaNumbers numbers;
  for (std::size_t r = first; r < first + count; ++r) {
    const std::vector<float> weights = cuda::replica_weights(start(o.hidden, o.gradient, r));
    numbers.weights.insert(numbers.weights.end(), weights.begin(), weights.end());
    numbers.states.push_back({.stream = 1000 + r, .rate = 0.01f});
  }
  return cuda::make_replicas(
      cuda_device,
      {.task = cuda::task_of(o), .numbers = std::move(numbers), .epochs = 8, .tests = 2, .crowded = crowded});
}
std::vector<float> weights_of(const cuda::ReplicaNumbers& numbers, std::size_t replica) {
  const std::size_t size = numbers.weights.size() / numbers.states.size();
  return {numbers.weights.begin() + static_cast<std::ptrdiff_t>(replica * size),
          numbers.weights.begin() + static_cast<std::ptrdiff_t>((replica + 1) * size)};
}

TEST_F(ReplicasOnCuda, HaveBitsOfTheirOwn) {
  for (const std::size_t hidden : cuda::replica_sizes) {
    cuda::ReplicaOptions o = options(hidden, ReplicaGradient::exact);
    if (on_host()) o.test_samples = 50, o.steps_per_epoch = 2;
    const std::size_t replicas = on_host() ? 10 : 40;
    const auto many = group(o, 0, replicas, true), few = group(o, 7, 2, false);
    many->train(4);
    few->train(1), few->train(3);
    many->test(0), few->test(0);
    EXPECT_EQ(weights_of(many->numbers(), 7), weights_of(few->numbers(), 0)) << hidden;
    EXPECT_EQ(weights_of(many->numbers(), 8), weights_of(few->numbers(), 1)) << hidden;
    EXPECT_EQ(many->tests()[7].squares, few->tests()[0].squares) << hidden;
    EXPECT_EQ(many->epochs()[3 * replicas + 8].loss, few->epochs()[3 * 2 + 1].loss) << hidden;
  }
}

// All kernels of a size, in a fraction of a second, for compute-sanitizer.
class ReplicasOfASize : public ReplicasOnCuda, public testing::WithParamInterface<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(OnCuda, ReplicasOfASize, testing::ValuesIn(cuda::replica_sizes),
                         testing::PrintToStringParamName());
TEST_P(ReplicasOfASize, TrainAndTest) {
  for (const ReplicaGradient gradient :
       {ReplicaGradient::exact, ReplicaGradient::semi, ReplicaGradient::sweep})
    for (const std::size_t batch : {6, 32})
      for (const bool crowded : {false, true}) {
        if (batch > 6 && takes_long_here(GetParam(), 12)) continue;
        cuda::ReplicaOptions o = options(GetParam(), gradient);
        o.steps_per_epoch = 2, o.test_samples = on_host() ? 20 : 150, o.batch = batch;
        const auto replicas = group(o, 0, 3, crowded);
        replicas->train(1), replicas->test(20), replicas->train(1), replicas->test(20), replicas->wait();
        EXPECT_EQ(replicas->tests()[2].outcomes[0], o.test_samples);
        EXPECT_NE(replicas->tests()[2].squares, replicas->tests()[5].squares);
        EXPECT_EQ(replicas->epochs()[5].used, 2 * batch);
        EXPECT_EQ(replicas->numbers().states[2].applied, 4u);
      }
}

TEST_F(ReplicasOnCuda, GoOnWhereTheyWereStopped) {
  const cuda::ReplicaOptions o = options(5, ReplicaGradient::exact);
  const auto whole = group(o, 0, 3, false), begun = group(o, 0, 3, false);
  whole->train(4);
  begun->train(2);
  const auto resumed =
      cuda::make_replicas(cuda_device, {.task = cuda::task_of(o), .numbers = begun->numbers(), .epochs = 2});
  resumed->train(2);
  EXPECT_EQ(resumed->numbers().weights, whole->numbers().weights);
  EXPECT_EQ(resumed->numbers().states[1].applied, 200u);
}

// Rounding differs from the first step on; 200 steps do not amplify it beyond this.
TEST_F(ReplicasOnCuda, TrainAndTestAsTheProcessorDoes) {
  for (const ReplicaGradient gradient :
       {ReplicaGradient::exact, ReplicaGradient::semi, ReplicaGradient::sweep})
    for (const std::size_t hidden : cuda::replica_sizes) {
      if (takes_long_here(hidden, 12)) continue;
      cuda::ReplicaOptions o = options(hidden, gradient);
      if (on_host()) o.test_samples = 500;
      const auto replicas = group(o, 3, 1, false);
      replicas->train(4);
      replicas->test(1000);
      replicas->wait();

      NetworkOf<float> network = start(hidden, gradient, 3);
      ThreadPool threads(4);
      TrainOptions train;
      train.optimiser = Adam{.rate = 0.01};
      if (gradient == ReplicaGradient::semi) train.gradient.gradient = SemiGradient{};
      Trainer<float> trainer(network, train, threads);
      const Oscillator<float> samples({.count = o.train_samples});
      const Stream stream(1, 1003);
      double last = 0;
      for (std::size_t step = 0; step < 200; ++step) {
        std::vector<std::uint64_t> index;
        for (std::size_t b = 0; b < 6; ++b) index.push_back(stream.below(step * 6 + b, o.train_samples));
        const double loss = trainer.step(samples, index).loss;
        if (step >= 150) last += loss / 50;
      }
      EXPECT_NEAR(replicas->epochs()[3].loss / 50, last, 0.01 * last) << hidden;

      NetworkOf<float> trained = network;
      cuda::set_parameters(replicas->numbers().weights, trained);
      Settler<float> settler(trained, {}, threads);
      const Evaluation expected =
          evaluate(settler, Oscillator<float>({.first = o.train_samples, .count = o.test_samples}));
      const cuda::TestSums sums = replicas->tests()[0];
      EXPECT_NEAR(sums.outcomes[0], double(expected.summary.settled()), 2) << hidden;
      EXPECT_NEAR(sums.squared_errors() / (2.0 * sums.outcomes[0]), expected.loss, 1e-4 * expected.loss)
          << hidden;
      EXPECT_EQ(replicas->paper().empty(), gradient == ReplicaGradient::sweep);
    }
}

}  // namespace
}  // namespace irn
