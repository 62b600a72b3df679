// Splits rows into those to train on and those held out to judge by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace irn {

// Holds out the share `held_out` of each group of rows with equal `strata`, one value for each row; of all
// rows if that is empty. A pure function of its arguments; each part is in ascending order.
struct Split {
  std::vector<std::uint64_t> training, held_out;
};
Split split_rows(std::span<const std::uint64_t> rows, double held_out, std::uint64_t seed,
                 std::span<const double> strata);

}  // namespace irn
