#include <algorithm>

#include "irn/engine/cuda/trained_numbers.h"

// dA = sum delta z^T,  dB = sum delta x^T,  db = sum delta,  for networks whose blocks are all dense.
namespace irn::cuda {
namespace {

constexpr unsigned sum_tile = 64, sum_depth = 16, sum_threads = 256, arrange_threads = 256;

// Where a tile of a block's gradient is; `cols` is 0 for biases.
struct SumTile {
  unsigned row, rows, col, cols;  // in A or B; rows and cols up to sum_tile
  unsigned long long at;          // of its first entry in the parameter vector
  unsigned stride;                // from row to row there
  bool from_input;
};

// Each block computes one tile of a part of the gradient, 4 x 4 entries in each thread: the sum of delta_i
// source_j over `samples` samples from blockIdx.y * samples on, in their order.
__global__ void __launch_bounds__(sum_threads)
    sum_tiles(const SumTile* tiles, const float* deltas, const float* states, const float* inputs,
              const float* factors, unsigned count, unsigned samples, unsigned neurons, unsigned input_count,
              std::size_t parameters, float* parts) {
  __shared__ __align__(16) float left[sum_depth][sum_tile], right[sum_depth][sum_tile];
  const SumTile tile = tiles[blockIdx.x];
  const float* source = tile.from_input ? inputs : states;
  const unsigned width = tile.from_input ? input_count : neurons;
  const unsigned i0 = threadIdx.x / 16 * 4, j0 = threadIdx.x % 16 * 4;
  float sum[4][4] = {};
  const unsigned end = min(count, (blockIdx.y + 1) * samples);
  for (unsigned from = blockIdx.y * samples; from < end; from += sum_depth) {
    for (unsigned at = threadIdx.x; at < sum_depth * sum_tile; at += sum_threads) {
      const unsigned s = from + at / sum_tile, k = at % sum_tile;
      const bool in = s < end && factors[s] != 0;  // a sample that is left out may have NaN
      left[at / sum_tile][k] = in && k < tile.rows ? deltas[std::size_t(s) * neurons + tile.row + k] : 0.0f;
      right[at / sum_tile][k] = !in              ? 0.0f
                                : tile.cols == 0 ? (k == 0 ? 1.0f : 0.0f)
                                : k < tile.cols  ? source[std::size_t(s) * width + tile.col + k]
                                                 : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < sum_depth; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(&left[k][i0]),
                   b = *reinterpret_cast<const float4*>(&right[k][j0]);
      const float ai[4] = {a.x, a.y, a.z, a.w}, bj[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) sum[i][j] = fmaf(ai[i], bj[j], sum[i][j]);
    }
    __syncthreads();
  }
  float* part = parts + blockIdx.y * parameters + tile.at;
  const unsigned cols = tile.cols == 0 ? 1 : tile.cols;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
      if (i0 + i < tile.rows && j0 + j < cols) part[std::size_t(i0 + i) * tile.stride + j0 + j] = sum[i][j];
}
// share * the sum of the parts, in their order.
__global__ void add_parts(const float* parts, unsigned count, std::size_t parameters, const StepState* state,
                          float* gradient) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= parameters) return;
  float sum = parts[k];
  for (unsigned p = 1; p < count; ++p) sum += parts[p * parameters + k];
  gradient[k] = sum * static_cast<float>(state->share);
}

// Where the matrices are, to find the entry of A or B that a parameter is.
struct ArrangedMatrices {
  float *a, *a_transposed, *b, *bias;
  std::size_t size, inputs;
};
struct BlockTable {
  unsigned count;
  DenseBlock blocks[most_blocks];
  std::size_t biases;
};
__device__ inline void put_parameter(const BlockTable& table, const ArrangedMatrices& to, std::size_t k,
                                     float value) {
  if (k >= table.biases) {
    to.bias[k - table.biases] = value;
    return;
  }
  unsigned b = 0;
  while (k - table.blocks[b].weights >= table.blocks[b].rows * table.blocks[b].cols)
    ++b;  // blocks are consecutive
  const DenseBlock& block = table.blocks[b];
  const std::size_t at = k - block.weights, i = block.row + at / block.cols, j = block.col + at % block.cols;
  if (block.from_input) {
    to.b[i * to.inputs + j] = value;
    return;
  }
  to.a[j * to.size + i] = value, to.a_transposed[i * to.size + j] = value;
}
__global__ void arrange_all(const __grid_constant__ BlockTable table, const ArrangedMatrices to,
                            const float* parameters, std::size_t count) {
  const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < count) put_parameter(table, to, k, parameters[k]);
}

BlockTable table_of(const TrainingPlan& plan) {
  BlockTable table{static_cast<unsigned>(plan.blocks.size()), {}, plan.biases};
  std::copy(plan.blocks.begin(), plan.blocks.end(), table.blocks);
  return table;
}

// The tiles of all blocks, and of the biases.
std::vector<SumTile> tiles_of(const TrainingPlan& plan) {
  std::vector<SumTile> tiles;
  const auto add = [&](const DenseBlock& block, bool biases) {
    for (std::size_t r = 0; r < block.rows; r += sum_tile)
      for (std::size_t c = 0; c < block.cols; c += sum_tile)
        tiles.push_back({static_cast<unsigned>(block.row + r),
                         static_cast<unsigned>(std::min<std::size_t>(sum_tile, block.rows - r)),
                         static_cast<unsigned>(block.col + c),
                         biases ? 0u : static_cast<unsigned>(std::min<std::size_t>(sum_tile, block.cols - c)),
                         block.weights + r * block.cols + c, static_cast<unsigned>(block.cols),
                         block.from_input});
  };
  for (const DenseBlock& block : plan.blocks) add(block, false);
  add({0, plan.neurons.size(), 0, 1, plan.biases, false}, true);
  return tiles;
}

class TrainedMatrices final : public TrainedNumbers {
 public:
  explicit TrainedMatrices(const TrainingPlan& plan)
      : plan_(plan), table_(table_of(plan)), adjoint_(adjoint_way(neurons())) {
    const std::size_t size = adjoint_->size();
    for (auto* matrix : {&a_, &transposed_}) *matrix = zeros<float>(size * size);
    b_ = zeros<float>(neurons() * plan.inputs), bias_ = zeros<float>(neurons());
    const std::vector<SumTile> tiles = tiles_of(plan);
    tiles_ = brought(tiles), tile_count_ = static_cast<unsigned>(tiles.size());
  }
  NumbersOnDevice numbers() const override {
    return {a_.get(), b_.get(), bias_.get(), adjoint_->size(), false};
  }
  const AdjointWay& adjoint() const override { return *adjoint_; }
  const float* transposed() const override { return transposed_.get(); }
  void arrange(const float* parameters, cudaStream_t stream) const override {
    launch(arrange_all, {blocks_of_parameters(), arrange_threads, stream}, table_,
           {a_.get(), transposed_.get(), b_.get(), bias_.get(), adjoint_->size(), plan_.inputs}, parameters,
           plan_.parameters);
  }
  void sum(const SumOrder& order, cudaStream_t stream) const override {
    // As many parts as keep the device busy, with equal numbers of samples.
    const unsigned wanted = std::max(1u, std::min(parts_of_device / tile_count_, order.count / least_part)),
                   samples = (order.count + wanted - 1) / wanted,
                   parts = (order.count + samples - 1) / samples;
    make_room(parts);
    launch(sum_tiles, {{tile_count_, parts}, sum_threads, stream}, tiles_.get(), order.deltas, order.states,
           order.inputs, order.factors, order.count, samples, static_cast<unsigned>(neurons()),
           static_cast<unsigned>(plan_.inputs), plan_.parameters, parts_.get());
    launch(add_parts, {blocks_of_parameters(), arrange_threads, stream}, parts_.get(), parts,
           plan_.parameters, order.state, order.gradient);
  }

 private:
  // How many blocks keep a large device busy, and how many samples justify a part. The same on all devices:
  // the parts determine the bits.
  static constexpr unsigned parts_of_device = 512, least_part = 32;
  void make_room(unsigned parts) const {
    if (parts <= room_) return;
    room_ = 0;  // if memory runs out, there is none
    parts_.reset();
    parts_ = on_device<float>(plan_.parameters * parts);
    room_ = parts;
  }
  std::size_t neurons() const { return plan_.neurons.size(); }
  unsigned blocks_of_parameters() const {
    return static_cast<unsigned>((plan_.parameters + arrange_threads - 1) / arrange_threads);
  }

  TrainingPlan plan_;
  BlockTable table_;
  std::unique_ptr<AdjointWay> adjoint_;
  OnDevice<float> a_, transposed_, b_, bias_;
  OnDevice<SumTile> tiles_;
  unsigned tile_count_ = 0;
  mutable OnDevice<float> parts_;  // of the gradient
  mutable unsigned room_ = 0;
};

}  // namespace

std::unique_ptr<TrainedNumbers> trained_matrices(const TrainingPlan& plan) {
  return std::make_unique<TrainedMatrices>(plan);
}

}  // namespace irn::cuda
