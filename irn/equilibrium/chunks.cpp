#include "irn/equilibrium/chunks.h"

#include <algorithm>

namespace irn {

void cut_into_chunks(std::size_t count, std::size_t threads, std::size_t grain, ChunkShape shape,
                     std::vector<std::size_t>& ends) {
  ends.clear();
  if (count == 0) return;
  constexpr std::size_t least_groups = 8;  // a chunk this small leaves an eighth of its lanes idle
  // All in grains.
  const std::size_t share = divide_up(divide_up(count, threads), grain);
  const std::size_t most = std::max<std::size_t>(shape.capacity / grain, 1);
  const std::size_t least = std::min(most, divide_up(least_groups * shape.width, grain));
  const std::size_t even = divide_up(share, divide_up(share, most));
  const bool shrink = threads > 1 && share > most;
  for (std::size_t done = 0; done < count; done = ends.back()) {
    const std::size_t left = divide_up(count - done, grain);
    const std::size_t size = shrink ? std::clamp(divide_up(left, 2 * threads), least, most) : even;
    ends.push_back(std::min(count, done + size * grain));
  }
}

}  // namespace irn
