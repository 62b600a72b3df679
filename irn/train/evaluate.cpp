#include "irn/train/evaluate.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "irn/train/score.h"

namespace irn {
namespace {

// Samples a block: enough for every thread to have several chunks, little enough to stay in the cache.
constexpr std::size_t block_size = 8192;

}  // namespace

template <class T>
void settle_in_blocks(Settler<T>& settler, const Samples<T>& samples, const BlockVisitor<T>& visit) {
  std::vector<std::uint64_t> index;
  Equilibria<T> states;
  for (std::size_t start = 0; start < samples.size(); start += block_size) {
    index.resize(std::min(block_size, samples.size() - start));
    std::iota(index.begin(), index.end(), std::uint64_t(start));
    settler.settle(samples, index, states);
    visit(index, states);
  }
}

template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss) {
  const Architecture& architecture = settler.packed().architecture();
  const std::size_t targets = samples.targets(), first = architecture.first_output();
  std::vector<T> wanted, slopes(architecture.outputs());
  Evaluation result;
  Score score(loss, targets);
  settle_in_blocks<T>(settler, samples,
                      [&](std::span<const std::uint64_t> index, const Equilibria<T>& states) {
                        wanted.resize(index.size() * targets);
                        samples.targets_as_rows(index, wanted.data());
                        double sum = 0;
                        for (std::size_t s = 0; s < index.size(); ++s) {
                          if (!states.settled(s)) continue;
                          const std::span<const T> outputs = states.state(s).subspan(first),
                                                   target(wanted.data() + s * targets, targets);
                          sum += loss_and_slopes<T>(loss, outputs, target, slopes);
                          score.add(outputs, target);
                        }
                        result.loss += sum;
                        result.summary += states.summary();
                      });
  const std::size_t settled = result.summary.count[0];
  result.loss = settled > 0 ? result.loss / double(settled) : std::numeric_limits<double>::quiet_NaN();
  result.score = score.value();
  return result;
}

template void settle_in_blocks(Settler<float>&, const Samples<float>&, const BlockVisitor<float>&);
template void settle_in_blocks(Settler<double>&, const Samples<double>&, const BlockVisitor<double>&);
template Evaluation evaluate(Settler<float>&, const Samples<float>&, const Loss&);
template Evaluation evaluate(Settler<double>&, const Samples<double>&, const Loss&);

}  // namespace irn
