// The solvers compiled for one sample, as a plain float or double: the reference for vectors of lanes. This
// file includes no SIMD header.
#include "irn/kernels/plain_lanes-inl.h"
//
#include <gtest/gtest.h>

#include "irn/base/random.h"
#include "irn/base/threads.h"
#include "irn/data/sample_table.h"
#include "irn/equilibrium/all_solvers-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/cpu_settler.h"
#include "irn/network/network_map-inl.h"
#include "tests/support/solvers.h"

#ifdef HIGHWAY_HWY_BASE_H_
#error "the reference must not need Highway"
#endif

namespace irn {
namespace {

template <class T>
using Lane = plain::One<T>;

// Every solver of the list, run by its plain text.
template <class T>
Equilibria<T> settle_plainly(const NetworkOf<T>& network, const Samples<T>& samples, const Solver& solver) {
  const std::size_t n = network.architecture().neurons(), count = samples.size();
  const PackedNetwork<T> packed(network, {.dense_a = true});
  std::vector<std::uint64_t> index(count);
  for (std::size_t i = 0; i < count; ++i) index[i] = i;
  Equilibria<T> out{n, std::vector<T>(count * n), std::vector<Verdict>(count)};
  std::visit(
      [&]<class Options>(const Options& options) {
        if constexpr (!std::is_same_v<Options, Auto>) {
          using V = Lane<T>;
          plain::NetworkMap<V> map(packed, count, true);
          Arena<V> arena;
          plain::Driver<V, Options, plain::NetworkMap<V>> driver(
              options, n, Rules<T>{.tolerance = static_cast<T>(default_tolerance<T>())}, count, arena);
          map.begin(samples, index);
          driver.run(map, count, {out.states.data(), out.verdicts.data()});
        }
      },
      solver_for(solver, n));
  return out;
}

template <class T>
SampleTable<T> random_inputs(std::size_t inputs, std::size_t count) {
  std::vector<T> x(inputs * count);
  const Stream stream(5, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(2 * stream.uniform(i) - 1);
  return SampleTable<T>(inputs, 0, std::move(x), {});
}

template <class T>
NetworkOf<T> random_network(const char* architecture, double gain) {
  NetworkOf<T> network(from_text<Architecture>(architecture), Start::paper, 3);
  const Stream stream(7, 2);
  for (std::size_t i = 0; i < network.parameters().size(); ++i)
    network.parameters()[i] = static_cast<T>(gain * (2 * stream.uniform(i) - 1));
  return network;
}

template <class T>
void agrees(const char* architecture, double gain, double near) {
  ThreadPool threads(1);
  const NetworkOf<T> network = random_network<T>(architecture, gain);
  const SampleTable<T> samples = random_inputs<T>(network.architecture().inputs(), 37);
  std::size_t settled = 0;
  for (const Solver& solver : all_solvers()) {
    const Equilibria<T> fast = CpuSettler<T>(network, {solver}, threads).settle(samples);
    const Equilibria<T> plain = settle_plainly(network, samples, solver);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      // A search that just runs out of steps may end on either side.
      if (!fast.settled(s) || !plain.settled(s)) continue;
      ++settled;
      for (std::size_t i = 0; i < fast.neurons; ++i)
        EXPECT_NEAR(double(fast.state(s)[i]), double(plain.state(s)[i]), near)
            << to_text(solver) << ", sample " << s << ", neuron " << i;
      EXPECT_NEAR(double(fast.verdicts[s].evaluations), double(plain.verdicts[s].evaluations),
                  0.2 * double(plain.verdicts[s].evaluations) + 4)
          << to_text(solver) << ", sample " << s;
    }
    EXPECT_NEAR(fast.summary().settled_share(), plain.summary().settled_share(), 0.06) << to_text(solver);
  }
  EXPECT_GT(settled, 37u * 8u);  // the comparison is not empty
}

TEST(PlainSearch, FindsWhatTheVectorsFindInDouble) {
  agrees<double>("4-9-2", 1.5, 1e-6);
  agrees<double>("3-6tanh-3relu-2identity", 0.5, 1e-6);
}
TEST(PlainSearch, FindsWhatTheVectorsFindInSinglePrecision) { agrees<float>("4-9-2", 1.5, 2e-3); }

}  // namespace
}  // namespace irn
