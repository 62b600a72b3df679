#include "irn/train/batch_rows.h"

#include <numeric>

#include "irn/kernels/rows_to_lanes.h"

namespace irn {

template <class T>
void BatchRows<T>::fill(const Samples<T>& samples, std::span<const std::uint64_t> index,
                        ThreadPool& threads) {
  samples_ = &samples, index_ = index;
  all_.resize(index.size());
  std::iota(all_.begin(), all_.end(), std::uint64_t{0});
  rows_.resize(index.size() * samples.inputs());
  threads.for_ranges(index.size(), 1, [&](std::size_t first, std::size_t count) {
    samples.inputs_as_rows(index.subspan(first, count), rows_.data() + first * samples.inputs());
  });
}

template <class T>
void BatchRows<T>::inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const {
  check_lanes(index, size(), width);
  kernels::rows_to_lanes<T>(rows_.data(), inputs(), index, width, out);
}

template <class T>
void BatchRows<T>::inputs_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size());
  for (const std::uint64_t i : index) out = std::copy_n(rows_.data() + i * inputs(), inputs(), out);
}

template <class T>
void BatchRows<T>::targets_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size());
  for (const std::uint64_t i : index) {
    samples_->targets_as_rows({&index_[i], 1}, out);
    out += targets();
  }
}

template <class T>
void BatchRows<T>::weights(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size());
  for (const std::uint64_t i : index) samples_->weights({&index_[i], 1}, out++);
}

template <class T>
void BatchRows<T>::gates_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size());
  for (const std::uint64_t i : index) {
    samples_->gates_as_rows({&index_[i], 1}, out);
    out += gates();
  }
}

template class BatchRows<float>;
template class BatchRows<double>;

}  // namespace irn
