// Images that change from epoch to epoch (augmentation.h). The change of sample i in epoch e is a pure
// function of (seed, e, i): it does not depend on the order of calls or on the number of threads. Only the
// inputs change.
//
// Answers use views instead of epochs: view 0 is the image itself, and view v changes every image in the same
// way, so that an answer does not depend on the place of a row in its table.
#pragma once

#include <cstdint>

#include "irn/data/samples_over.h"
#include "irn/train/augmentation.h"

namespace irn {

template <class T>
class AugmentedSamples : public SamplesOver<T> {
 public:
  // Borrows the samples. Throws irn::Error unless they are images of this shape.
  AugmentedSamples(const Samples<T>& samples, const Augmentation& augmentation, const ImageShape& shape,
                   std::uint64_t seed);

  void set_epoch(std::uint64_t epoch);
  void set_view(std::uint64_t view);

  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override;
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override;

 private:
  ImageChanger<T> changer_;
  std::uint64_t seed_;
  Stream stream_;
  bool alike_ = false, as_they_are_ = false;
};

extern template class AugmentedSamples<float>;
extern template class AugmentedSamples<double>;

}  // namespace irn
