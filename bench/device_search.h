// Searches whose samples stay in a CUDA device's memory: the work of its kernels, without copies from and to
// the host.
#pragma once

#include <memory>
#include <vector>

#include "irn/engine/cuda/module.h"
#include "irn/engine/settler.h"

namespace irn::bench {

class SearchOnDevice {
 public:
  // Searches the first `count` samples with a solver that is none of Auto's names (Settler::solver).
  // `confirm`: ask of every equilibrium whether it attracts.
  SearchOnDevice(Device device, const NetworkOf<float>& network, const Solver& solver, double tolerance,
                 const Samples<float>& samples, std::size_t count, bool confirm = true);
  // The results of the first search.
  const std::vector<float>& states() const { return states_; }  // [sample][neuron]
  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  // Searches once more and leaves the answers on the device; returns the device's seconds.
  double again() { return search_->seconds_again(verdicts_.size()); }

 private:
  std::unique_ptr<cuda::DeviceSearch<float>> search_;
  std::vector<float> states_;
  std::vector<Verdict> verdicts_;
};

}  // namespace irn::bench
