#include "irn/engine/cuda/adjoint-inl.h"
//
#include "irn/engine/cuda/adjoint_by_plan.h"
#include "irn/engine/cuda/entries-inl.h"
#include "irn/engine/cuda/layer_sweeps.h"
#include "irn/engine/cuda/plan_product-inl.h"

namespace irn::cuda {
namespace {

// Vectors of all neurons, [sample][neuron]: the loss slopes g, the slopes D of the activations, and u, which
// is g at first.
struct StagedVectors {
  float *g, *slopes, *u;
  float *miss, *products;  // one for each sample
};

// The threads of a block share a sample.
using Shared = plain::One<float, std::size_t, plain::BlockShare<TileShape::threads>>;

template <class What>
__device__ __forceinline__ void for_own(std::size_t neurons, const What& what) {
  for (std::size_t i = threadIdx.x; i < neurons; i += TileShape::threads) what(i);
}
template <class V, class Find>
__device__ float largest_over(std::size_t neurons, const Find& find) {
  V size;
  for_own(neurons, [&](std::size_t i) { size = larger_size(size, V(find(i))); });
  size = largest_of_all(size);
  return (size + (size - size)).v;
}

// One block for each sample. A sample that did not settle has zeros everywhere, whatever its state.
__global__ void __launch_bounds__(TileShape::threads)
    begin_adjoints(const __grid_constant__ AdjointGiven given, const __grid_constant__ AdjointMemory memory,
                   const __grid_constant__ StagedVectors vectors) {
  const std::size_t n = given.neurons, row = blockIdx.x * n;
  const bool settled = memory.verdicts[blockIdx.x].outcome == Outcome::settled;
  const plain::MixedNeurons<Shared> kind(memory.kinds);
  for_own(n, [&](std::size_t i) {
    float z = settled ? memory.states[row + i] : 0.0f;
    if (memory.kinds[i] == Activation::relu && z <= given.off_below) z = 0.0f;  // as in turn_off_neurons
    const int at = settled ? memory.slope_of[i] : -1;
    const float g =
        at < 0 ? 0.0f : memory.loss_slopes[blockIdx.x * given.slopes + static_cast<std::size_t>(at)];
    memory.states_used[row + i] = z;
    vectors.slopes[row + i] = settled ? kind.slope(i, Shared(z)).v : 0.0f;
    vectors.g[row + i] = vectors.u[row + i] = g;
  });
}

// delta = D u
__global__ void __launch_bounds__(entry_threads)
    scale_by_slopes(Entries entries, std::size_t neurons, const __grid_constant__ StagedVectors vectors,
                    float* deltas) {
  for_entry(entries, [&](std::size_t s, std::size_t i) {
    const std::size_t at = s * neurons + entries.first + i;
    deltas[at] = vectors.slopes[at] * vectors.u[at];
  });
}

struct CoreGiven {
  std::size_t first, core, rows;  // rows: neurons of a thread
};

// The core's equation, for one sample: u contains what other layers pass back to the core, and receives the
// solution.
template <class V, class Product>
class CoreAdjoint {
 public:
  __device__ CoreAdjoint(const AdjointGiven& given, const CoreGiven& core, Product& product, V* own,
                         V* scalars)
      : core_(core), product_(product), handed_(own, scalars), krylov_(given.accuracy, core.rows, handed_) {}

  __device__ void operator()(const V* v, V* out) {  // out = v - A^T D v
    V scaled[most_rows_by_plan];
    for (std::size_t r = 0; r < core_.rows; ++r) scaled[r] = slopes_[r] * v[r];
    product_.multiply(scaled, out, core_.rows);
    for (std::size_t r = 0; r < core_.rows; ++r) out[r] = v[r] - out[r];
  }

  __device__ void run(std::size_t s, std::size_t neurons, const StagedVectors& vectors) {
    float* u = vectors.u + s * neurons + core_.first;
    const float* slopes = vectors.slopes + s * neurons + core_.first;
    for (std::size_t r = 0; r < core_.rows; ++r) {
      const std::size_t i = plain::unknown<V>(r);
      g_[r] = i < core_.core ? V(u[i]) : V();
      slopes_[r] = i < core_.core ? V(slopes[i]) : V();
    }
    krylov_.solve(*this, g_, u_);
    for (std::size_t r = 0; r < core_.rows; ++r)
      if (plain::unknown<V>(r) < core_.core) u[plain::unknown<V>(r)] = u_[r].v;
    if (V::Share::rank() == 0) vectors.miss[s] = krylov_.miss().v, vectors.products[s] = krylov_.products().v;
  }

 private:
  const CoreGiven& core_;
  Product& product_;
  WideMemory<V> handed_;
  plain::KrylovAdjointSolve<V> krylov_;
  V g_[most_rows_by_plan], u_[most_rows_by_plan], slopes_[most_rows_by_plan];
};

__global__ void __launch_bounds__(TileShape::threads, 2)
    solve_cores(const __grid_constant__ AdjointGiven given, const __grid_constant__ CoreGiven core,
                const __grid_constant__ StagedVectors vectors, const __grid_constant__ PlanGiven plan,
                const __grid_constant__ GridMemory grid) {
  __shared__ __align__(16) float block[TileShape::floats];
  PlanProduct<Shared> product(plan, grid, block);
  Shared own[AdjointSizes::vectors * most_rows_by_plan], scalars[AdjointSizes::scalars];
  for (std::size_t s = blockIdx.x; s < given.count; s += gridDim.x)
    CoreAdjoint<Shared, PlanProduct<Shared>>(given, core, product, own, scalars)
        .run(s, given.neurons, vectors);
  product.help_others();
}

// One block for each sample.
__global__ void __launch_bounds__(TileShape::threads)
    judge_adjoints(const __grid_constant__ AdjointGiven given, const __grid_constant__ AdjointMemory memory,
                   const __grid_constant__ StagedVectors vectors) {
  const std::size_t n = given.neurons, s = blockIdx.x, row = s * n;
  const float g = largest_over<Shared>(n, [&](std::size_t i) { return vectors.g[row + i]; });
  const float u = largest_over<Shared>(n, [&](std::size_t i) { return vectors.u[row + i]; });
  const float delta = largest_over<Shared>(n, [&](std::size_t i) { return memory.deltas[row + i]; });
  const bool settled = memory.verdicts[s].outcome == Outcome::settled;
  const SampleJudged judged =
      settled ? judged_sample<Shared>(Shared(g), Shared(u), Shared(delta), Shared(vectors.miss[s]),
                                      Shared(vectors.products[s]), given)
              : SampleJudged{{1, 0, GradientOutcome::not_settled}, 0.0f};
  const float weight = memory.weights ? memory.weights[s] : 1.0f;
  const bool used = judged.factor != 0 && weight != 0;
  for_own(n, [&](std::size_t i) {
    memory.deltas[row + i] = used ? memory.deltas[row + i] * judged.factor * weight : 0.0f;
    if (!used) memory.states_used[row + i] = 0.0f;
  });
  if (threadIdx.x == 0)
    memory.found[s] = judged.found, memory.factors[s] = used ? judged.factor * weight : 0.0f;
}

class StagedAdjoint final : public AdjointWay {
 public:
  StagedAdjoint(std::size_t neurons, std::shared_ptr<const StagedPlans> plans)
      : neurons_(neurons),
        plans_(std::move(plans)),
        core_{plans_->first, plans_->neurons,
              (plans_->neurons + TileShape::threads - 1) / TileShape::threads},
        plan_(plans_->core),
        work_(solve_cores, TileShape::threads, size(), plan_.plan().scratch) {}
  std::size_t rows() const override { return core_.rows; }
  std::size_t size() const override { return TileShape::threads * core_.rows; }

  void run(const AdjointGiven& given, const AdjointMemory& memory, cudaStream_t stream) const override {
    allocate(given.count);
    const StagedVectors vectors{g_.get(), slopes_.get(), u_.get(), miss_.get(), products_.get()};
    const ProductOrder passed_back{memory.a_transposed, memory.deltas, neurons_,
                                   vectors.u,           neurons_,      given.count};
    const auto scale = [&](std::size_t first, std::size_t count) {
      const Entries layer{first, count, given.count};
      launch(scale_by_slopes, {layer.blocks(), entry_threads, stream}, layer, neurons_, vectors,
             memory.deltas);
    };
    const auto samples = static_cast<unsigned>(given.count);
    launch(begin_adjoints, {samples, TileShape::threads, stream}, given, memory, vectors);
    behind_->run(passed_back, stream, scale);
    if (into_core_) into_core_->add(passed_back, stream);
    work_.launch(work_.most(), stream, given, core_, vectors,
                 given_by(plan_, memory.a_transposed, size(), given.count, work_.most(), stream));
    scale(core_.first, core_.core);
    before_->run(passed_back, stream, scale);
    launch(judge_adjoints, {samples, TileShape::threads, stream}, given, memory, vectors);
  }

 private:
  // Grows with the largest batch.
  void allocate(std::size_t count) const {
    if (count <= capacity_) return;
    capacity_ = 0;  // if memory runs out, there is none
    for (OnDevice<float>* buffer : {&g_, &slopes_, &u_})
      buffer->reset(), *buffer = on_device<float>(count * neurons_);
    miss_ = on_device<float>(count), products_ = on_device<float>(count);
    behind_.emplace(plans_->up_to_core, count), before_.emplace(plans_->beyond, count);
    if (plans_->into_core) into_core_ = launched_product(plans_->into_core, count);
    capacity_ = count;
  }

  std::size_t neurons_;
  std::shared_ptr<const StagedPlans> plans_;
  CoreGiven core_;
  PlanOnDevice plan_;
  GridWork<AdjointGiven, CoreGiven, StagedVectors, PlanGiven> work_;
  mutable std::size_t capacity_ = 0;
  mutable OnDevice<float> g_, slopes_, u_, miss_, products_;
  mutable std::optional<LayerSweeps> behind_, before_;
  mutable std::unique_ptr<LaunchedProduct> into_core_;  // or null
};

}  // namespace

std::unique_ptr<AdjointWay> adjoint_in_stages(std::size_t neurons,
                                              std::shared_ptr<const StagedPlans> transposed) {
  return std::make_unique<StagedAdjoint>(neurons, std::move(transposed));
}

}  // namespace irn::cuda
