// The rows of a table as samples. They are encoded when they are asked for; the table stays the only copy of
// the data.
// Everything that an encoding refuses (missing values, unknown texts, text for a number) is refused when the
// samples are made, with its place, and never in the middle of training.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/data/frame.h"
#include "irn/data/samples.h"

namespace irn {

template <class T>
class EncodedSamples : public Samples<T> {
 public:
  struct Options {
    bool with_targets = true;  // false: the table needs no target columns, and targets() is 0
    // Of the table, in the order of the samples; all if not given.
    std::optional<std::span<const std::uint64_t>> rows = {};
    bool may_be_none = false;  // no error if there are no rows or all are dropped: there are no samples
    std::string weights = {};  // the column that says how much each sample counts; empty: all alike
  };
  // Borrows the table, which must outlive the samples and must not change.
  EncodedSamples(const Frame& frame, const Encoding& encoding, const Options& options);
  EncodedSamples(const Frame& frame, const Encoding& encoding) : EncodedSamples(frame, encoding, Options{}) {}
  ~EncodedSamples() override;
  EncodedSamples(EncodedSamples&&) noexcept;

  std::size_t size() const override { return size_; }
  std::size_t inputs() const override { return inputs_; }
  std::size_t targets() const override { return targets_; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override;
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  std::uint64_t inputs_id() const override { return inputs_id_; }
  void expect(std::span<const std::uint64_t> index) const override;
  void targets_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  void weights(std::span<const std::uint64_t> index, T* out) const override;

  // A sample's row in the table; dropped rows are not samples.
  std::uint64_t row(std::uint64_t sample) const { return rows_.empty() ? sample : rows_[sample]; }
  std::size_t dropped() const { return dropped_; }
  // The number of samples with texts unknown to the encoding, if it accepts these.
  std::size_t unknown() const { return unknown_; }

 private:
  class Coder;

  const Frame* frame_;
  std::vector<Coder> input_coders_, target_coders_;
  std::vector<std::uint64_t> rows_;     // empty: all
  std::optional<std::size_t> weights_;  // the column
  std::size_t size_ = 0, inputs_ = 0, targets_ = 0, dropped_ = 0, unknown_ = 0;
  std::uint64_t inputs_id_ = new_inputs_id();
};

extern template class EncodedSamples<float>;
extern template class EncodedSamples<double>;

}  // namespace irn
