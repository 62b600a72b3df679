#include "irn/train/augmented_samples.h"

#include "irn/base/error.h"
#include "irn/kernels/rows_to_lanes.h"

namespace irn {
namespace {

// Streams of the seed, separate from those of noise (2^40) and of the rows held out (2^48).
constexpr std::uint64_t first_epoch = std::uint64_t{1} << 44, first_view = std::uint64_t{1} << 45;

}  // namespace

template <class T>
AugmentedSamples<T>::AugmentedSamples(const Samples<T>& samples, const Augmentation& augmentation,
                                      const ImageShape& shape, std::uint64_t seed)
    : SamplesOver<T>(samples), changer_(augmentation, shape), seed_(seed), stream_(seed, first_epoch) {
  if (samples.inputs() != shape.size())
    throw Error("images of " + to_text(shape) + " have " + std::to_string(shape.size()) +
                " pixels, and a sample has " + std::to_string(samples.inputs()) + " inputs");
}

template <class T>
void AugmentedSamples<T>::set_epoch(std::uint64_t epoch) {
  stream_ = Stream(seed_, first_epoch + epoch);
  alike_ = as_they_are_ = false;
}

template <class T>
void AugmentedSamples<T>::set_view(std::uint64_t view) {
  stream_ = Stream(seed_, first_view + view);
  alike_ = true, as_they_are_ = view == 0;
}

template <class T>
void AugmentedSamples<T>::inputs_as_rows(std::span<const std::uint64_t> index, T* out) const {
  if (as_they_are_ || changer_.augmentation().none()) return SamplesOver<T>::inputs_as_rows(index, out);
  typename ImageChanger<T>::Scratch scratch;
  std::vector<T> image(this->inputs());
  for (const std::uint64_t i : index) {
    SamplesOver<T>::inputs_as_rows({&i, 1}, image.data());
    changer_.change(draw_change(changer_.augmentation(), changer_.shape(), stream_, alike_ ? 0 : i),
                    image.data(), out, scratch);
    out += this->inputs();
  }
}

template <class T>
void AugmentedSamples<T>::inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width,
                                          T* out) const {
  if (as_they_are_ || changer_.augmentation().none())
    return SamplesOver<T>::inputs_as_lanes(index, width, out);
  check_lanes(index, this->size(), width);
  std::vector<T> rows(index.size() * this->inputs());
  inputs_as_rows(index, rows.data());
  std::vector<std::uint64_t> all(index.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  kernels::rows_to_lanes<T>(rows.data(), this->inputs(), all, width, out);
}

template class AugmentedSamples<float>;
template class AugmentedSamples<double>;

}  // namespace irn
