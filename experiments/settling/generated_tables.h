// Tables of classes that the program draws itself: hard ones in low dimensions, and an easy one in ten.
#pragma once

#include <string_view>
#include <vector>

#include "irn/data/sample_table.h"

namespace irn::experiments {

struct GeneratedTable {
  std::string_view name, label;
  std::size_t inputs, classes;
  // Row i of the table of a seed: fills in the inputs, which vary by about 1, and returns the class.
  std::size_t (*row)(std::uint64_t seed, std::uint64_t i, float* inputs);

  // Rows first .. first + count - 1, classes one-hot.
  SampleTable<float> rows(std::uint64_t seed, std::uint64_t first, std::uint64_t count) const;
};

const std::vector<GeneratedTable>& generated_tables();

}  // namespace irn::experiments
