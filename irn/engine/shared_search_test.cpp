// A search shared by threads of a device, with threads of the host in their place, gives the answers of a
// thread that has the whole state.
#include "irn/engine/cuda/shared_map-inl.h"
//
#include <gtest/gtest.h>

#include "irn/engine/cuda/shared_state-inl.h"
#include "irn/engine/cuda/thread_map-inl.h"
#include "irn/engine/cuda/wide_map-inl.h"
#include "irn/engine/cuda/wide_memory-inl.h"
#include "irn/equilibrium/all_solvers-inl.h"
#include "irn/equilibrium/single_search-inl.h"
#include "irn/network/packed.h"
#include "tests/support/host_share.h"
#include "tests/support/settle_samples.h"

namespace irn {
namespace {

template <std::size_t n>
using Known = std::integral_constant<std::size_t, n>;

// One sample, launched before.
template <class V>
struct OneSample {
  using Mask = typename V::Mask;
  const V *z0, *f0;
  plain::AfterLaunch<V> launched;
  std::size_t highest;
  bool taken = false;
  Verdict verdict = {};
  std::vector<V> state = {};

  Mask take(Mask wanted) {
    const bool first = wanted.m && !taken;
    taken = taken || first;
    return {first};
  }
  Mask more() const { return {!taken}; }
  void load(Mask begun, V* z, V* f, plain::AfterLaunch<V>& after) const {
    if (!begun.m) return;
    std::copy_n(z0, V::Size::value, z), std::copy_n(f0, V::Size::value, f);
    std::copy_n(launched.highest, highest, after.highest);
    after.h = launched.h, after.evaluations = launched.evaluations;
  }
  template <class Said>
  void end(Mask done, const Said& said, const V* z) {
    if (done.m) verdict = said(), state.assign(z, z + V::Size::value);
  }
};

template <class T>
struct Found {
  Verdict verdict;
  std::vector<T> state;
};

// By one thread that has all unknowns, and by `threads` threads that have `rows` each.
template <class V, class Map, class Memory>
Found<typename V::Scalar> search(Map& map, const Rules<typename V::Scalar>& rules) {
  constexpr std::size_t here = V::Size::value;
  V z[here], f[here], highest[here];
  Memory memory, of_rounds, of_look;
  map.apply(z, f);
  plain::AfterLaunch<V> after{V(), V(), highest};
  plain::launch_single<V>(map, Rosenbrock{}, {}, rules, z, f, after, memory);
  OneSample<V> sample{z, f, after, rules.bounded ? 0 : here};
  V z1[here], f1[here];
  plain::rounds_single<V>(map, Rosenbrock{}, {}, rules, z1, f1, sample, of_rounds);
  if (sample.verdict.outcome == Outcome::settled)
    plain::confirm_single<V>(map, {}, rules, sample.state.data(), V() <= V(), sample.verdict, of_look);
  Found<typename V::Scalar> found{sample.verdict, {}};
  for (const V& x : sample.state) found.state.push_back(x.v);
  return found;
}

template <class T, std::size_t rows, std::size_t threads>
void agrees(const char* text, double gain, bool bounded) {
  constexpr std::size_t padded = rows * threads;
  NetworkOf<T> network(from_text<Architecture>(text), Start::scaled, 3);
  for (T& weight : network.parameters()) weight *= static_cast<T>(gain);
  const PackedNetwork<T> packed(network, {.dense_a = true, .dense_b = true});
  const Architecture& architecture = network.architecture();
  const std::size_t n = architecture.neurons(), inputs = architecture.inputs();
  std::vector<Activation> kinds;
  for (const Layer& layer : architecture.layers()) kinds.insert(kinds.end(), layer.size, layer.activation);
  kinds.resize(padded, Activation::identity);
  const SampleTable<T> samples = random_samples<T>(inputs, 2);
  const Rules<T> rules{.tolerance = static_cast<T>(default_tolerance<T>()), .bounded = bounded};

  using Alone = plain::One<T, Known<padded>>;
  using Part = plain::One<T, Known<rows>, HostShare<threads>>;
  using SharedMap = plain::SharedMap<Part, plain::MixedNeurons<Part>>;
  std::vector<T> a(padded * padded), shared_a(padded * padded);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      a[i * padded + j] = shared_a[SharedMap::entry(i, j)] = packed.dense_a[i * n + j];
  std::size_t settled = 0;
  for (std::uint64_t s = 0; s < samples.size(); ++s) {
    std::vector<T> x(inputs), drive(padded);
    samples.inputs_as_rows(std::vector<std::uint64_t>{s}, x.data());
    for (std::size_t i = 0; i < n; ++i) {
      drive[i] = packed.bias[i];
      for (std::size_t k = 0; k < inputs; ++k) drive[i] += packed.dense_b[i * inputs + k] * x[k];
    }
    Alone whole[padded];
    for (std::size_t i = 0; i < padded; ++i) whole[i] = Alone(drive[i]);
    using Whole = plain::ThreadMap<Alone, padded, plain::MixedNeurons<Alone>>;
    Whole map({}, a.data(), whole, plain::MixedNeurons<Alone>(kinds.data()));
    const Found<T> expected = search<Alone, Whole, plain::ThreadMemory<Alone, padded>>(map, rules);

    Found<T> found[threads];
    std::vector<std::jthread> team;
    for (std::size_t rank = 0; rank < threads; ++rank)
      team.emplace_back([&, rank] {
        HostShare<threads>::own_rank = rank;
        Part own[rows];
        for (std::size_t r = 0; r < rows; ++r) own[r] = Part(drive[plain::unknown<Part>(r)]);
        SharedMap shared(shared_a.data(), own, plain::MixedNeurons<Part>(kinds.data()));
        found[rank] = search<Part, SharedMap, plain::ThreadMemory<Part, rows>>(shared, rules);
      });
    team.clear();
    EXPECT_EQ(found[0].verdict.outcome, expected.verdict.outcome) << text << ", sample " << s;
    EXPECT_EQ(found[0].verdict.stability, expected.verdict.stability) << text << ", sample " << s;
    EXPECT_EQ(found[0].verdict.evaluations, expected.verdict.evaluations) << text << ", sample " << s;
    for (std::size_t i = 0; i < padded; ++i)
      EXPECT_EQ(found[i % threads].state[i / threads], expected.state[i])
          << text << ", sample " << s << ", neuron " << i;
    settled += expected.verdict.outcome == Outcome::settled;
  }
  EXPECT_GE(settled, 1u) << text;
}

TEST(SharedSearch, HasTheBitsOfAThreadThatHasTheStateToItself) {
  agrees<float, 3, 8>("10-20-2", 3, true);
  agrees<float, 1, 8>("3-4tanh-2softplus", 1.5, false);
  agrees<double, 2, 8>("4-6relu-3identity", 0.7, false);
}

// The search by products for one sample, as done by a warp or a block, compared with the processor's.
template <class T, class Options, std::size_t threads>
void driver_agrees(const char* text, double gain) {
  using V = plain::One<T, std::size_t, HostShare<threads>>;
  using Map = plain::WideMap<V, cuda::most_rows>;
  NetworkOf<T> network(from_text<Architecture>(text), Start::scaled, 3);
  for (T& weight : network.parameters()) weight *= static_cast<T>(gain);
  const PackedNetwork<T> packed(network, {.dense_a = true, .dense_b = true});
  const Architecture& architecture = network.architecture();
  const std::size_t n = architecture.neurons(), inputs = architecture.inputs();
  const std::size_t rows = (n + threads - 1) / threads, size = rows * threads;
  ASSERT_LE(rows, cuda::most_rows);
  std::vector<Activation> kinds;
  bool bounded = true;
  for (const Layer& layer : architecture.layers()) {
    kinds.insert(kinds.end(), layer.size, layer.activation);
    bounded = bounded && is_bounded(layer.activation);
  }
  kinds.resize(size, Activation::identity);
  const SampleTable<T> samples = random_samples<T>(inputs, 2);
  const Rules<T> rules{.tolerance = static_cast<T>(default_tolerance<T>()), .bounded = bounded};
  ThreadPool pool(1);
  const Equilibria<T> expected = CpuSettler<T>(network, {Options{}}, pool).settle(samples);
  std::vector<T> a(size * size), vector(size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a[j * size + i] = packed.dense_a[i * n + j];
  for (std::uint64_t s = 0; s < samples.size(); ++s) {
    std::vector<T> x(inputs), drive(size);
    samples.inputs_as_rows(std::vector<std::uint64_t>{s}, x.data());
    for (std::size_t i = 0; i < n; ++i) {
      drive[i] = packed.bias[i];
      for (std::size_t k = 0; k < inputs; ++k) drive[i] += packed.dense_b[i * inputs + k] * x[k];
    }
    Verdict verdicts[threads];
    std::vector<T> states(size);
    std::vector<std::jthread> team;
    for (std::size_t rank = 0; rank < threads; ++rank)
      team.emplace_back([&, rank] {
        HostShare<threads>::own_rank = rank;
        // As much memory as on a device, and no more: a sanitizer sees accesses beyond.
        std::vector<V> vectors(cuda::WideSizes<Options>::vectors * rows),
            scalars(cuda::WideSizes<Options>::scalars);
        V own[cuda::most_rows], start[cuda::most_rows], state[cuda::most_rows];
        for (std::size_t r = 0; r < rows; ++r) own[r] = V(drive[plain::unknown<V>(r)]);
        plain::OwnProduct<V, cuda::most_rows> product(n, a.data(), vector.data());
        Map map(rows, product, own, start, kinds.data());
        cuda::WideMemory<V> memory(vectors.data(), scalars.data());
        plain::Driver<V, Options, Map> driver({}, rows, rules, 1, memory);
        driver.run(map, 1, {reinterpret_cast<T*>(state), &verdicts[rank]});
        for (std::size_t r = 0; r < rows; ++r) states[plain::unknown<V>(r)] = state[r].v;
      });
    team.clear();
    EXPECT_EQ(verdicts[0].outcome, expected.verdicts[s].outcome) << text << ", sample " << s;
    EXPECT_NEAR(double(verdicts[0].evaluations), double(expected.verdicts[s].evaluations), 8)
        << text << ", sample " << s;
    for (std::size_t i = 0; i < n && expected.settled(s); ++i)
      EXPECT_NEAR(double(states[i]), double(expected.state(s)[i]), 1e-3)
          << text << ", sample " << s << ", neuron " << i;
  }
}
TEST(SharedSearch, ByProductsFindsWhatTheProcessorFinds) {
  driver_agrees<float, Anderson, 8>("10-50-2", 1.5);
  driver_agrees<float, RosenbrockKrylov, 8>("10-50-2", 3);
  driver_agrees<double, RosenbrockKrylov, 8>("4-30tanh-5softplus-3identity", 1);
}

}  // namespace
}  // namespace irn
