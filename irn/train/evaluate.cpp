#include "irn/train/evaluate.h"

#include <algorithm>
#include <numeric>

#include "irn/train/score.h"

namespace irn {
namespace {

// Samples whose errors one task sums up.
constexpr std::size_t part_size = 512;

// Samples a block, whole parts: enough for every thread to have many chunks, so that waiting for the last of them does not count,
// and about 1 MB of states a thread at most.
template <class T>
std::size_t block_size(const Settler<T>& settler) {
  const std::size_t bytes = settler.packed().neurons() * sizeof(T) * part_size;
  return settler.threads().size() * part_size * std::clamp<std::size_t>((1u << 20) / bytes, 1, 8);
}

}  // namespace

template <class T>
void settle_in_blocks(Settler<T>& settler, const Samples<T>& samples, const BlockVisitor<T>& visit) {
  std::vector<std::uint64_t> index;
  Equilibria<T> states;
  const std::size_t block = block_size(settler);
  for (std::size_t start = 0; start < samples.size(); start += block) {
    index.resize(std::min(block, samples.size() - start));
    std::iota(index.begin(), index.end(), std::uint64_t(start));
    settler.settle(samples, index, states);
    visit(index, states);
  }
}

template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss) {
  const std::size_t targets = samples.targets(), first = settler.packed().architecture().first_output();
  struct Part {
    Score score;
    Summary summary;
  };
  const Part empty{Score(loss, targets), {}};
  const std::size_t most = std::min(block_size(settler), samples.size());
  std::vector<Part> parts((most + part_size - 1) / part_size, empty);
  std::vector<std::vector<T>> scratch(settler.threads().size());
  Part all = empty;
  settle_in_blocks<T>(
      settler, samples, [&](std::span<const std::uint64_t> index, const Equilibria<T>& states) {
        const std::size_t count = (index.size() + part_size - 1) / part_size;
        settler.threads().for_each(count, [&](std::size_t k, std::size_t worker) {
          Part part = empty;
          std::vector<T>& wanted = scratch[worker];
          wanted.resize(part_size * targets);
          const std::size_t begin = k * part_size, size = std::min(part_size, index.size() - begin);
          part.summary = summarise(std::span(states.verdicts).subspan(begin, size));
          samples.targets_as_rows(index.subspan(begin, size), wanted.data());
          for (std::size_t s = 0; s < size; ++s)
            if (states.settled(begin + s))
              part.score.template add<T>(states.state(begin + s).subspan(first),
                                         {wanted.data() + s * targets, targets});
          parts[k] = std::move(part);
        });
        for (std::size_t k = 0; k < count; ++k) {
          all.score += parts[k].score;
          all.summary += parts[k].summary;
        }
      });
  return {all.score.loss(), all.score.value(), all.summary};
}

template void settle_in_blocks(Settler<float>&, const Samples<float>&, const BlockVisitor<float>&);
template void settle_in_blocks(Settler<double>&, const Samples<double>&, const BlockVisitor<double>&);
template Evaluation evaluate(Settler<float>&, const Samples<float>&, const Loss&);
template Evaluation evaluate(Settler<double>&, const Samples<double>&, const Loss&);

}  // namespace irn
