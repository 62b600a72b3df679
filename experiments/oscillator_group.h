// Training runs on the oscillator task that differ only in their repeat, side by side on a CUDA device
// (irn/engine/cuda/replicas.h).
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "experiments/oscillator_training.h"
#include "irn/base/device.h"
#include "irn/engine/cuda/replicas.h"

namespace irn::experiments {

// Whether a device has kernels for the run.
bool is_replica(const Protocol& protocol, const OscillatorRun& run);

class OscillatorGroup {
 public:
  // Throws irn::MemoryError if the device has no memory for all the runs; fewer may fit.
  OscillatorGroup(const Protocol& protocol, Device device, std::vector<OscillatorRun> runs, bool crowded);

  // Queues the next stretch of work, so that the device is always one ahead; true if it did.
  bool go_on();
  bool finished() { return epoch_ == protocol_.epochs && replicas_->pending() == 0; }

  // To be called once it is finished; frees its memory on the device.
  void fetch_results();
  // Keeps the results of every `step`-th run, from `first` on.
  void keep_results(const Keep& keep, std::size_t first, std::size_t step) const;

 private:
  cuda::ReplicaNumbers start();
  void add_epoch(const cuda::EpochSums& e, Json& train) const;
  Json test_json(std::size_t epoch, const cuda::TestSums& sums, const cuda::PaperRecord* paper) const;

  const Protocol& protocol_;
  std::vector<OscillatorRun> runs_;
  bool curve_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t epoch_ = 0, parameters_ = 0;
  std::vector<std::size_t> tested_;
  std::unique_ptr<cuda::Replicas> replicas_;
  std::vector<cuda::EpochSums> epochs_;
  std::vector<cuda::TestSums> tests_;
  std::vector<cuda::PaperRecord> paper_;
  double seconds_ = 0;
};

}  // namespace irn::experiments
