// Samples with values that a SampleTable would refuse.
#pragma once

#include <algorithm>
#include <vector>

#include "irn/data/samples.h"

namespace irn {

template <class T>
struct UncheckedSamples final : Samples<T> {
  UncheckedSamples(std::size_t width, std::vector<T> all) : columns(width), values(std::move(all)) {}
  std::size_t size() const override { return values.size() / columns; }
  std::size_t inputs() const override { return columns; }
  std::size_t targets() const override { return 0; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override {
    for (std::size_t k = 0; k < columns; ++k)
      for (std::size_t lane = 0; lane < width; ++lane)
        out[k * width + lane] = lane < index.size() ? values[index[lane] * columns + k] : T(0);
  }
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    for (const std::uint64_t i : index) out = std::copy_n(&values[i * columns], columns, out);
  }
  void targets_as_rows(std::span<const std::uint64_t>, T*) const override {}

  std::size_t columns;
  std::vector<T> values;
};

}  // namespace irn
