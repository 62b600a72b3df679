#include "irn/engine/settler.h"

#include <numeric>

#include "irn/base/memory.h"

namespace irn {

template <class T>
Equilibria<T> Settler<T>::settle(const Samples<T>& samples, std::span<const T> starts) {
  std::vector<std::uint64_t> index;
  within_memory([&] { index.resize(allocatable(samples.size())); },
                [&] { return "the answers to " + std::to_string(samples.size()) + " samples"; });
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Equilibria<T> out;
  settle(samples, index, out, starts);
  return out;
}

template class Settler<float>;
template class Settler<double>;

}  // namespace irn
