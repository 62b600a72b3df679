#include "bench/device_search.h"

#include <algorithm>
#include <numeric>

#include "irn/base/error.h"
#include "irn/engine/cuda/load_module.h"
#include "irn/network/packed.h"

namespace irn::bench {

SearchOnDevice::SearchOnDevice(Device device, const NetworkOf<float>& network, const Solver& solver,
                               double tolerance, const Samples<float>& samples, std::size_t count,
                               bool confirm)
    : states_(count * network.architecture().neurons()), verdicts_(count) {
  const PackedNetwork<float> packed(network, {.dense_a = true, .dense_b = true});
  const bool bounded = std::ranges::all_of(network.architecture().layers(),
                                           [](const Layer& layer) { return is_bounded(layer.activation); });
  search_ = cuda::loaded_module().module->search_in_float(
      {device.number,
       samples.inputs(),
       cuda::neurons_of(network.architecture()),
       solver,
       {.tolerance = tolerance, .confirm = confirm, .bounded = bounded},
       count});
  if (search_->capacity() < count) throw Error("the device has no memory for so many samples");
  search_->upload({packed.dense_a.data(), packed.dense_b.data(), packed.bias.data()});
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  samples.inputs_as_rows(index, search_->inputs());
  search_->solve(count, false, states_.data(), verdicts_.data());
}

}  // namespace irn::bench
