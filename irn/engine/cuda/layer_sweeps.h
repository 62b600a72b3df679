// Layers outside a network's core (StagedPlans), one after the other: what each reads of those before it is added to its entries, and then it is their turn to be read.
#pragma once

#include "irn/engine/cuda/launched_product.h"

namespace irn::cuda {

// For one stream at a time.
class LayerSweeps {
 public:
  LayerSweeps(const std::vector<StagedPlans::Sweep>& sweeps, std::size_t capacity) {
    for (const StagedPlans::Sweep& sweep : sweeps)
      layers_.push_back(
          {sweep.first, sweep.count, sweep.plan ? launched_product(sweep.plan, capacity) : nullptr});
  }
  // done(first, count): makes of these entries what later layers read.
  template <class Done>
  void run(const ProductOrder& order, cudaStream_t stream, const Done& done) const {
    for (const Layer& layer : layers_) {
      if (layer.product) layer.product->add(order, stream);
      done(layer.first, layer.count);
    }
  }

 private:
  struct Layer {
    std::size_t first, count;
    std::unique_ptr<LaunchedProduct> product;  // or none
  };
  std::vector<Layer> layers_;
};

}  // namespace irn::cuda
