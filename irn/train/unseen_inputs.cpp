#include "irn/train/unseen_inputs.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace irn {
namespace {

// Looks at no more samples than it must: usually at a few.
template <class T>
std::vector<std::size_t> unseen_inputs(const Samples<T>& training) {
  constexpr std::size_t at_once = 64;
  std::vector<std::size_t> unseen(training.inputs());
  std::iota(unseen.begin(), unseen.end(), std::size_t{0});
  std::vector<std::uint64_t> index;
  std::vector<T> rows(at_once * training.inputs());
  for (std::size_t first = 0; first < training.size() && !unseen.empty(); first += at_once) {
    index.resize(std::min(at_once, training.size() - first));
    std::iota(index.begin(), index.end(), std::uint64_t{first});
    training.inputs_as_rows(index, rows.data());
    std::erase_if(unseen, [&](std::size_t input) {
      for (std::size_t s = 0; s < index.size(); ++s)
        if (rows[s * training.inputs() + input] != T(0)) return true;
      return false;
    });
  }
  return unseen;
}

}  // namespace

template <class T>
void clear_unseen_inputs(NetworkOf<T>& network, const Samples<T>& training) {
  const std::vector<std::size_t> unseen = unseen_inputs(training);
  if (unseen.empty()) return;
  for (const Block& block : network.architecture().blocks())
    if (block.from_input() && block.dense())
      for (std::size_t row = 0; row < block.rows; ++row)
        for (const std::size_t input : unseen)
          network.parameters()[block.weights + row * block.cols + input] = T(0);
}

template void clear_unseen_inputs(NetworkOf<float>&, const Samples<float>&);
template void clear_unseen_inputs(NetworkOf<double>&, const Samples<double>&);

}  // namespace irn
