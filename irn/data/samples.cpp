#include "irn/data/samples.h"

#include <string>

#include "irn/base/error.h"

namespace irn {

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

}  // namespace irn
