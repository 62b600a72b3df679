// Inputs that stay in a CUDA device's memory, so that an epoch over them need not bring them again: of samples that never change
// (Samples::inputs_id) and have been asked for as often as there are of them. For all threads and all engines of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "irn/base/device.h"
#include "irn/data/samples.h"
#include "irn/engine/cuda/module.h"

namespace irn {

template <class T>
class KeptSamples {
 public:
  // The one of a device that is there; all memory is given back with the last who has it.
  static std::shared_ptr<KeptSamples> on(Device device);
  explicit KeptSamples(Device device);

  // The inputs of all samples, or none: then those that are searched for have to be brought. count: how many that is now.
  std::shared_ptr<const cuda::KeptInputs<T>> inputs_of(const Samples<T>& samples, std::size_t count);

 private:
  struct Set {
    std::uint64_t id;
    std::size_t bytes;
    std::size_t asked = 0;  // samples
    std::size_t tried = 0;  // in which round over all samples there was a try to keep them
    std::shared_ptr<const cuda::KeptInputs<T>> there = nullptr;
  };
  Set& set_of(const Samples<T>& samples);
  void make_room(std::size_t bytes);
  std::shared_ptr<const cuda::KeptInputs<T>> brought(const Samples<T>& samples) const;

  Device device_;
  std::size_t most_bytes_;
  std::mutex mutex_;
  std::vector<Set> sets_;  // the one that was asked for last is the last
};

extern template class KeptSamples<float>;
extern template class KeptSamples<double>;

}  // namespace irn
