#include "irn/engine/cuda/staged_search.h"

#include "irn/engine/cuda/entries-inl.h"
#include "irn/engine/cuda/layer_sweeps.h"
#include "irn/engine/cuda/thread_map-inl.h"

namespace irn::cuda {
namespace {

__global__ void __launch_bounds__(entry_threads)
    activate(Entries entries, const Activation* kinds, std::size_t neurons, const float* drives,
             float* states) {
  using V = plain::One<float>;
  const plain::MixedNeurons<V> kind(kinds);
  for_entry(entries, [&](std::size_t s, std::size_t i) {
    const std::size_t at = entries.first + i;
    states[s * neurons + at] = kind.value(at, V(drives[s * neurons + at])).v;
  });
}

// A core may be at rest although a layer outside it has left the range of numbers. One warp for each sample.
__global__ void __launch_bounds__(entry_threads)
    judge_layers(std::size_t neurons, std::size_t count, const float* drives, const float* states,
                 Verdict* verdicts) {
  const std::size_t s = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (s >= count) return;
  bool finite = true;
  for (std::size_t i = threadIdx.x % 32; i < neurons; i += 32) {
    const float drive = drives[s * neurons + i], state = states[s * neurons + i];
    finite = finite && drive - drive == 0 && state - state == 0;
  }
  if (__all_sync(0xFFFFFFFFu, finite) || threadIdx.x % 32 != 0) return;
  Verdict& verdict = verdicts[s];
  if (verdict.outcome != Outcome::settled) return;
  verdict.outcome = Outcome::not_finite, verdict.stability = Stability::unasked;
  verdict.residual = std::numeric_limits<double>::infinity();
}

class SearchInStages final : public StagedSearch {
 public:
  SearchInStages(const StagedPlans& plans, std::size_t neurons, std::size_t size, std::size_t capacity)
      : neurons_(neurons),
        first_(plans.first),
        core_(plans.neurons),
        size_(size),
        before_(plans.up_to_core, capacity),
        behind_(plans.beyond, capacity),
        drives_(on_device<float>(capacity * size)),
        starts_(on_device<float>(capacity * core_)),
        states_(on_device<float>(capacity * core_)) {
    if (plans.into_core) into_core_ = launched_product(plans.into_core, capacity);
  }

  CoreVectors before(const StagedOrder& order, cudaStream_t stream) const override {
    const Entries core{first_, core_, order.count};
    sweep(before_, order, stream);
    if (into_core_) into_core_->add(product(order), stream);
    take(core, order.drives, drives_.get(), size_, stream);
    if (order.starts) take(core, order.starts, starts_.get(), core_, stream);
    return {drives_.get(), order.starts ? starts_.get() : nullptr, states_.get()};
  }

  void behind(const StagedOrder& order, cudaStream_t stream) const override {
    const Entries core{first_, core_, order.count};
    launch(put_entries, {core.blocks(), entry_threads, stream}, core, states_.get(), core_, order.states,
           neurons_);
    sweep(behind_, order, stream);
    const Entries warps{0, 32, order.count};
    launch(judge_layers, {warps.blocks(), entry_threads, stream}, neurons_, order.count, order.drives,
           order.states, order.verdicts);
  }

 private:
  ProductOrder product(const StagedOrder& order) const {
    return {order.weights, order.states, neurons_, order.drives, neurons_, order.count};
  }
  void sweep(const LayerSweeps& layers, const StagedOrder& order, cudaStream_t stream) const {
    layers.run(product(order), stream, [&](std::size_t first, std::size_t count) {
      const Entries layer{first, count, order.count};
      launch(activate, {layer.blocks(), entry_threads, stream}, layer, order.kinds, neurons_, order.drives,
             order.states);
    });
  }
  void take(const Entries& core, const float* from, float* to, std::size_t to_stride,
            cudaStream_t stream) const {
    const Entries all{0, to_stride, core.samples};
    launch(take_entries, {all.blocks(), entry_threads, stream}, core, from, neurons_, to, to_stride);
  }

  std::size_t neurons_, first_, core_, size_;
  LayerSweeps before_, behind_;
  std::unique_ptr<LaunchedProduct> into_core_;  // or null
  OnDevice<float> drives_, starts_, states_;
};

}  // namespace

std::unique_ptr<StagedSearch> staged_search(const StagedPlans& plans, std::size_t neurons, std::size_t size,
                                            std::size_t capacity) {
  return std::make_unique<SearchInStages>(plans, neurons, size, capacity);
}

}  // namespace irn::cuda
