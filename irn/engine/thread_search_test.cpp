// The search of one thread, as a device runs it, compiled for the host: the same bits as the driver's, and
// the answers of the processor's engine.
#include "irn/engine/cuda/thread_map-inl.h"
//
#include <gtest/gtest.h>

#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/cpu_settler.h"
#include "irn/equilibrium/driver-inl.h"
#include "irn/equilibrium/rosenbrock-inl.h"
#include "irn/equilibrium/single_search-inl.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

// What else a driver asks for, for a single problem that is there from the start.
template <class V, std::size_t most, class Neurons>
struct ListedMap : plain::ThreadMap<V, most, Neurons> {
  using plain::ThreadMap<V, most, Neurons>::ThreadMap;
  void load(std::span<const Placed>, V* z, V* f) const {
    for (std::size_t i = 0; i < n; ++i) z[i] = V();
    this->apply(z, f);
  }
  void load_group(std::size_t, std::size_t, V* z, V* f) const { load({}, z, f); }
  void resume(std::span<const Placed>) const {}
  void linearise_at(std::span<const std::size_t>, const V* z) { this->linearise(z, z); }
  std::size_t n = 0;
};

// A network's matrix, and a sample's drive B x + b.
template <class T, std::size_t most>
struct Thread {
  Thread(const NetworkOf<T>& network, std::span<const T> x) : packed(network, {.dense_a = true}) {
    const Architecture& architecture = network.architecture();
    n = architecture.neurons();
    for (std::size_t i = 0; i < n; ++i) drive[i] = packed.bias[i];
    for (const Block& block : architecture.blocks())
      if (block.from_input())
        for (std::size_t i = 0; i < block.rows; ++i)
          for (std::size_t k = 0; k < block.cols; ++k)
            drive[block.row + i] = std::fma(network.parameters()[block.weights + i * block.cols + k],
                                            x[block.col + k], drive[block.row + i]);
    for (const RowGroup<T>& group : packed.a)
      std::fill_n(kinds + group.first, group.panels.rows, group.activation);
  }
  PackedNetwork<T> packed;
  std::size_t n;
  T drive[most] = {};
  Activation kinds[most] = {};
};

template <class T, class Size, std::size_t most>
void agrees(const char* text, double gain) {
  using V = plain::One<T, Size>;
  using Neurons = plain::MixedNeurons<V>;
  NetworkOf<T> network(from_text<Architecture>(text), Start::scaled, 3);
  for (T& weight : network.parameters()) weight *= static_cast<T>(gain);
  const std::size_t inputs = network.architecture().inputs();
  const SampleTable<T> samples = random_samples<T>(inputs, 60);
  ThreadPool threads(1);
  const Equilibria<T> by_engine = CpuSettler<T>(network, {Rosenbrock{}}, threads).settle(samples);
  Rules<T> rules{.tolerance = static_cast<T>(default_tolerance<T>())};
  std::size_t settled = 0, alike = 0;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    std::vector<T> x(inputs);
    samples.inputs_as_rows(std::vector<std::uint64_t>{s}, x.data());
    const Thread<T, most> thread(network, x);
    V drive[most], z[most], f[most];
    for (std::size_t i = 0; i < thread.n; ++i) drive[i] = V(thread.drive[i]);
    Size n{};
    if constexpr (std::is_same_v<Size, std::size_t>) n = thread.n;
    ListedMap<V, most, Neurons> listed(n, thread.packed.dense_a.data(), drive, Neurons(thread.kinds));
    listed.n = thread.n;
    std::vector<T> state(thread.n);
    Verdict expected;
    Arena<V> arena;
    plain::Driver<V, Rosenbrock, ListedMap<V, most, Neurons>> driver({}, n, rules, 1, arena);
    driver.run(listed, 1, {state.data(), &expected});

    plain::ThreadMap<V, most, Neurons> map(n, thread.packed.dense_a.data(), drive, Neurons(thread.kinds));
    plain::ThreadMemory<V, most> memory;
    map.apply(z, f);
    const Verdict verdict = plain::search_single<V>(map, Rosenbrock{}, n, rules, z, f, memory);

    EXPECT_EQ(verdict.outcome, expected.outcome) << text << ", sample " << s;
    EXPECT_EQ(verdict.stability, expected.stability) << text << ", sample " << s;
    EXPECT_EQ(verdict.evaluations, expected.evaluations) << text << ", sample " << s;
    EXPECT_EQ(verdict.residual, expected.residual) << text << ", sample " << s;
    for (std::size_t i = 0; i < thread.n; ++i) EXPECT_EQ(z[i].lane(0), state[i]) << text << ", sample " << s;
    if (verdict.outcome != Outcome::settled || !by_engine.settled(s)) continue;
    ++settled;
    double far = 0;
    for (std::size_t i = 0; i < thread.n; ++i)
      far = std::max(far, std::abs(double(z[i].lane(0)) - double(by_engine.state(s)[i])));
    alike += far < 1e-3;
  }
  EXPECT_GE(settled, 20u) << text;
  EXPECT_GE(alike + 1, settled) << text << ": other states than the processor's";
}

template <std::size_t n>
using Known = std::integral_constant<std::size_t, n>;

TEST(ThreadSearch, HasTheBitsOfTheDriverWhereTheSizeIsKnown) {
  agrees<float, Known<7>, 7>("10-5-2", 1.5);
  agrees<float, Known<7>, 7>("10-5-2", 6);
  agrees<float, Known<4>, 4>("2-4/lateral", 4);
  agrees<double, Known<7>, 7>("10-4tanh-3softplus", 2);
  agrees<float, Known<8>, 8>("3-6relu-2identity/lateral", 0.6);
}
TEST(ThreadSearch, HasTheBitsOfTheDriverUpToAMostSize) {
  agrees<float, std::size_t, 24>("10-20-2", 4);
  agrees<double, std::size_t, 24>("4-9tanh-5-3identity", 1.5);
}

}  // namespace
}  // namespace irn
