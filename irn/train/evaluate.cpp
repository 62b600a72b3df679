#include "irn/train/evaluate.h"

#include <algorithm>
#include <numeric>

#include "irn/train/score.h"

namespace irn {
namespace {

// Samples whose errors are summed up together: few enough that the threads share a small set, too.
std::size_t part_size_for(std::size_t samples) {
  constexpr std::size_t group = 16;
  return std::clamp(samples / 1024 / group, std::size_t{1}, std::size_t{8}) * group;
}

// Parts between two meetings of all threads: so few that their sums take a few megabytes at most.
std::size_t parts_at_once(std::size_t targets) {
  constexpr std::size_t bytes = 4u << 20;
  return std::clamp<std::size_t>(bytes / (targets * sizeof(AnswerSums)), 64, 2048);
}

// Samples a block: enough for every thread to have several chunks, and about 1 MB of states a thread at most.
template <class T>
std::size_t block_size(const Settler<T>& settler) {
  const std::size_t bytes = settler.packed().neurons() * sizeof(T);
  return settler.threads().size() * std::clamp<std::size_t>((1u << 20) / bytes, 512, 4096);
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
  check_targets(samples, settler.packed().architecture());
  const std::size_t targets = samples.targets(), first = settler.packed().architecture().first_output();
  struct Part {
    Score score;
    Summary summary;
  };
  const Part empty{Score(loss, targets), {}};
  const std::size_t part_size = part_size_for(samples.size()), stretch = part_size * parts_at_once(targets);
  std::vector<Part> parts((std::min(stretch, samples.size()) + part_size - 1) / part_size, empty);
  struct Wanted {
    std::vector<std::uint64_t> index;
    std::vector<T> rows;
  };
  std::vector<Wanted> wanted(settler.threads().size());
  Part all = empty;
  for (std::size_t start = 0; start < samples.size(); start += stretch) {
    const std::size_t count = std::min(stretch, samples.size() - start);
    const auto score_chunk = [&](std::size_t begin, const Equilibria<T>& states, std::size_t worker) {
      auto& [index, rows] = wanted[worker];
      index.resize(states.size()), rows.resize(states.size() * targets);
      std::iota(index.begin(), index.end(), std::uint64_t(begin));
      samples.targets_as_rows(index, rows.data());
      for (std::size_t s = 0; s < states.size(); s += part_size) {
        const std::size_t size = std::min(part_size, states.size() - s);
        Part& part = parts[(begin - start + s) / part_size];
        part.score = empty.score;
        part.summary = summarise(std::span(states.verdicts).subspan(s, size));
        for (std::size_t i = s; i < s + size; ++i)
          if (states.answered(i))
            part.score.template add<T>(states.state(i).subspan(first), {&rows[i * targets], targets});
      }
    };
    settler.settle_parts(samples, start, count, part_size, score_chunk);
    for (std::size_t k = 0; k * part_size < count; ++k) {
      all.score += parts[k].score;
      all.summary += parts[k].summary;
    }
  }
  return {all.score.loss(), all.score.value(), all.summary};
}

template void settle_in_blocks(Settler<float>&, const Samples<float>&, const BlockVisitor<float>&);
template void settle_in_blocks(Settler<double>&, const Samples<double>&, const BlockVisitor<double>&);
template Evaluation evaluate(Settler<float>&, const Samples<float>&, const Loss&);
template Evaluation evaluate(Settler<double>&, const Samples<double>&, const Loss&);

}  // namespace irn
