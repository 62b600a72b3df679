// Computes the layers outside a network's core (StagedPlans), one after the other: what a layer reads of
// those before it is added to its entries, and then later layers can read it.
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
  // done(first, count) turns these entries into what later layers read.
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
    std::unique_ptr<LaunchedProduct> product;  // or null
  };
  std::vector<Layer> layers_;
};

}  // namespace irn::cuda
