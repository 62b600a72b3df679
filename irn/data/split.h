// Rows to train on and rows to judge by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace irn {

// `rows` split in two: of every group of equal `strata` (one a row; or of all rows, if it is empty) the share `held_out`
// goes to the second. A pure function of its arguments; each part is in rising order.
struct Split {
  std::vector<std::uint64_t> training, held_out;
};
Split split_rows(std::span<const std::uint64_t> rows, double held_out, std::uint64_t seed,
                 std::span<const double> strata);

}  // namespace irn
