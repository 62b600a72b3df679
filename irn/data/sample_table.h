// Samples in memory: row-major matrices of inputs (n x k) and targets (n x m, m may be 0), and weights (n, or
// none if all are 1), owned or borrowed. Refuses sizes that do not fit, values that are not finite and
// negative weights. Does not scale or shuffle.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "irn/data/samples.h"

namespace irn {

template <class T>
class SampleTable : public Samples<T> {
 public:
  // Owns the values; copies of the table share them.
  SampleTable(std::size_t inputs, std::size_t targets, std::vector<T> input_values,
              std::vector<T> target_values, std::vector<T> weight_values = {});
  // Borrows the values: they must outlive the table and its copies, and must not change.
  static SampleTable borrow(std::size_t inputs, std::size_t targets, std::span<const T> input_values,
                            std::span<const T> target_values, std::span<const T> weight_values = {});

  std::size_t size() const override { return input_values_.size() / inputs_; }
  std::size_t inputs() const override { return inputs_; }
  std::size_t targets() const override { return targets_; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override;
  void expect(std::span<const std::uint64_t> index) const override;
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  std::uint64_t inputs_id() const override { return inputs_id_; }
  void targets_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  void weights(std::span<const std::uint64_t> index, T* out) const override;

  std::span<const T> input_row(std::size_t i) const { return input_values_.subspan(i * inputs_, inputs_); }
  std::span<const T> target_row(std::size_t i) const {
    return target_values_.subspan(i * targets_, targets_);
  }

 private:
  struct Owned {
    std::vector<T> input_values, target_values, weight_values;
  };
  SampleTable(std::size_t inputs, std::size_t targets, std::shared_ptr<const Owned> owned,
              std::span<const T> input_values, std::span<const T> target_values,
              std::span<const T> weight_values);

  std::size_t inputs_, targets_;
  std::shared_ptr<const Owned> owned_;
  std::span<const T> input_values_, target_values_, weight_values_;
  std::uint64_t inputs_id_ = new_inputs_id();  // copies have the same inputs
};

}  // namespace irn
