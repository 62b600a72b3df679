// Inputs that stay in a CUDA device's memory, so that they need not be copied again in every epoch. Inputs
// are kept if they never change (Samples::inputs_id) and as many samples have been searched for as there are.
// Shared by all threads and all engines of a device. Other work goes first: if the device has too little
// memory for both, the inputs are dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "irn/base/device.h"
#include "irn/base/memory.h"
#include "irn/data/samples.h"
#include "irn/engine/cuda/module.h"

namespace irn {

template <class T>
class KeptSamples {
 public:
  // The one object of a device; all memory is freed with its last owner.
  static std::shared_ptr<KeptSamples> on(Device device);
  explicit KeptSamples(Device device);

  // Announces a search for `count` of the samples.
  void prepare(const Samples<T>& samples, std::size_t count);
  // The inputs of all samples, or null if they are not kept: then the caller must copy those it needs.
  std::shared_ptr<const cuda::KeptInputs<T>> inputs_of(const Samples<T>& samples);

  // Drops all kept inputs; returns whether there were any.
  bool give_up();
  // Runs work(), and once more without kept inputs if the device has too little memory: also if another thread has
  // dropped them meanwhile.
  template <class Work>
  auto room_for(const Work& work) {
    const std::uint64_t before = given_up_;
    try {
      return work();
    } catch (const MemoryError&) {
      if (!give_up() && given_up_ == before) throw;
    }
    return work();
  }

 private:
  struct Set {
    std::uint64_t id;
    std::size_t bytes;
    std::size_t searched_for = 0;  // samples
    std::size_t tried = 0;         // in which round over all samples it was last tried to keep them
    std::shared_ptr<const cuda::KeptInputs<T>> there = nullptr;
  };
  static bool may_stay(const Samples<T>& samples) {
    return samples.inputs_id() != 0 && samples.size() * samples.inputs() != 0;
  }
  Set& set_of(const Samples<T>& samples);
  void make_room(std::size_t bytes);
  std::shared_ptr<const cuda::KeptInputs<T>> brought(const Samples<T>& samples) const;

  Device device_;
  std::size_t most_bytes_;
  std::atomic<std::uint64_t> given_up_ = 0;  // how often
  std::mutex mutex_;
  std::vector<Set> sets_;  // in the order of use; the last one was used last
};

extern template class KeptSamples<float>;
extern template class KeptSamples<double>;

}  // namespace irn
