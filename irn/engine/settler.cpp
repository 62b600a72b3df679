#include "irn/engine/settler.h"

#include <numeric>

#include "irn/base/memory.h"
#include "irn/network/check_inputs.h"

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

template <class T>
void Settler<T>::check_gates(const Samples<T>& samples, std::span<const std::uint64_t> index) const {
  std::vector<T> gates(samples.gates());
  if (gates.empty()) return;
  for (std::size_t s = 0; s < index.size(); ++s) {
    samples.gates_as_rows(index.subspan(s, 1), gates.data());
    check_certified_gates<T>(gates, 1);
  }
}
template <class T>
void Settler<T>::check_gates(const Samples<T>& samples, std::size_t first, std::size_t count) const {
  if (samples.gates() == 0) return;
  for (std::uint64_t sample = first; sample < first + count; ++sample)
    check_gates(samples, std::span<const std::uint64_t>(&sample, 1));
}

template class Settler<float>;
template class Settler<double>;

}  // namespace irn
