#include "irn/engine/cuda_engine-inl.h"

#include <algorithm>

#include "irn/engine/cuda/load_module.h"
#include "irn/engine/devices.h"
#include "irn/engine/kept_samples-inl.h"

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

// Takes fewer samples at a time if the device has too little memory.
template <class T>
std::unique_ptr<cuda::DeviceSearch<T>> make_search(const cuda::SearchPlan& plan, KeptSamples<T>& kept) {
  auto search = kept.room_for([&] { return make_search<T>(plan); });
  if (search->capacity() == plan.capacity || !kept.give_up()) return search;
  search.reset();
  return make_search<T>(plan);
}

template <class T>
void check_network(Device device, const Architecture& architecture) {
  if (!architecture.recurrent())
    throw Error("device " + to_text(device) + " searches for equilibria, but network " +
                to_text(architecture) + " has no recurrent connections; take device cpu");
  const bool single = std::is_same_v<T, float>;
  const std::size_t most = single ? cuda::widest : cuda::widest_matrix;
  if (architecture.neurons() > most)
    throw Error("device " + to_text(device) + " takes up to " + std::to_string(most) + " neurons" +
                (single ? "" : " in double precision") + ", but network " + to_text(architecture) + " has " +
                std::to_string(architecture.neurons()) + "; take device cpu");
}

// Plans for products with A and B; null if products use matrices.
struct Plans {
  std::shared_ptr<const cuda::ProductPlan> a, b;
  std::shared_ptr<const cuda::StagedPlans> stages;  // or null
};

// Solves one thread's chunks, in a stream of their own.
template <class T>
class DeviceChunkSolver final : public ChunkSolver<T> {
 public:
  DeviceChunkSolver(Device device, const PackedNetwork<T>& network, const Solver& solver,
                    const Rules<double>& rules, std::size_t capacity, const Plans& plans,
                    KeptSamples<T>& kept, CudaLink& link)
      : network_(network),
        plans_(plans),
        kept_(kept),
        link_(link),
        search_(make_search<T>(
            {device.number, network.architecture().inputs(), cuda::neurons_of(network.architecture()), solver,
             rules, capacity, plans.a, plans.b, plans.stages},
            kept)) {}

  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
             T* states, Verdict* verdicts) override {
    find_numbers();
    for (std::size_t done = 0; done < index.size(); done += search_->capacity())
      solve_piece(samples, index.subspan(done, std::min(search_->capacity(), index.size() - done)),
                  starts.from(done), states + done * network_.neurons(), verdicts + done);
  }

 private:
  // Uses a training's numbers if there is one, otherwise uploads the network as it is packed.
  void find_numbers() {
    if (link_.training) {
      if (!borrows_) search_->borrow(link_.training->numbers());
      borrows_ = true;
      return;
    }
    if (uploaded_ == network_.revision) return;
    plans_.a ? upload_by_plan()
             : search_->upload({network_.dense_a.data(), network_.dense_b.data(), network_.bias.data()});
    uploaded_ = network_.revision;
  }
  void upload_by_plan() {
    if constexpr (std::is_same_v<T, float>) {
      a_.resize(plans_.a->parameter.size()), b_.resize(plans_.b->parameter.size());
      const float* numbers = parameters().data();
      plans_.a->arrange(numbers, a_.data()), plans_.b->arrange(numbers, b_.data());
      search_->upload({a_.data(), b_.data(), network_.bias.data()});
    }
  }
  // The parameters of all blocks. If all are dense, a packed network has them only in its matrices.
  const std::vector<T>& parameters() {
    if (!network_.numbers.empty()) return network_.numbers;
    parameters_.resize(network_.architecture().biases());
    for (const Block& block : network_.architecture().blocks()) {
      const std::vector<T>& from = block.from_input() ? network_.dense_b : network_.dense_a;
      const std::size_t width = block.from_input() ? network_.architecture().inputs() : network_.neurons();
      for (std::size_t i = 0; i < block.rows; ++i)
        std::copy_n(from.data() + (block.row + i) * width + block.col, block.cols,
                    parameters_.data() + block.weights + i * block.cols);
    }
    return parameters_;
  }
  void solve_piece(const Samples<T>& samples, std::span<const std::uint64_t> index,
                   const StartStates<T>& starts, T* states, Verdict* verdicts) {
    const std::size_t n = network_.neurons();
    const bool from_starts = !starts.at_rest();
    if (from_starts)
      for (std::size_t s = 0; s < index.size(); ++s) std::copy_n(starts.of(s), n, search_->starts() + s * n);
    kept_.room_for([&] {
      if (const auto kept = kept_.inputs_of(samples)) {
        check_samples(index, samples.size());
        search_->solve_kept(*kept, index, from_starts, states, verdicts);
      } else {
        samples.inputs_as_rows(index, search_->inputs());
        search_->solve(index.size(), from_starts, states, verdicts);
      }
    });
    link_.note(index.size(), search_->last());
  }

  const PackedNetwork<T>& network_;
  Plans plans_;
  KeptSamples<T>& kept_;
  CudaLink& link_;
  std::unique_ptr<cuda::DeviceSearch<T>> search_;
  std::vector<T> a_, b_, parameters_;  // for plans
  std::uint64_t uploaded_ = 0;
  bool borrows_ = false;
};

template <class T>
class CudaSource final : public ChunkSource<T> {
 public:
  CudaSource(Device device, const Architecture& architecture, std::shared_ptr<CudaLink> link)
      : device_(device), matrices_(!by_plan(architecture) || architecture.dense()), link_(std::move(link)) {
    check_device(device);
    check_network<T>(device, architecture);
    kept_ = KeptSamples<T>::on(device);
    if (by_plan(architecture)) {
      plans_.a = std::make_shared<cuda::ProductPlan>(architecture, cuda::ProductPlan::Of::a);
      plans_.b = std::make_shared<cuda::ProductPlan>(architecture, cuda::ProductPlan::Of::b);
      plans_.stages = cuda::staged_plans(architecture, cuda::ProductPlan::Of::a);
    }
  }
  PackedNeeds needs() const override { return {.dense_a = matrices_, .dense_b = matrices_}; }
  bool takes(const PackedNetwork<T>& network, const Solver& solver) const override {
    return cuda::takes_solver(solver, network.neurons());
  }
  ChunkShape best_shape(const PackedNetwork<T>& network, const Solver&, std::size_t share) const override {
    const std::size_t most =
        std::clamp(most_numbers / (side_by_side * network.neurons()), std::size_t{1}, most_groups);
    return {side_by_side,
            std::clamp((share + side_by_side - 1) / side_by_side, std::size_t{1}, most) * side_by_side};
  }
  std::size_t least_share() const override { return 4 * side_by_side; }
  void prepare(const Samples<T>& samples, std::size_t count) const override {
    kept_->prepare(samples, count);
  }
  std::unique_ptr<ChunkSolver<T>> make(const PackedNetwork<T>& network, const Solver& solver,
                                       const Rules<double>& rules, ChunkShape shape) const override {
    return std::make_unique<DeviceChunkSolver<T>>(device_, network, solver, rules, shape.capacity, plans_,
                                                  *kept_, *link_);
  }

 private:
  static bool by_plan(const Architecture& architecture) {
    return std::is_same_v<T, float> && cuda::goes_by_plan(architecture);
  }
  // What a device takes at once should be much for its threads, and little compared with its memory.
  static constexpr std::size_t side_by_side = 1024, most_groups = 64, most_numbers = 1u << 25;
  Device device_;
  bool matrices_;  // whether the searches use matrices
  Plans plans_;
  std::shared_ptr<KeptSamples<T>> kept_;
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
