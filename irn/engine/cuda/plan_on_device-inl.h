// A plan's lists in a device's memory, with its tiles for the last number of samples asked for. For one
// stream at a time.
#ifndef IRN_ENGINE_CUDA_PLAN_ON_DEVICE_INL_H_
#define IRN_ENGINE_CUDA_PLAN_ON_DEVICE_INL_H_

#include "irn/engine/cuda/plan_tile-inl.h"
#include "irn/engine/cuda/plan_tiles.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

class PlanOnDevice {
 public:
  explicit PlanOnDevice(std::shared_ptr<const ProductPlan> plan)
      : plan_(std::move(plan)),
        parts_(brought(plan_->parts)),
        sources_(brought(plan_->sources)),
        tables_(brought(plan_->tables)) {}

  const ProductPlan& plan() const { return *plan_; }
  // The lists for this many samples; ends() then has the ends of the passes.
  PlanLists lists(std::size_t samples, cudaStream_t stream) const {
    if (samples != samples_) {
      samples_ = 0;  // if memory for them runs out, there are none
      host_ = tiles_of(*plan_, samples, ends_);
      make_room(host_.size());
      copy_to(tiles_, host_.data(), host_.size(), stream);
      samples_ = samples;
    }
    return {parts_.get(), sources_.get(), tables_.get(), tiles_.get()};
  }
  const std::vector<unsigned>& ends() const { return ends_; }

 private:
  void make_room(std::size_t tiles) const {
    if (tiles <= room_) return;
    room_ = 0;
    tiles_.reset();
    tiles_ = on_device<PlanTile>(tiles);
    room_ = tiles;
  }

  std::shared_ptr<const ProductPlan> plan_;
  OnDevice<PlanPart> parts_;
  OnDevice<PlanSource> sources_;
  OnDevice<int> tables_;
  // For the last number of samples.
  mutable std::size_t samples_ = 0, room_ = 0;
  mutable std::vector<PlanTile> host_;
  mutable std::vector<unsigned> ends_;
  mutable OnDevice<PlanTile> tiles_;
};

// A product with vectors of `size` numbers.
struct PlanGiven {
  PlanLists lists;
  const float* weights;
  std::size_t size, scratch;
  unsigned ends[most_passes], passes, samples;  // samples: those computed together
};

// For `count` samples, at most `most` of them computed together.
inline PlanGiven given_by(const PlanOnDevice& plan, const float* weights, std::size_t size, std::size_t count,
                          std::size_t most, cudaStream_t stream) {
  const std::size_t samples = count < most ? count : most;
  PlanGiven given{plan.lists(samples, stream),   weights, size, plan.plan().scratch, {}, 0,
                  static_cast<unsigned>(samples)};
  for (const unsigned end : plan.ends()) given.ends[given.passes++] = end;
  return given;
}

}  // namespace irn::cuda

#endif
