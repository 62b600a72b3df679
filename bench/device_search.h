// Searches whose samples stay in a CUDA device's memory: what its kernels do, without copies from the host and back.
#pragma once

#include <memory>
#include <vector>

#include "irn/engine/cuda/module.h"
#include "irn/engine/settler.h"

namespace irn::bench {

class SearchOnDevice {
 public:
  // The first `count` samples, by a solver that is none of Auto's names (Settler::solver). confirm: whether equilibria are asked if they attract.
  SearchOnDevice(Device device, const NetworkOf<float>& network, const Solver& solver, double tolerance,
                 const Samples<float>& samples, std::size_t count, bool confirm = true);
  // What the first search has found.
  const std::vector<float>& states() const { return states_; }  // [sample][neuron]
  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  // Searches once more and leaves the answers where they are; seconds of the device.
  double again() { return search_->seconds_again(verdicts_.size()); }

 private:
  std::unique_ptr<cuda::DeviceSearch<float>> search_;
  std::vector<float> states_;
  std::vector<Verdict> verdicts_;
};

}  // namespace irn::bench
