#include "irn/data/folds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "irn/base/error.h"
#include "irn/base/random.h"

namespace irn {
namespace {

// A stream of random numbers that neither weights, epochs nor split_rows() use.
constexpr std::uint64_t fold_stream = (std::uint64_t{1} << 48) + 1;

void check_count(std::size_t folds, std::size_t things, const char* what) {
  if (folds < 2) throw Error("at least two folds are needed");
  if (folds > things)
    throw Error(std::to_string(folds) + " folds of only " + std::to_string(things) + " " + what +
                "; take fewer folds");
}

// Row i of `rows` is tested in fold place[i].
std::vector<Fold> by_place(std::span<const std::uint64_t> rows, std::size_t folds,
                           const std::vector<std::size_t>& place) {
  std::vector<Fold> result(folds);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t f = 0; f < folds; ++f)
      (place[i] == f ? result[f].test : result[f].training).push_back(rows[i]);
  for (Fold& fold : result) {
    std::sort(fold.training.begin(), fold.training.end());
    std::sort(fold.test.begin(), fold.test.end());
  }
  return result;
}

}  // namespace

std::vector<Fold> dealt_folds(std::span<const std::uint64_t> rows, std::size_t folds, std::uint64_t seed,
                              std::span<const double> strata) {
  check_count(folds, rows.size(), "rows");
  const std::vector<std::uint64_t> random = Stream(seed, fold_stream).permutation(rows.size());
  std::vector<std::uint64_t> order = random;
  if (!strata.empty()) {
    std::vector<std::uint64_t> turn(rows.size());
    for (std::size_t i = 0; i < order.size(); ++i) turn[order[i]] = i;
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return std::pair(strata[a], turn[a]) < std::pair(strata[b], turn[b]); });
  }
  std::vector<std::size_t> place(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i % folds;
  return by_place(rows, folds, place);
}

// Large groups first, each to the fold with the fewest rows so far; groups of equal size in random order.
std::vector<Fold> group_folds(std::span<const std::uint64_t> rows, std::size_t folds, std::uint64_t seed,
                              std::span<const double> groups) {
  std::map<double, std::size_t> sizes;
  for (const double group : groups) ++sizes[group];
  check_count(folds, sizes.size(), "groups");
  std::vector<std::pair<double, std::size_t>> order(sizes.begin(), sizes.end());
  const std::vector<std::uint64_t> turn = Stream(seed, fold_stream).permutation(order.size());
  std::vector<std::size_t> by_size(order.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(order[b].second, turn[a]) < std::pair(order[a].second, turn[b]);
  });
  std::vector<std::size_t> filled(folds);
  std::map<double, std::size_t> fold_of;
  for (const std::size_t g : by_size) {
    const auto least =
        static_cast<std::size_t>(std::min_element(filled.begin(), filled.end()) - filled.begin());
    filled[least] += order[g].second;
    fold_of[order[g].first] = least;
  }
  std::vector<std::size_t> place;
  for (const double group : groups) place.push_back(fold_of[group]);
  return by_place(rows, folds, place);
}

std::vector<Fold> ordered_folds(std::span<const std::uint64_t> rows, std::size_t folds,
                                std::span<const double> order) {
  check_count(folds + 1, rows.size(), "rows");
  std::vector<std::size_t> sorted(rows.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](std::size_t a, std::size_t b) { return std::pair(order[a], a) < std::pair(order[b], b); });
  std::vector<Fold> result(folds);
  for (std::size_t f = 0; f < folds; ++f) {
    const std::size_t begin = rows.size() * (f + 1) / (folds + 1), end = rows.size() * (f + 2) / (folds + 1);
    for (std::size_t i = 0; i < end; ++i)
      (i < begin ? result[f].training : result[f].test).push_back(rows[sorted[i]]);
    std::sort(result[f].training.begin(), result[f].training.end());
    std::sort(result[f].test.begin(), result[f].test.end());
  }
  return result;
}

std::vector<Fold> leave_one_out(std::span<const std::uint64_t> rows) {
  check_count(2, rows.size(), "rows");
  std::vector<std::size_t> place(rows.size());
  std::iota(place.begin(), place.end(), std::size_t{0});
  return by_place(rows, rows.size(), place);
}

}  // namespace irn
