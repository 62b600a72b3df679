#include "irn/train/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "irn/base/random.h"
#include "irn/data/sample_table.h"
#include "irn/network/certificate.h"
#include "irn/optim/certifier.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using testing::HasSubstr;

// The target is a wave over two inputs.
SampleTable<double> wave(std::size_t rows, std::uint64_t seed) {
  const Stream draw(seed);
  std::vector<double> inputs, targets;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = draw.uniform(2 * i, -2, 2), b = draw.uniform(2 * i + 1, -2, 2);
    inputs.insert(inputs.end(), {a, b});
    targets.push_back(std::sin(a) * std::cos(b));
  }
  return SampleTable<double>(2, 1, std::move(inputs), std::move(targets));
}

FitOptions quick(std::size_t epochs) {
  FitOptions options{.epochs = epochs, .batch = 16, .noise = 0.01, .seed = 3};
  options.training.schedule = CosineRate{.steps = epochs * 7};
  return options;
}

NetworkOf<double> start() { return {from_text<Architecture>("2-8tanh-1identity/lateral"), Start::scaled, 5}; }

struct Trained {
  std::vector<double> last, best;
  std::vector<EpochRecord> records;
  std::optional<FitEnd> end;
};

// Trains to the end; at every step of `pauses` a new Fit continues from the state of the old one.
Trained train(const FitOptions& options, const std::vector<std::size_t>& pauses,
              std::size_t threads_wanted = 1) {
  const SampleTable<double> training = wave(100, 1), validation = wave(50, 2);
  ThreadPool threads(threads_wanted);
  NetworkOf<double> network = start();
  auto fit = std::make_unique<Fit<double>>(network, training, &validation, options, threads);
  for (std::size_t step = 0; !fit->ended(); ++step) {
    if (std::find(pauses.begin(), pauses.end(), step) != pauses.end()) {
      FitState<double> state = fit->state();
      network = start();
      fit = std::make_unique<Fit<double>>(network, training, &validation, options, threads);
      fit->restore(std::move(state));
    }
    fit->step();
  }
  const auto copy = [](std::span<const double> of) { return std::vector<double>(of.begin(), of.end()); };
  return {copy(network.parameters()), copy(fit->best().parameters()), fit->records(), fit->ended()};
}

TEST(Fit, LearnsAndKeepsTheWeightsThatJudgedBest) {
  const Trained trained = train(quick(60), {});
  ASSERT_EQ(trained.records.size(), 60u);
  EXPECT_EQ(trained.end, FitEnd::all_epochs);
  EXPECT_GT(trained.records.back().score, 0.9);
  EXPECT_LT(trained.records.back().loss, trained.records.front().loss / 5);
  double least = trained.records.front().validation_loss;
  std::size_t best_epoch = 0;
  for (const EpochRecord& record : trained.records) {
    least = std::min(least, record.validation_loss);
    if (record.best) best_epoch = record.epoch;
  }
  EXPECT_EQ(trained.records[best_epoch - 1].validation_loss, least) << "all settled: the cost is the loss";
}

TEST(Fit, EndsWithTheSameBitsHoweverOftenItWasInterrupted) {
  const Trained whole = train(quick(6), {});
  for (std::size_t trial = 0; trial < 10; ++trial) {
    const Stream draw(trial, 9);
    const std::vector<std::size_t> pauses = {draw.below(0, 42), draw.below(1, 42), draw.below(2, 42)};
    const Trained paused = train(quick(6), pauses);
    EXPECT_EQ(paused.last, whole.last);
    EXPECT_EQ(paused.best, whole.best);
    ASSERT_EQ(paused.records.size(), whole.records.size());
    for (std::size_t i = 0; i < whole.records.size(); ++i)
      EXPECT_EQ(paused.records[i].validation_loss, whole.records[i].validation_loss);
  }
}

// A high rate and a task that needs recurrence: without the certifier the weights would leave the bound
// within some steps.
TEST(Fit, KeepsItsCertificateAndResumesToTheSameBits) {
  FitOptions options = quick(12);
  options.training.optimiser = Adam{.rate = 0.1};
  options.training.certify = 0.8;
  const Trained whole = train(options, {}), broken = train(options, {3, 20, 21, 50});
  EXPECT_EQ(whole.last, broken.last);
  EXPECT_EQ(whole.best, broken.best);
  for (const std::vector<double>& parameters : {whole.last, whole.best})
    EXPECT_TRUE(is_certified(NetworkOf<double>(start().architecture(), parameters)));
  for (const EpochRecord& record : whole.records) EXPECT_EQ(record.validation_settled, 1);
  options.training.certify = 0;
  EXPECT_FALSE(is_certified(NetworkOf<double>(start().architecture(), train(options, {}).last)));
}

// The mean of the weights after every step, computed by hand.
TEST(Fit, JudgesAndKeepsTheMeanOfTheWeights) {
  FitOptions options = quick(3);
  options.average = 0.9;
  const SampleTable<double> training = wave(100, 1), validation = wave(50, 2);
  ThreadPool threads(1);
  NetworkOf<double> network = start();
  Fit<double> fit(network, training, &validation, options, threads);
  std::vector<double> mean;
  std::vector<std::vector<double>> at_the_end;  // of each epoch
  std::size_t t = 0;
  while (!fit.ended()) {
    fit.step();
    const std::span<const double> now = std::as_const(network).parameters();
    if (mean.empty()) mean.assign(now.begin(), now.end());
    ++t;
    const double kept = std::min(0.9, double(t) / double(t + 9));
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = kept * mean[i] + (1 - kept) * now[i];
    if (fit.records().size() > at_the_end.size()) at_the_end.push_back(mean);
  }
  ASSERT_GT(fit.best_epoch(), 0u);
  const std::vector<double>& best = at_the_end[fit.best_epoch() - 1];
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(fit.best().parameters()[i], best[i], 1e-14);
  NetworkOf<double> averaged(network.architecture(), best);
  Settler<double> settler(averaged, {}, threads);
  EXPECT_NEAR(evaluate(settler, validation, SquaredLoss{}).loss,
              fit.records()[fit.best_epoch() - 1].validation_loss, 1e-7);
  const std::vector<double> last(network.parameters().begin(), network.parameters().end());
  options.average = 0;
  EXPECT_EQ(train(options, {}).last, last) << "training goes on as without a mean";
}

TEST(Fit, WithAMeanOfTheWeightsResumesToTheSameBits) {
  FitOptions options = quick(6);
  options.average = 0.95;
  const Trained whole = train(options, {}), broken = train(options, {3, 20, 21, 40}),
                shared = train(options, {}, 3);
  EXPECT_EQ(whole.best, broken.best);
  EXPECT_EQ(whole.last, broken.last);
  EXPECT_EQ(whole.best, shared.best);
}

// The set is convex: the mean of matrices within the bound is within it. The kept weights are proven
// certified, too.
TEST(Fit, TheMeanOfCertifiedWeightsIsCertified) {
  const auto certified = [](std::uint64_t seed) {
    NetworkOf<double> network = start();
    for (std::size_t i = 0; i < network.parameters().size(); ++i)
      network.parameters()[i] = Stream(seed, 4).uniform(i, -2, 2);
    Certifier<double>(network.architecture(), 0.8).hold(network);
    return network;
  };
  NetworkOf<double> mean = start();
  std::fill(mean.parameters().begin(), mean.parameters().end(), 0.0);
  double bounds = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const NetworkOf<double> one = certified(seed);
    bounds += certificate_bound(one) / 20;
    for (std::size_t i = 0; i < mean.parameters().size(); ++i)
      mean.parameters()[i] += one.parameters()[i] / 20;
  }
  EXPECT_GT(bounds, 0.7) << "near the edge";
  EXPECT_LE(certificate_bound(mean), bounds);
  FitOptions options = quick(12);
  options.training.optimiser = Adam{.rate = 0.1};
  options.training.certify = 0.8;
  options.average = 0.9;
  const Trained trained = train(options, {});
  EXPECT_TRUE(is_certified(NetworkOf<double>(start().architecture(), trained.best)));
  for (const EpochRecord& record : trained.records) EXPECT_EQ(record.validation_settled, 1);
}

// Images with one bright line; its height is the class.
SampleTable<double> lines(std::size_t rows) {
  std::vector<double> inputs, targets;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < 36; ++k) inputs.push_back(k / 6 == i % 6 ? 1 : 0);
  for (std::size_t i = 0; i < rows; ++i) targets.push_back(double(i % 6));
  return SampleTable<double>(36, 1, std::move(inputs), std::move(targets));
}

TEST(Fit, WithAugmentationResumesToTheSameBitsOnAnyNumberOfThreads) {
  const SampleTable<double> training = lines(60);
  const auto after = [&](std::size_t threads_wanted, std::optional<std::size_t> pause, const char* augment) {
    FitOptions options{.epochs = 3, .batch = 16, .noise = 0.1, .seed = 3};
    options.augmentation = from_text<Augmentation>(augment), options.image = {1, 6, 6};
    ThreadPool threads(threads_wanted);
    NetworkOf<double> network(from_text<Architecture>("36-5tanh-1identity"), Start::scaled, 5);
    auto fit = std::make_unique<Fit<double>>(network, training, nullptr, options, threads);
    for (std::size_t step = 0; !fit->ended(); ++step) {
      if (step == pause) {
        FitState<double> state = fit->state();
        fit = std::make_unique<Fit<double>>(network, training, nullptr, options, threads);
        fit->restore(std::move(state));
      }
      fit->step();
    }
    return std::vector<double>(network.parameters().begin(), network.parameters().end());
  };
  constexpr const char* moved = "shift=1,rotate=10,elastic=0.5";
  const std::vector<double> whole = after(1, {}, moved);
  EXPECT_EQ(whole, after(3, {}, moved));
  EXPECT_EQ(whole, after(1, 6, moved));
  EXPECT_NE(whole, after(1, {}, "none"));
}

// Without a certificate it loses samples.
TEST(Fit, LostSamplesPullAndItResumesToTheSameBits) {
  FitOptions options = quick(12);
  options.training.optimiser = Adam{.rate = 0.3};
  const Trained free = train(options, {});
  options.training.pull = 0.8;
  const Trained whole = train(options, {}), broken = train(options, {3, 20, 21, 50});
  EXPECT_EQ(whole.last, broken.last);
  EXPECT_EQ(whole.best, broken.best);
  EXPECT_NE(whole.last, free.last) << "nothing was lost";
}

TEST(Fit, EndsWithTheSameBitsOnAnyNumberOfThreads) {
  EXPECT_EQ(train(quick(4), {}, 1).last, train(quick(4), {}, 3).last);
}

// Wide enough that threads share packing, the optimiser's step and the scaling of the gradient.
TEST(Fit, OfAWideNetworkEndsWithTheSameBitsOnAnyNumberOfThreads) {
  const SampleTable<double> training = wave(32, 1);
  const auto after_two_steps = [&](std::size_t thread_count) {
    ThreadPool threads(thread_count);
    NetworkOf<double> network(from_text<Architecture>("2-400-1identity"), Start::scaled, 1);
    Fit<double> fit(network, training, nullptr, {.epochs = 1, .batch = 16}, threads);
    while (!fit.ended()) fit.step();
    const std::span<const double> parameters = std::as_const(network).parameters();
    return std::vector<double>(parameters.begin(), parameters.end());
  };
  const std::vector<double> one = after_two_steps(1);
  ASSERT_GT(one.size(), std::size_t{2 * (1 << 15)});
  EXPECT_EQ(one, after_two_steps(2));
  EXPECT_EQ(one, after_two_steps(3));
}

TEST(Fit, StopsWhenPatienceRunsOut) {
  FitOptions options = quick(500);
  options.patience = 4;
  options.training.optimiser = Adam{.rate = 0.05};
  options.training.schedule = ConstantRate{};
  const Trained trained = train(options, {});
  EXPECT_EQ(trained.end, FitEnd::patience);
  const std::size_t last = trained.records.size();
  ASSERT_GT(last, 4u);
  EXPECT_TRUE(trained.records[last - 5].best);
  for (std::size_t i = last - 4; i < last; ++i) EXPECT_FALSE(trained.records[i].best);
}

TEST(Fit, EndsWhenTooManyEquilibriaVanish) {
  const SampleTable<double> training = wave(64, 1);
  ThreadPool threads(1);
  // z = 3 z + ...: the flow runs away from the only equilibrium.
  Architecture architecture = from_text<Architecture>("2-1identity/lateral");
  NetworkOf<double> network(std::move(architecture), {1.0, 1.0, 3.0, 0.1});
  Fit<double> fit(network, training, nullptr, {.epochs = 50, .batch = 16}, threads);
  while (!fit.ended()) fit.step();
  EXPECT_EQ(fit.ended(), FitEnd::unsettled);
  EXPECT_EQ(fit.records().size(), 1u);
  EXPECT_LT(fit.records().back().settled, 0.5);
  EXPECT_EQ(fit.steps_done(), 4u) << "its epoch counts once";
}

TEST(Fit, EndsWhenNoGradientCanBeUsed) {
  const SampleTable<double> training = wave(64, 1);
  ThreadPool threads(1);
  // Without recurrence everything settles, but a slope of the loss grows a million times on its way to the
  // first layer.
  NetworkOf<double> network(from_text<Architecture>("2-1identity-1identity/none"), {1.0, 1.0, 1e6, 0.1, 0.1});
  Fit<double> fit(network, training, nullptr, {.epochs = 50, .batch = 16}, threads);
  while (!fit.ended()) fit.step();
  EXPECT_EQ(fit.ended(), FitEnd::no_gradient);
  EXPECT_EQ(fit.records().size(), 1u);
  EXPECT_EQ(fit.records().back().settled, 1);
}

// In the middle of an epoch, at its last step, after the first of many epochs, and after the only one.
TEST(Fit, AStateTakenAfterTheEndSaysHowItEnded) {
  const SampleTable<double> samples = wave(64, 1),
                            far(2, 1, std::vector<double>(128, 0.5), std::vector<double>(64, 1e200));
  const NetworkOf<double> runs_away(from_text<Architecture>("2-1identity/lateral"), {1, 1, 3, 0.1}),
      too_steep(from_text<Architecture>("2-1identity-1identity/none"), {1, 1, 1e6, 0.1, 0.1});
  const auto ends = [](const NetworkOf<double>& network, const SampleTable<double>& training,
                       const FitOptions& options, FitEnd end) {
    SCOPED_TRACE("end " + std::to_string(int(end)) + " of " + std::to_string(options.epochs) + " epochs");
    ThreadPool threads(1);
    NetworkOf<double> one = network, two = network;
    Fit<double> fit(one, training, nullptr, options, threads),
        later(two, training, nullptr, options, threads);
    while (!fit.ended()) fit.step();
    ASSERT_EQ(fit.ended(), end);
    later.restore(fit.state());
    EXPECT_EQ(later.ended(), end);
    EXPECT_EQ(later.steps_done(), fit.steps_done());
    EXPECT_THAT(refusal([&] { later.step(); }), HasSubstr("has ended"));
  };
  FitOptions still{.epochs = 9, .batch = 16, .patience = 1};
  still.training.optimiser = Sgd{.rate = 1e-300};
  ends(start(), samples, still, FitEnd::patience);
  ends(start(), far, {.epochs = 9, .batch = 64}, FitEnd::not_finite);
  for (const std::size_t epochs : {1, 9}) {
    if (epochs == 1) ends(start(), samples, {.epochs = epochs, .batch = 16}, FitEnd::all_epochs);
    ends(start(), far, {.epochs = epochs, .batch = 16}, FitEnd::not_finite);
    ends(runs_away, samples, {.epochs = epochs, .batch = 16}, FitEnd::unsettled);
    ends(too_steep, samples, {.epochs = epochs, .batch = 16}, FitEnd::no_gradient);
  }
}

TEST(Fit, AStateOfOtherBatchesIsRefused) {
  const SampleTable<double> samples = wave(64, 1);
  ThreadPool threads(1);
  NetworkOf<double> network = start();
  Fit<double> fit(network, samples, nullptr, {.epochs = 1, .batch = 16}, threads);
  fit.step(), fit.step();
  for (const std::size_t batch : {32, 64}) {  // whole epochs of two steps and of one
    Fit<double> other(network, samples, nullptr, {.epochs = 1, .batch = batch}, threads);
    EXPECT_THAT(refusal([&] { other.restore(fit.state()); }), HasSubstr("another batch size"));
  }
}

TEST(Fit, RefusesWhatMakesNoSense) {
  const SampleTable<double> training = wave(10, 1);
  ThreadPool threads(1);
  NetworkOf<double> network = start();
  const auto make = [&](const FitOptions& options) {
    return refusal([&] { Fit<double>(network, training, nullptr, options, threads); });
  };
  EXPECT_THAT(make({.epochs = 0}), HasSubstr("at least one epoch"));
  EXPECT_THAT(make({.batch = 0}), HasSubstr("at least one sample"));
  EXPECT_THAT(make({.least_settled = 2}), HasSubstr("share"));
  for (const double average : {1.0, -0.1, std::nan("")})
    EXPECT_THAT(make({.average = average}), HasSubstr("average"));
  EXPECT_THAT(make({.augmentation = {.shift = 1}}), HasSubstr("images"));
  EXPECT_THAT(make({.augmentation = {.shift = 1}, .image = ImageShape{1, 28, 28}}), HasSubstr("784 pixels"));
  FitOptions clipped;
  for (const double clip : {-1.0, std::nan("")}) {
    clipped.training.clip = clip;
    EXPECT_THAT(make(clipped), HasSubstr("clip"));
  }
  const SampleTable<double> other(2, 3, std::vector<double>(20), std::vector<double>(30)),
      narrow(1, 1, {1}, {1});
  for (const SampleTable<double>* validation : {&other, &narrow})
    EXPECT_THAT(refusal([&] { Fit<double>(network, training, validation, {}, threads); }),
                HasSubstr("2-8tanh"));
}

TEST(Fit, ABatchLargerThanTheSamplesIsAllOfThem) {
  const SampleTable<double> training = wave(10, 1);
  ThreadPool threads(1);
  NetworkOf<double> network = start();
  Fit<double> fit(network, training, nullptr, {.epochs = 3, .batch = SIZE_MAX}, threads);
  EXPECT_EQ(fit.steps_per_epoch(), 1u);
  while (!fit.ended()) fit.step();
  EXPECT_EQ(fit.records().size(), 3u);
  EXPECT_THAT(refusal([&] { fit.step(); }), HasSubstr("ended"));
}

// After putting other parameters into the network the caller must call update().
TEST(Trainer, SeesParametersOfOthersAfterAnUpdate) {
  const SampleTable<double> samples = wave(10, 1);
  const std::vector<std::uint64_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  ThreadPool threads(1);
  NetworkOf<double> network = start();
  Trainer<double> trainer(network, {}, threads);
  for (double& p : network.parameters()) p *= 0.5;
  trainer.update();
  StepReport report = trainer.look(samples, all);
  NetworkOf<double> same = network;
  EXPECT_EQ(report.loss, Trainer<double>(same, {}, threads).look(samples, all).loss);
  trainer.apply(report);
  EXPECT_THAT(refusal([&] { trainer.apply(report); }), HasSubstr("present parameters"))
      << "one look, one step";
}

// Three iterations are far from rest: an equilibrium would be judged differently.
TEST(Fit, AnIteratedGradientIsJudgedByItsOwnIterate) {
  for (const char* gradient : {"unrolled:steps=3", "reversible:steps=3"}) {
    SCOPED_TRACE(gradient);
    FitOptions options = quick(4);
    options.noise = 0, options.batch = 100;
    options.training.gradient.gradient = from_text<Gradient>(gradient);
    options.training.optimiser = Sgd{.rate = 1e-9};
    const SampleTable<double> training = wave(100, 1);
    ThreadPool threads(1);
    NetworkOf<double> network = start();
    for (const Block& block : network.architecture().blocks())  // they start at zero
      for (std::size_t k = 0; !block.forward() && k < block.rows * block.cols; ++k)
        network.parameters()[block.weights + k] = k % 3 == 0 ? 0.5 : -0.2;
    Fit<double> fit(network, training, nullptr, options, threads);
    while (!fit.ended()) fit.step();
    EXPECT_EQ(*fit.ended(), FitEnd::all_epochs);
    const EpochRecord& last = fit.records().back();
    EXPECT_LT(last.validation_settled, 0.5) << "too close to rest to tell anything";
    EXPECT_NEAR(last.loss, last.validation_loss, 1e-6) << "of the same network, training and judging";
    EXPECT_FALSE(fit.best().empty());
  }
}

TEST(Fit, ASolverThatWouldAnswerOtherwiseThanTheGradientTrainsIsRefused) {
  FitOptions options = quick(1);
  options.training.gradient.gradient = UnrolledGradient{5};
  options.training.gradient.settle.solver = Rosenbrock{};
  const SampleTable<double> training = wave(20, 1);
  ThreadPool threads(1);
  NetworkOf<double> network = start();
  EXPECT_THAT(refusal([&] { Fit<double>(network, training, nullptr, options, threads); }),
              HasSubstr("iterate:steps=5"));
}

}  // namespace
}  // namespace irn
