// Products by a plan, tile by tile as a device computes them, compared with the matrices of the network's
// blocks.
#include "irn/engine/cuda/plan_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "irn/network/network.h"
#include "irn/network/operator_algebra.h"
#include "irn/network/own_operator.h"
// The device's code for tiles, for threads of the host.
#include "tests/support/host_block.h"
//
#include "irn/engine/cuda/plan_tile-inl.h"

namespace irn {
namespace {

using cuda::PlanPart;
using cuda::PlanSource;
using cuda::PlanTile;
using cuda::ProductPlan;

constexpr std::size_t by_text_samples = 5, by_text_neurons = 2000;  // a barrier of 256 threads is slow

struct alignas(16) Four {
  float numbers[4] = {};
};

struct Vectors {
  std::size_t samples, in, out, scratch;
  std::vector<float> from, to, between;
};

// Computes a tile by its definition.
void make_tile(const ProductPlan& plan, const std::vector<float>& weights, const PlanTile& tile, Vectors& v) {
  const PlanPart& part = plan.parts[tile.part];
  for (unsigned column = tile.column; column < tile.column + ProductPlan::tile_columns; ++column) {
    const std::size_t s = column / part.places, p = column % part.places;
    if (s >= v.samples) return;
    for (unsigned o = tile.row; o < tile.row + tile.rows; ++o) {
      double sum = 0;
      for (unsigned k = 0; k < part.shared + part.direct; ++k) {
        const PlanSource& source = plan.sources[part.first + k];
        const unsigned group = o / source.group;
        ASSERT_TRUE(k >= part.shared || (tile.row + tile.rows - 1) / source.group == tile.row / source.group);
        const float* from = (source.from_scratch ? &v.between[s * v.scratch] : &v.from[s * v.in]) + source.at;
        if (k < part.shared) {  // read four at a time
          ASSERT_EQ(source.weights % 4, 0u);
          ASSERT_EQ(source.padded % 32, 0u);
          ASSERT_EQ((tile.row - group * source.group) % 32, 0u);
        }
        for (unsigned i = 0; i < source.channels; ++i)
          for (unsigned t = 0; t < source.taps; ++t) {
            const int at = plan.tables[source.table + t * part.places + p];
            const std::size_t row =
                (group * source.channels + i) * source.kernel + unsigned(plan.tables[source.numbers + t]);
            if (at == cuda::none) continue;
            sum += double(weights[source.weights + row * source.padded + o % source.group]) *
                   double(from[(group * source.channels + i) * source.plane + unsigned(at)]);
          }
      }
      const std::size_t entry = part.at + o * part.plane + unsigned(plan.tables[part.to + p]);
      float& to = part.to_scratch ? v.between[s * v.scratch + entry] : v.to[s * v.out + entry];
      to = static_cast<float>(part.adds ? to + sum : sum);
    }
  }
}

// Computes all tiles with the device's code, each with as many threads as a block has.
void make_tiles_as_device(const ProductPlan& plan, const std::vector<float>& weights,
                          const std::vector<PlanTile>& tiles, Vectors& v) {
  // Aligned as on a device: four numbers can be read at once.
  std::vector<Four> block(cuda::TileShape::floats / 4 + 1), aligned(weights.size() / 4 + 1);
  for (std::size_t k = 0; k < weights.size(); ++k) aligned[k / 4].numbers[k % 4] = weights[k];
  const cuda::PlanLists lists{plan.parts.data(), plan.sources.data(), plan.tables.data(), tiles.data()};
  const cuda::PlanBuffers buffers{
      aligned.front().numbers, v.from.data(), v.between.data(), v.to.data(), v.in, v.scratch, v.out,
      unsigned(v.samples)};
  run_block([&] {
    for (const PlanTile& tile : tiles) {
      cuda::make_plan_tile(lists, buffers, tile, block.front().numbers);
      __syncthreads();
    }
  });
}

// out = W v for all samples, with blocks of one kind multiplied out.
void add_plainly(const NetworkOf<float>& network, ProductPlan::Of which, Vectors& v) {
  for (const Block& block : network.architecture().blocks()) {
    if (block.from_input() != (which == ProductPlan::Of::b)) continue;
    std::vector<float> w(block.rows * block.cols);
    write_dense(block, network.parameters().data() + block.weights, w.data(), block.cols);
    const bool flipped = which == ProductPlan::Of::a_transposed;
    for (std::size_t s = 0; s < v.samples; ++s)
      for (std::size_t i = 0; i < block.rows; ++i)
        for (std::size_t j = 0; j < block.cols; ++j)
          flipped
              ? v.to[s * v.out + block.col + j] += w[i * block.cols + j] * v.from[s * v.in + block.row + i]
              : v.to[s * v.out + block.row + i] += w[i * block.cols + j] * v.from[s * v.in + block.col + j];
  }
}

void agrees(const std::string& text, ProductPlan::Of which, std::size_t samples) {
  NetworkOf<float> network(from_text<Architecture>(text), Start::scaled, 3);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(-1, 1);
  for (float& weight : network.parameters()) weight = number(random);
  const Architecture& architecture = network.architecture();
  const ProductPlan plan(architecture, which);
  const std::size_t n = architecture.neurons(), in = which == ProductPlan::Of::b ? architecture.inputs() : n;
  Vectors found{samples, in, n, plan.scratch, {}, {}, {}};
  found.from.resize(samples * in), found.to.assign(samples * n, which == ProductPlan::Of::b ? 0.5f : 0.0f);
  found.between.assign(samples * plan.scratch, std::nanf(""));
  for (float& entry : found.from) entry = number(random);
  Vectors expected = found;
  add_plainly(network, which, expected);
  std::vector<float> weights(plan.parameter.size());
  plan.arrange(network.parameters().data(), weights.data());
  std::vector<unsigned> ends;
  const std::vector<PlanTile> tiles = tiles_of(plan, samples, ends);
  ASSERT_EQ(ends.empty() ? 0 : ends.back(), tiles.size());
  Vectors by_text = found;
  for (const PlanTile& tile : tiles) make_tile(plan, weights, tile, found);
  for (std::size_t k = 0; k < found.to.size(); ++k)
    ASSERT_NEAR(found.to[k], expected.to[k], 1e-4) << text << ", entry " << k % n << " of sample " << k / n;
  if (samples != by_text_samples || n > by_text_neurons) return;
  make_tiles_as_device(plan, weights, tiles, by_text);
  for (std::size_t k = 0; k < found.to.size(); ++k)
    ASSERT_NEAR(by_text.to[k], expected.to[k], 1e-4)
        << text << ", by a device's text, entry " << k % n << " of sample " << k / n;
}

void agrees(const std::string& text) {
  for (const ProductPlan::Of which : {ProductPlan::Of::a, ProductPlan::Of::b, ProductPlan::Of::a_transposed})
    for (const std::size_t samples : {1, 5, 40}) agrees(text, which, samples);
}

TEST(ProductPlan, HasEveryOperatorBetweenImages) {
  agrees("1x9x8-6k3relu-8k3s2-4identity/none+1:1=conv1+2:2=conv3+2:1=tconv3s2");
  agrees("2x8x8-12k5s2-12k3d2-pool2/none+1:1=conv3x1+2:1=tconv3d2+3:2=up2+2:2=conv3g3");
  agrees("2x9x7-70k3x5p0-5k3s3/none+1:1=conv1g10+2:1=tconv3s3");
  agrees("4x6x6-8k3g2-8k3g4-3/none+1:1=conv3g8+2:2=conv1g2+2:1=conv5");
  agrees("3x4x4-up2-5k4s3p2/none+1:1=conv3+2:1=tconv4s3p2");
}

TEST(ProductPlan, HasEveryOperatorBetweenLists) {
  agrees("7-70-20-3");
  agrees("7-20-20/lateral=diagonal+2:1=lowrank3+0:2=lowrank2");
  agrees("7-200-9/lateral=lowrank5");
  agrees("1100-1030-5-1030/none+1:1=lowrank3+2:2+0:2+0:3=lowrank2");  // long rows, in pieces
}

TEST(ProductPlan, HasBlocksThatDivideTheSameRowsInOtherWays) {
  agrees("1x6x6-4k3-4k3-5/none+1:1=diagonal+2:1=tconv3+3:1+0:2=lowrank3+2:2=lowrank4");
  agrees("1x8x8-10k3-10k3g2-20k3s2/none+1:2=conv3g5+3:2=tconv3s2+3:1=tconv3s2+2:1=conv3");
}

struct Ring : OwnOperatorOf<Ring> {
  explicit Ring(std::size_t count) : n(count) {}
  std::size_t parameters() const override { return 1; }
  template <class T>
  void multiply(const T* w, std::size_t width, const T* v, T* out) const {
    for (std::size_t i = 0; i < n * width; ++i) out[i] += w[0] * v[(i + width) % (n * width)];
  }
  template <class T>
  void multiply_transposed(const T* w, std::size_t width, const T* v, T* out) const {
    for (std::size_t i = 0; i < n * width; ++i) out[(i + width) % (n * width)] += w[0] * v[i];
  }
  template <class T>
  void add_gradient(const T*, const T* u, const T* v, T* gradient) const {
    for (std::size_t i = 0; i < n; ++i) gradient[0] += u[i] * v[(i + 1) % n];
  }
  std::size_t n;
};

TEST(ProductPlan, HasOperatorsOfTheCallersOwn) {
  register_operator("ring",
                    [](std::size_t rows, std::size_t, std::size_t) { return std::make_shared<Ring>(rows); });
  agrees("3-9-4-9/none+1:1=ring+3:3=ring+1:3=ring");
}

TEST(ProductPlan, WeightsLieTheSameInPiecesAndNot) {
  const auto architecture = from_text<Architecture>("20-1030-5-3/none+1:1=lowrank3+2:2+1:3");
  const ProductPlan pieces(architecture, ProductPlan::Of::a), whole(architecture, ProductPlan::Of::a, false);
  ASSERT_GT(pieces.parts.size(), whole.parts.size());
  ASSERT_GE(pieces.parameter.size(), whole.parameter.size());
  EXPECT_TRUE(std::equal(whole.parameter.begin(), whole.parameter.end(), pieces.parameter.begin()));
}

// Stages combined: what the layers up to the core, the core and the layers beyond it read of each other is a
// product with all of A.
void stages_agree(const std::string& text, ProductPlan::Of which) {
  constexpr std::size_t samples = 3;
  NetworkOf<float> network(from_text<Architecture>(text), Start::scaled, 3);
  const Architecture& architecture = network.architecture();
  const ProductPlan whole(architecture, which);
  const auto stages = cuda::staged_plans(architecture, which);
  ASSERT_TRUE(stages) << text;
  std::vector<float> weights(whole.parameter.size());
  whole.arrange(network.parameters().data(), weights.data());
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(-1, 1);
  const std::size_t n = architecture.neurons();
  Vectors expected{samples, n, n, 0, std::vector<float>(samples * n), std::vector<float>(samples * n), {}};
  for (float& entry : expected.from) entry = number(random);
  Vectors found = expected;
  add_plainly(network, which, expected);
  const auto add = [&](const std::shared_ptr<const ProductPlan>& plan, Vectors& v) {
    if (!plan) return;
    ASSERT_EQ(plan->parameter, whole.parameter) << text;
    v.scratch = plan->scratch, v.between.assign(samples * plan->scratch, std::nanf(""));
    std::vector<unsigned> ends;
    for (const PlanTile& tile : tiles_of(*plan, samples, ends)) make_tile(*plan, weights, tile, v);
  };
  for (const auto& sweeps : {stages->up_to_core, stages->beyond})
    for (const auto& sweep : sweeps) add(sweep.plan, found);
  add(stages->into_core, found);
  Vectors core{samples, stages->neurons, stages->neurons, 0, {}, {}, {}};
  core.to.resize(samples * core.out);
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t i = 0; i < core.in; ++i) core.from.push_back(found.from[s * n + stages->first + i]);
  add(stages->core, core);
  for (std::size_t s = 0; s < samples; ++s)
    for (std::size_t i = 0; i < core.in; ++i)
      found.to[s * n + stages->first + i] += core.to[s * core.out + i];
  for (std::size_t k = 0; k < found.to.size(); ++k)
    ASSERT_NEAR(found.to[k], expected.to[k], 1e-4) << text << ", entry " << k % n << " of sample " << k / n;
}

TEST(ProductPlan, StagesTogetherAreTheWhole) {
  for (const ProductPlan::Of which : {ProductPlan::Of::a, ProductPlan::Of::a_transposed})
    for (const char* text :
         {"1x9x8-6k3relu-8k3s2-4identity/none+2:2=conv1", "1x9x8-6k3relu-8k3s2-4identity/none+1:1=conv1",
          "1x8x8-6k3-6k3-6k3-5-3/none+1:3=conv3+3:2=tconv3+3:3=diagonal+2:4",
          "1100-1030-20-5-1030-3/none+2:2+1:3=lowrank2+2:5"})  // long rows, in pieces
      stages_agree(text, which);
}

TEST(ProductPlan, LongTilesComeFirst) {
  const ProductPlan plan(from_text<Architecture>("1x8x8-4k3relu-64k5relu-9/none+1:1=conv1"),
                         ProductPlan::Of::a, false);
  std::vector<unsigned> ends;
  const std::vector<PlanTile> tiles = tiles_of(plan, 3, ends);
  EXPECT_EQ(plan.parts[tiles.front().part].channels, 9u);  // 4,096 to sum
  EXPECT_EQ(plan.parts[tiles.back().part].channels, 4u);
}

}  // namespace
}  // namespace irn
