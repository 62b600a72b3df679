// Rows cut into folds: each row is tested once by a network that did not see it.
//   dealt          in random order, one after the other to each fold; with strata (classes) those of each are dealt in turn, so that every fold has
//                  its share of them
//   by group       rows of a group stay together: no patient is in both parts
//   by order       the past teaches, what follows tests: of k + 1 stretches in that order the i-th is tested by what lies before it, so that the first
//                  is never tested
//   leave-one-out  as many folds as rows
// Pure functions of their arguments; the rows of every part are in rising order. irn::Error where there are fewer rows or groups than folds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace irn {

struct Fold {
  std::vector<std::uint64_t> training, test;
};

// `strata`, `groups` and `order` hold one value a row of `rows`; `strata` may be empty.
std::vector<Fold> dealt_folds(std::span<const std::uint64_t> rows, std::size_t folds, std::uint64_t seed,
                              std::span<const double> strata = {});
std::vector<Fold> group_folds(std::span<const std::uint64_t> rows, std::size_t folds, std::uint64_t seed,
                              std::span<const double> groups);
std::vector<Fold> ordered_folds(std::span<const std::uint64_t> rows, std::size_t folds,
                                std::span<const double> order);
std::vector<Fold> leave_one_out(std::span<const std::uint64_t> rows);

}  // namespace irn
