#include "irn/train/dropout_samples.h"

#include <gtest/gtest.h>

#include "irn/data/sample_table.h"
#include "irn/optim/certifier.h"
#include "irn/train/fit.h"
#include "tests/support/plain_network.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using Rows = std::vector<float>;

Rows gates_of(const DropoutSamples<float>& samples, std::vector<std::uint64_t> index) {
  Rows out(index.size() * samples.gates());
  samples.gates_as_rows(index, out.data());
  return out;
}

struct Case {
  Architecture architecture = from_text<Architecture>("2-30tanh-40tanh-3identity/lateral");
  SampleTable<float> table{2, 3, random_numbers<float>(400, 1), random_numbers<float>(600, 2)};
};

TEST(Dropout, LeavesOutItsShareOfTheHiddenNeuronsAndMakesTheOthersLouder) {
  const Case c;
  const DropoutSamples<float> samples(c.table, c.architecture, 0.25, 7);
  std::size_t out = 0;
  for (std::uint64_t s = 0; s < 200; ++s) {
    const Rows gates = gates_of(samples, {s});
    for (std::size_t i = 0; i < 70; ++i) {
      EXPECT_TRUE(gates[i] == 0 || gates[i] == 1.0f / 0.75f);
      out += gates[i] == 0;
    }
    for (std::size_t i = 70; i < 73; ++i) EXPECT_EQ(gates[i], 1);  // the last layer
  }
  EXPECT_NEAR(double(out) / (200 * 70), 0.25, 0.011);  // three deviations
}

TEST(Dropout, MasksAreFunctionsOfSeedEpochAndSampleAlone) {
  const Case c;
  DropoutSamples<float> samples(c.table, c.architecture, 0.5, 7), other_seed(c.table, c.architecture, 0.5, 8);
  const Rows alone = gates_of(samples, {17}), among = gates_of(samples, {3, 17, 4});
  EXPECT_EQ(alone, Rows(among.begin() + 73, among.begin() + 146));
  EXPECT_NE(alone, gates_of(samples, {18}));
  EXPECT_NE(alone, gates_of(other_seed, {17}));
  samples.set_epoch(1);
  EXPECT_NE(alone, gates_of(samples, {17}));
  samples.set_epoch(0);
  EXPECT_EQ(alone, gates_of(samples, {17}));
}

TEST(Dropout, RefusesWhatIsNoShare) {
  const Case c;
  for (const double share : {-0.1, 1.0, double(NAN)})
    EXPECT_EQ(refusal([&] { DropoutSamples<float>(c.table, c.architecture, share, 7); }),
              "dropout is a share of the neurons: 0 to below 1");
}

FitOptions quick(double dropout) {
  FitOptions options{.epochs = 4, .batch = 20, .seed = 5};
  options.training.dropout = dropout;
  options.training.certify = 0.9;
  return options;
}

Rows trained(const Case& c, const FitOptions& options, std::size_t threads, std::size_t stop_after = 0) {
  ThreadPool pool(threads);
  NetworkOf<float> network(c.architecture, Start::scaled, 1);
  auto fit = std::make_unique<Fit<float>>(network, c.table, nullptr, options, pool);
  for (std::size_t steps = 0; !fit->ended(); ++steps) {
    if (stop_after != 0 && steps == stop_after) {  // as if it had been killed
      FitState<float> state = fit->state();
      network = NetworkOf<float>(c.architecture, Start::scaled, 99);
      fit = std::make_unique<Fit<float>>(network, c.table, nullptr, options, pool);
      fit->restore(std::move(state));
    }
    const StepReport report = fit->step();
    EXPECT_EQ(report.settled, report.samples);  // the certificate holds for every mask
  }
  return {network.parameters().begin(), network.parameters().end()};
}

TEST(Dropout, TrainsToTheSameBitsOnAnyThreadsAndAfterAnInterruption) {
  const Case c;
  const Rows once = trained(c, quick(0.3), 1);
  EXPECT_EQ(once, trained(c, quick(0.3), 3));
  EXPECT_EQ(once, trained(c, quick(0.3), 2, 13));
  EXPECT_NE(once, trained(c, quick(0), 1));
}

TEST(Dropout, LeavesRoomInTheCertificateForNeuronsThatSpeakLouder) {
  const Case c;
  ThreadPool threads(1);
  NetworkOf<float> network = random_network<float>(c.architecture, 1, 20);  // far beyond the bound
  ASSERT_GT(certificate_bound(network), 1.0);
  TrainOptions options = quick(0.3).training;
  Trainer<float> trainer(network, options, threads);
  trainer.certify();
  EXPECT_LE(certificate_bound(network), 0.9 * 0.7 + 1e-6);
}

}  // namespace
}  // namespace irn
