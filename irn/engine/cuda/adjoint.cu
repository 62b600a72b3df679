#include "irn/engine/cuda/adjoint-inl.h"

namespace irn::cuda {
namespace {

class WarpAdjoint final : public AdjointWay {
 public:
  static constexpr unsigned warps = 4;
  explicit WarpAdjoint(std::size_t n) : rows_(rows_of(n)) {}
  static std::size_t rows_of(std::size_t n) { return (n + 31) / 32; }
  static std::size_t bytes(std::size_t rows) { return sizeof(float) * 32 * rows * (32 * rows + warps); }
  static bool takes(std::size_t n) {
    return rows_of(n) <= most_rows && bytes(rows_of(n)) <= attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  }
  std::size_t rows() const override { return rows_; }
  std::size_t size() const override { return 32 * rows_; }
  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    const auto kernel = adjoint_by_warps<warps>;
    allow_shared(kernel);
    const unsigned blocks = blocks_for(kernel, 32 * warps, bytes(rows_), (given.count + warps - 1) / warps);
    kernel<<<blocks, 32 * warps, bytes(rows_), stream>>>(given, memory);
    checked(cudaGetLastError());
  }

 private:
  std::size_t rows_;
};

template <class Tile>
class GridAdjoint final : public AdjointWay {
 public:
  explicit GridAdjoint(std::size_t n)
      : rows_((n + Tile::threads - 1) / Tile::threads), work_(adjoint_in_grid<Tile>, Tile::threads, size()) {}
  std::size_t rows() const override { return rows_; }
  std::size_t size() const override { return Tile::threads * rows_; }
  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    work_.launch(given.count, stream, given, memory);
  }

 private:
  std::size_t rows_;
  GridWork<AdjointGiven, AdjointMemory> work_;
};

}  // namespace

std::unique_ptr<AdjointWay> adjoint_way(std::size_t neurons) {
  if (WarpAdjoint::takes(neurons)) return std::make_unique<WarpAdjoint>(neurons);
  if (neurons <= narrow_limit) return std::make_unique<GridAdjoint<NarrowTile>>(neurons);
  return std::make_unique<GridAdjoint<BroadTile>>(neurons);
}

}  // namespace irn::cuda
