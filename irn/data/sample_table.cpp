#include "irn/data/sample_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "irn/base/error.h"
#include "irn/kernels/rows_to_lanes.h"

namespace irn {
namespace {

void check_shape(std::size_t inputs, std::size_t targets, std::size_t input_values, std::size_t target_values,
                 std::size_t weights) {
  if (inputs == 0) throw Error("a table needs at least one input a sample");
  if (input_values == 0) throw Error("a table needs at least one sample");
  if (input_values % inputs != 0)
    throw Error(std::to_string(input_values) + " input values do not fill rows of " + std::to_string(inputs));
  const std::size_t samples = input_values / inputs;
  if (target_values != samples * targets)
    throw Error("targets: " + std::to_string(samples) + " samples of " + std::to_string(targets) + " need " +
                std::to_string(samples * targets) + " values, not " + std::to_string(target_values));
  if (weights != 0 && weights != samples)
    throw Error(std::to_string(samples) + " samples need as many weights, or none, not " +
                std::to_string(weights));
}

template <class T>
void check_finite(std::span<const T> values, std::size_t columns, const char* what) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(std::string(what) + " in row " + std::to_string(i / columns) + ", column " +
                  std::to_string(i % columns) + " (counted from 0) is " + std::to_string(values[i]) +
                  "; remove the row or fill the gap");
}

template <class T>
void copy_rows(std::span<const std::uint64_t> index, std::size_t columns, std::span<const T> values, T* out) {
  // Samples with successive indices in one call: a call takes longer than the copy of a few numbers.
  for (std::size_t first = 0, next = 0; first < index.size(); first = next) {
    for (next = first + 1; next < index.size() && index[next] == index[next - 1] + 1;) ++next;
    out = std::copy_n(values.data() + index[first] * columns, (next - first) * columns, out);
  }
}

}  // namespace

template <class T>
SampleTable<T>::SampleTable(std::size_t inputs, std::size_t targets, std::shared_ptr<const Owned> owned,
                            std::span<const T> input_values, std::span<const T> target_values,
                            std::span<const T> weight_values)
    : inputs_(inputs),
      targets_(targets),
      owned_(std::move(owned)),
      input_values_(owned_ ? owned_->input_values : input_values),
      target_values_(owned_ ? owned_->target_values : target_values),
      weight_values_(owned_ ? owned_->weight_values : weight_values) {
  check_shape(inputs_, targets_, input_values_.size(), target_values_.size(), weight_values_.size());
  check_finite(input_values_, inputs_, "the input");
  check_finite(target_values_, targets_, "the target");
  std::vector<std::uint64_t> rows(weight_values_.size());
  std::iota(rows.begin(), rows.end(), std::uint64_t{0});
  check_weights(rows, weight_values_);
}

template <class T>
SampleTable<T>::SampleTable(std::size_t inputs, std::size_t targets, std::vector<T> input_values,
                            std::vector<T> target_values, std::vector<T> weight_values)
    : SampleTable(inputs, targets,
                  std::make_shared<const Owned>(std::move(input_values), std::move(target_values),
                                                std::move(weight_values)),
                  {}, {}, {}) {}

template <class T>
SampleTable<T> SampleTable<T>::borrow(std::size_t inputs, std::size_t targets,
                                      std::span<const T> input_values, std::span<const T> target_values,
                                      std::span<const T> weight_values) {
  return SampleTable(inputs, targets, nullptr, input_values, target_values, weight_values);
}

template <class T>
void SampleTable<T>::inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const {
  check_lanes(index, size(), width);
  kernels::rows_to_lanes<T>(input_values_.data(), inputs_, index, width, out);
}

template <class T>
void SampleTable<T>::expect(std::span<const std::uint64_t> index) const {
  check_samples(index, size());
  kernels::prefetch_rows<T>(input_values_.data(), inputs_, index);
}

template <class T>
void SampleTable<T>::inputs_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size());
  copy_rows(index, inputs_, input_values_, out);
}

template <class T>
void SampleTable<T>::targets_as_rows(std::span<const std::uint64_t> index, T* out) const {
  check_samples(index, size());
  copy_rows(index, targets_, target_values_, out);
}

template <class T>
void SampleTable<T>::weights(std::span<const std::uint64_t> index, T* out) const {
  if (weight_values_.empty()) return Samples<T>::weights(index, out);
  check_samples(index, size());
  copy_rows(index, 1, weight_values_, out);
}

template class SampleTable<float>;
template class SampleTable<double>;

}  // namespace irn
