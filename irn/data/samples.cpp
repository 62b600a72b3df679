#include "irn/data/samples.h"

#include <atomic>
#include <cmath>
#include <string>

#include "irn/base/error.h"

namespace irn {

std::uint64_t new_inputs_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

void check_samples(std::span<const std::uint64_t> index, std::size_t size) {
  for (const std::uint64_t i : index)
    if (i >= size)
      throw Error("sample " + std::to_string(i) + " does not exist: there are " + std::to_string(size) +
                  ", numbered from 0");
}

void check_lanes(std::span<const std::uint64_t> index, std::size_t size, std::size_t width) {
  if (index.size() > width)
    throw Error(std::to_string(index.size()) + " samples do not fit into " + std::to_string(width) +
                " lanes");
  check_samples(index, size);
}

template <class T>
void check_weights(std::span<const std::uint64_t> index, std::span<const T> weights) {
  if (static_cast<std::size_t>(std::count(weights.begin(), weights.end(), T(1))) == weights.size()) return;
  for (std::size_t s = 0; s < weights.size(); ++s)
    if (!(weights[s] >= 0) || std::isinf(weights[s]))
      throw Error("the weight of sample " + std::to_string(index[s]) + " (counted from 0) is " +
                  std::to_string(weights[s]) + "; a weight is a finite number, zero or more");
}
template void check_weights(std::span<const std::uint64_t>, std::span<const float>);
template void check_weights(std::span<const std::uint64_t>, std::span<const double>);

}  // namespace irn
