#include "irn/data/split.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "irn/base/random.h"

namespace irn {
namespace {

// A stream of random numbers that neither weights nor epochs use.
constexpr std::uint64_t split_stream = std::uint64_t{1} << 48;

// A stable sort. (The library's own uses a deprecated buffer, about which clang warns.)
void sort_by(std::span<const double> keys, std::vector<std::uint64_t>& order) {
  std::vector<std::uint64_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::pair(keys[a], place[a]) < std::pair(keys[b], place[b]); });
}

}  // namespace

Split split_rows(std::span<const std::uint64_t> rows, double held_out, std::uint64_t seed,
                 std::span<const double> strata) {
  if (held_out == 0) return {.training = {rows.begin(), rows.end()}, .held_out = {}};
  std::vector<std::uint64_t> order = Stream(seed, split_stream).permutation(rows.size());
  if (!strata.empty()) sort_by(strata, order);
  Split split;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Held out are rows evenly spaced along the order, half a gap from its ends: i if the count due rises
    // here.
    const bool out = std::floor(double(i + 1) * held_out + 0.5) > std::floor(double(i) * held_out + 0.5);
    (out ? split.held_out : split.training).push_back(rows[order[i]]);
  }
  std::sort(split.training.begin(), split.training.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

}  // namespace irn
