#include "irn/engine/cuda_engine-inl.h"

#include <algorithm>

#include "irn/engine/cuda/load_module.h"
#include "irn/engine/devices.h"

namespace irn {
namespace {

template <class T>
std::unique_ptr<cuda::DeviceSearch<T>> make_search(const cuda::SearchPlan& plan) {
  const cuda::Module& module = *cuda::loaded_module().module;
  if constexpr (std::is_same_v<T, float>)
    return module.search_in_float(plan);
  else
    return module.search_in_double(plan);
}

// The kinds of factor whose matrix it can be given.
bool has(Factor::Kind kind) {
  return kind == Factor::Kind::matrix || kind == Factor::Kind::diagonal || kind == Factor::Kind::own;
}
void check_blocks(Device device, const Architecture& architecture) {
  for (const Block& block : architecture.blocks())
    for (const Factor& factor : block.factors())
      if (!has(factor.kind))
        throw Error("device " + to_text(device) + " does not have blocks of kind " + to_text(block.op) +
                    ", which network " + to_text(architecture) + " has; take device cpu");
}

// One thread's chunks, in a stream of their own.
template <class T>
class DeviceChunkSolver final : public ChunkSolver<T> {
 public:
  DeviceChunkSolver(Device device, const PackedNetwork<T>& network, const Solver& solver,
                    const Rules<double>& rules, std::size_t capacity, CudaLink& link)
      : network_(network),
        link_(link),
        search_(make_search<T>({device.number, network.architecture().inputs(),
                                cuda::neurons_of(network.architecture()), solver, rules, capacity})) {}

  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
             T* states, Verdict* verdicts) override {
    find_numbers();
    for (std::size_t done = 0; done < index.size(); done += search_->capacity())
      solve_piece(samples, index.subspan(done, std::min(search_->capacity(), index.size() - done)),
                  starts.from(done), states + done * network_.neurons(), verdicts + done);
  }

 private:
  // Where a training has them, or as the network is packed.
  void find_numbers() {
    if (link_.training) {
      if (!borrows_) search_->borrow(link_.training->numbers());
      borrows_ = true;
      return;
    }
    if (uploaded_ == network_.revision) return;
    search_->upload({network_.dense_a.data(), network_.dense_b.data(), network_.bias.data()});
    uploaded_ = network_.revision;
  }
  void solve_piece(const Samples<T>& samples, std::span<const std::uint64_t> index,
                   const StartStates<T>& starts, T* states, Verdict* verdicts) {
    const std::size_t n = network_.neurons();
    samples.inputs_as_rows(index, search_->inputs());
    if (!starts.at_rest())
      for (std::size_t s = 0; s < index.size(); ++s) std::copy_n(starts.of(s), n, search_->starts() + s * n);
    search_->solve(index.size(), !starts.at_rest(), states, verdicts);
    link_.note(index.size(), search_->last());
  }

  const PackedNetwork<T>& network_;
  CudaLink& link_;
  std::unique_ptr<cuda::DeviceSearch<T>> search_;
  std::uint64_t uploaded_ = 0;
  bool borrows_ = false;
};

template <class T>
class CudaSource final : public ChunkSource<T> {
 public:
  CudaSource(Device device, const Architecture& architecture, std::shared_ptr<CudaLink> link)
      : device_(device), link_(std::move(link)) {
    check_device(device);
    check_blocks(device, architecture);
  }
  PackedNeeds needs() const override { return {.dense_a = true, .dense_b = true}; }
  bool takes(const PackedNetwork<T>& network, const Solver& solver) const override {
    return cuda::takes_solver(solver, network.neurons());
  }
  ChunkShape best_shape(const PackedNetwork<T>&, const Solver&, std::size_t share) const override {
    return {side_by_side, std::clamp((share + side_by_side - 1) / side_by_side, std::size_t{1}, most_groups) *
                              side_by_side};
  }
  std::size_t least_share() const override { return 4 * side_by_side; }
  std::unique_ptr<ChunkSolver<T>> make(const PackedNetwork<T>& network, const Solver& solver,
                                       const Rules<double>& rules, ChunkShape shape) const override {
    return std::make_unique<DeviceChunkSolver<T>>(device_, network, solver, rules, shape.capacity, *link_);
  }

 private:
  // What a device takes at once should be much for its threads, and little beside its memory.
  static constexpr std::size_t side_by_side = 1024, most_groups = 64;
  Device device_;
  std::shared_ptr<CudaLink> link_;
};

}  // namespace

template <>
std::unique_ptr<const ChunkSource<float>> cuda_source(Device device, const Architecture& architecture,
                                                      std::shared_ptr<CudaLink> link) {
  return std::make_unique<CudaSource<float>>(device, architecture, std::move(link));
}
template <>
std::unique_ptr<const ChunkSource<double>> cuda_source(Device device, const Architecture& architecture,
                                                       std::shared_ptr<CudaLink> link) {
  return std::make_unique<CudaSource<double>>(device, architecture, std::move(link));
}

}  // namespace irn
