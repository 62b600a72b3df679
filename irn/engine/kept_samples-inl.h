// Inputs that stay in a CUDA device's memory, so that an epoch over them need not bring them again: of samples that never change
// (Samples::inputs_id) and have been searched for as often as there are of them. For all threads and all engines of a device. Work goes first: where the
// device has too little memory for it and for them, they go.
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
  // The one of a device that is there; all memory is given back with the last who has it.
  static std::shared_ptr<KeptSamples> on(Device device);
  explicit KeptSamples(Device device);

  // `count` of the samples are to be searched for.
  void prepare(const Samples<T>& samples, std::size_t count);
  // The inputs of all samples, or none: then those that are searched for have to be brought.
  std::shared_ptr<const cuda::KeptInputs<T>> inputs_of(const Samples<T>& samples);

  // Whether there were any.
  bool give_up();
  // work(), and once more without kept inputs if the device has too little memory, whoever gave them up meanwhile.
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
    std::size_t tried = 0;         // in which round over all samples there was a try to keep them
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
  std::vector<Set> sets_;  // the one that was asked for last is the last
};

extern template class KeptSamples<float>;
extern template class KeptSamples<double>;

}  // namespace irn
