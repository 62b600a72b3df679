// Rows cut into folds: each row is tested once by a network that was not trained on it.
//   dealt          in random order, to one fold after the other; with strata (classes) one stratum after the
//                  other, so that every fold has its share of each
//   by group       rows of a group stay together: no patient is in both parts
//   by order       train on the past, test on what follows: the rows in order are cut into k + 1 stretches,
//                  and each but the first is tested after training on all before it
//   leave-one-out  as many folds as rows
// Pure functions of their arguments; the rows of each part are in ascending order. irn::Error if there are
// too few rows or groups for the folds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace irn {

struct Fold {
  std::vector<std::uint64_t> training, test;
};

// `strata`, `groups` and `order` hold one value for each of `rows`; `strata` may be empty.
std::vector<Fold> dealt_folds(std::span<const std::uint64_t> rows, std::size_t folds, std::uint64_t seed,
                              std::span<const double> strata = {});
std::vector<Fold> group_folds(std::span<const std::uint64_t> rows, std::size_t folds, std::uint64_t seed,
                              std::span<const double> groups);
std::vector<Fold> ordered_folds(std::span<const std::uint64_t> rows, std::size_t folds,
                                std::span<const double> order);
std::vector<Fold> leave_one_out(std::span<const std::uint64_t> rows);

}  // namespace irn
