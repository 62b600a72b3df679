#include "irn/network/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "irn/network/packed.h"
#include "tests/support/architectures.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

const Architecture paper = from_text<Architecture>("100-5-2");

template <class T>
std::vector<T> block_values(const NetworkOf<T>& network, std::size_t from, std::size_t to) {
  for (const Block& b : network.architecture().blocks())
    if (b.from == from && b.to == to) {
      const auto values = network.parameters().subspan(b.weights, b.parameters);
      return {values.begin(), values.end()};
    }
  return {};
}
template <class T>
std::vector<T> biases(const NetworkOf<T>& network) {
  const auto values = network.parameters().subspan(network.architecture().biases());
  return {values.begin(), values.end()};
}

// The largest |value| and the mean square, which tell a uniform distribution's width.
template <class T>
void expect_uniform(const std::vector<T>& values, double half_width) {
  double most = 0, square = 0;
  for (const T v : values) most = std::max(most, std::abs(double(v))), square += double(v) * double(v);
  EXPECT_LE(most, half_width);
  EXPECT_GT(most, 0.9 * half_width);
  EXPECT_NEAR(square / double(values.size()) / (half_width * half_width / 3), 1.0, 0.3);
}

TEST(NetworkStart, ThePapersIsUniformAndItsRecurrentBlocksAreZero) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const NetworkOf<double> network(paper, Start::paper, seed);
    expect_uniform(block_values(network, 0, 1), 0.5);
    for (const auto& [from, to] : {std::pair{1, 1}, {2, 1}, {2, 2}})
      EXPECT_THAT(block_values(network, from, to), Each(0.0));
    EXPECT_THAT(biases(network), Each(AllOf(::testing::Ge(-0.5), ::testing::Lt(0.5), ::testing::Ne(0.0))));
  }
}

TEST(NetworkStart, TheScaledOneHasVarianceOneOverTheInputsOfANeuron) {
  const NetworkOf<double> network(from_text<Architecture>("100-50-40relu-30/full+0:3"), Start::scaled, 3);
  expect_uniform(block_values(network, 0, 1), std::sqrt(3.0 / 100));
  expect_uniform(block_values(network, 1, 2), std::sqrt(3.0 * 2 / 50));
  expect_uniform(block_values(network, 0, 3), std::sqrt(3.0 / 140));
  EXPECT_THAT(block_values(network, 1, 1), Each(0.0));
  EXPECT_THAT(block_values(network, 3, 2), Each(0.0));
  EXPECT_THAT(biases(network), Each(0.0));
}

TEST(NetworkStart, TheSameSeedGivesTheSameBitsAndAnotherSeedOthers) {
  for (const Start start : {Start::paper, Start::scaled}) {
    const NetworkOf<double> one(paper, start, 7), same(paper, start, 7), other(paper, start, 8);
    EXPECT_TRUE(std::ranges::equal(one.parameters(), same.parameters()));
    EXPECT_FALSE(std::ranges::equal(one.parameters(), other.parameters()));
  }
}

TEST(NetworkStart, FloatIsTheRoundedDouble) {
  const NetworkOf<double> fine(paper, Start::paper, 7);
  const NetworkOf<float> coarse(paper, Start::paper, 7);
  for (std::size_t i = 0; i < paper.parameters(); ++i)
    ASSERT_EQ(coarse.parameters()[i], static_cast<float>(fine.parameters()[i]));
}

TEST(NetworkStart, ABlocksValuesDoNotChangeWhenAnotherBlockIsAdded) {
  const NetworkOf<double> before(from_text<Architecture>("10-5-4-2/none"), Start::paper, 7);
  const NetworkOf<double> after(from_text<Architecture>("10-5-4-2/full+0:3+1:3+3:1"), Start::paper, 7);
  for (const Block& b : before.architecture().blocks())
    EXPECT_EQ(block_values(before, b.from, b.to), block_values(after, b.from, b.to))
        << Architecture::block_name(b);
  EXPECT_EQ(biases(before), biases(after));
}

TEST(NetworkStart, BlocksAndBiasesDrawFromStreamsOfTheirOwn) {
  const NetworkOf<double> network(from_text<Architecture>("5-5-5-5/none+0:2+0:3+1:3"), Start::paper, 7);
  std::vector<double> firsts{biases(network)[0]};
  for (const Block& b : network.architecture().blocks()) firsts.push_back(network.parameters()[b.weights]);
  std::ranges::sort(firsts);
  EXPECT_EQ(std::ranges::adjacent_find(firsts), firsts.end());
}

std::vector<double> numbered(const Architecture& a) {
  std::vector<double> values(a.parameters());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = double(i + 1);
  return values;
}

// Every parameter appears once, in the row of the neuron it acts on and the column of the one it reads.
TEST(Network, DenseMatricesHoldEveryWeightOnceAndZeroElsewhere) {
  for (const Architecture& architecture : all_architectures()) {
    const NetworkOf<double> network(architecture, numbered(architecture));
    const std::size_t n = architecture.neurons(), m = architecture.inputs();
    std::vector<double> a(n * n), b(n * m);
    double next = 1;
    for (const Block& block : architecture.blocks())
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t j = 0; block.dense() && j < block.cols; ++j)
          (block.from_input() ? b[(block.row + i) * m + j] : a[(block.row + i) * n + block.col + j]) = next++;
    if (!architecture.dense()) continue;  // the others: operator_test.cpp
    EXPECT_EQ(network.dense_a(), a) << to_text(architecture);
    EXPECT_EQ(network.dense_b(), b) << to_text(architecture);
  }
}

TEST(Network, ParametersOfTheWrongNumberAreRefusedWithBothNumbers) {
  EXPECT_THAT(
      refusal([] { NetworkOf<double>(paper, std::vector<double>(3)); }),
      AllOf(HasSubstr("100-5-2"), HasSubstr(std::to_string(paper.parameters())), HasSubstr("3 were given")));
  NetworkOf<float> network(paper, Start::paper, 1);
  EXPECT_THAT(refusal([&] { network.set_parameters(std::vector<float>(1000)); }),
              HasSubstr("1000 were given"));
}

std::string refusal_of_value(std::size_t index, double value) {
  std::vector<double> values = numbered(paper);
  values[index] = value;
  return refusal([&] { NetworkOf<double>(paper, values); });
}

TEST(Network, MoreNumbersThanThereIsMemoryForAreRefusedWithTheirName) {
  const Architecture wide = from_text<Architecture>("1-16777216");
  EXPECT_THAT(refusal([&] { NetworkOf<double>(wide, Start::paper, 1); }),
              AllOf(HasSubstr("not enough memory"), HasSubstr("parameters of network 1-16777216")));
  const NetworkOf<float> light(Architecture(1, {{std::size_t(1) << 23}}, Recurrence::none), Start::scaled, 1);
  EXPECT_THAT(refusal([&] { light.dense_a(); }), HasSubstr("matrix A of network 1-8388608/none"));
}

TEST(Network, ParametersThatAreNotFiniteAreRefusedWithTheirPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal_of_value(0, nan), HasSubstr("layer1.input row 0 column 0"));
  EXPECT_THAT(refusal_of_value(203, infinity), HasSubstr("layer1.input row 2 column 3"));
  EXPECT_THAT(refusal_of_value(500 + 5 * 3 + 1, -infinity), HasSubstr("layer1.layer1 row 3 column 1"));
  EXPECT_THAT(refusal_of_value(paper.biases() + 6, nan), HasSubstr("bias 6"));
}

TEST(Network, ARefusedVectorLeavesTheParametersAlone) {
  NetworkOf<double> network(paper, numbered(paper));
  std::vector<double> bad(paper.parameters(), 0.0);
  bad.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal([&] { network.set_parameters(bad); }), "");
  EXPECT_TRUE(std::ranges::equal(network.parameters(), numbered(paper)));
}

// Unpacks panels: the entry of row i and packed column k.
template <class T>
T panel_entry(const Panels<T>& p, std::size_t i, std::size_t k) {
  std::size_t first = 0;
  while (i >= first + panel_height(p.rows, first)) first += panel_height(p.rows, first);
  return p.weights[first * p.depth + k * panel_height(p.rows, first) + (i - first)];
}

template <class T>
using Matrix = std::vector<std::vector<T>>;

// The matrix of a chain: the product of its links.
template <class T>
Matrix<double> unpacked(const PackedChain<T>& chain) {
  Matrix<double> product;
  for (const auto& link : chain.links) {
    const std::size_t rows = link.transposed ? link.factor.cols : link.factor.rows,
                      cols = link.transposed ? link.factor.rows : link.factor.cols;
    Matrix<double> m(rows, std::vector<double>(cols));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        m[i][j] = link.factor.kind == Factor::Kind::matrix ? double(panel_entry(link.panels, i, j))
                  : i == j                                 ? double(link.numbers[i])
                                                           : 0.0;
    if (product.empty()) {
      product = m;
      continue;
    }
    Matrix<double> next(rows, std::vector<double>(product[0].size()));
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < cols; ++k)
        for (std::size_t j = 0; j < next[i].size(); ++j) next[i][j] += m[i][k] * product[k][j];
    product = next;
  }
  return product;
}

// The matrix of a list of row groups.
template <class T>
std::vector<double> unpacked(const std::vector<RowGroup<T>>& groups, std::size_t rows, std::size_t cols) {
  std::vector<double> m(rows * cols, 0.0);
  for (const RowGroup<T>& g : groups)
    for (std::size_t i = 0; i < g.panels.rows; ++i) {
      std::size_t k = 0;
      for (const PanelRange& r : g.panels.ranges)
        for (std::size_t j = r.first; j < r.first + r.count; ++j)
          m[(g.first + i) * cols + j] = double(panel_entry(g.panels, i, k++));
    }
  for (const RowGroup<T>& g : groups)
    for (const PackedChain<T>& chain : g.chains) {
      const Matrix<double> block = unpacked(chain);
      for (std::size_t i = 0; i < block.size(); ++i)
        for (std::size_t j = 0; j < block[i].size(); ++j)
          m[(g.first + chain.row + i) * cols + chain.col + j] += block[i][j];
    }
  return m;
}
std::vector<double> transposed(const std::vector<double>& m, std::size_t rows, std::size_t cols) {
  std::vector<double> t(m.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) t[j * rows + i] = m[i * cols + j];
  return t;
}
void expect_packed(const PackedNetwork<double>& packed, const NetworkOf<double>& network) {
  const std::size_t n = packed.neurons(), m = network.architecture().inputs();
  EXPECT_EQ(unpacked(packed.a, n, n), network.dense_a());
  EXPECT_EQ(unpacked(packed.b, n, m), network.dense_b());
  EXPECT_EQ(unpacked(packed.a_transposed, n, n), transposed(network.dense_a(), n, n));
  EXPECT_EQ(unpacked(packed.b_transposed, m, n), transposed(network.dense_b(), n, m));
  EXPECT_TRUE(std::ranges::equal(packed.dense_a, network.dense_a()));
  EXPECT_TRUE(std::ranges::equal(packed.bias, network.parameters().subspan(network.architecture().biases())));
}

constexpr PackedNeeds every_part{
    .dense_a = true, .a_transposed = true, .a_forward_transposed = true, .b_transposed = true};

TEST(PackedNetwork, HoldsTheMatricesAndTheirTransposesAlsoAfterAStep) {
  for (const Architecture& architecture : all_architectures()) {
    SCOPED_TRACE(to_text(architecture));
    NetworkOf<double> network(architecture, numbered(architecture));
    PackedNetwork<double> packed(network, every_part);
    expect_packed(packed, network);
    for (double& v : network.parameters()) v = -0.5 * v;
    packed.repack(network);
    expect_packed(packed, network);
  }
}

TEST(PackedNetwork, IsPackedByThreadsAsByOne) {
  NetworkOf<double> network(from_text<Architecture>("40-500-3"), Start::scaled, 1);
  ThreadPool threads(3);
  PackedNetwork<double> packed(network, every_part);
  for (double& v : network.parameters()) v = 0.25 - v;
  packed.repack(network, &threads);
  expect_packed(packed, network);
}

TEST(PackedNetwork, TheForwardTransposeLeavesTheRecurrentBlocksOut) {
  for (const Architecture& architecture : all_architectures()) {
    NetworkOf<double> network(architecture, numbered(architecture));
    const PackedNetwork<double> packed(network, every_part);
    for (const Block& b : architecture.blocks())
      if (!b.forward()) std::ranges::fill(network.parameters().subspan(b.weights, b.parameters), 0.0);
    const std::size_t n = packed.neurons();
    EXPECT_EQ(unpacked(packed.a_forward_transposed, n, n), transposed(network.dense_a(), n, n))
        << to_text(architecture);
  }
}

TEST(PackedNetwork, RefusesToTakeTheParametersOfAnotherArchitecture) {
  PackedNetwork<double> packed(NetworkOf<double>(paper, Start::paper, 1));
  const NetworkOf<double> larger(from_text<Architecture>("100-6-2"), Start::paper, 1);
  EXPECT_THAT(refusal([&] { packed.repack(larger); }), AllOf(HasSubstr("100-6-2"), HasSubstr("100-5-2")));
}

TEST(PackedNetwork, ThePapersNetworkIsASingleProduct) {
  EXPECT_EQ(PackedNetwork<float>(NetworkOf<float>(paper, Start::paper, 1)).a.size(), 1u);
}

}  // namespace
}  // namespace irn
