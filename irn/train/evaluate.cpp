#include "irn/train/evaluate.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace irn {
namespace {

// Samples a block: enough for every thread to have several chunks, little enough to stay in the cache.
constexpr std::size_t block_size = 8192;

void add(Summary& total, const Summary& part) {
  const double whole = double(total.samples + part.samples);
  total.mean_evaluations =
      (total.mean_evaluations * double(total.samples) + part.mean_evaluations * double(part.samples)) / whole;
  total.samples += part.samples;
  for (std::size_t k = 0; k < total.count.size(); ++k) total.count[k] += part.count[k];
  total.max_residual_settled = std::max(total.max_residual_settled, part.max_residual_settled);
}

}  // namespace

template <class T>
Evaluation evaluate(Settler<T>& settler, const Samples<T>& samples, const Loss& loss) {
  const Architecture& architecture = settler.packed().architecture();
  const std::size_t targets = samples.targets(), outputs = architecture.outputs(),
                    first = architecture.first_output();
  std::vector<std::uint64_t> index;
  std::vector<T> wanted, slopes(outputs);
  Equilibria<T> states;
  Evaluation result;
  for (std::size_t start = 0; start < samples.size(); start += block_size) {
    index.resize(std::min(block_size, samples.size() - start));
    std::iota(index.begin(), index.end(), std::uint64_t(start));
    settler.settle(samples, index, states);
    wanted.resize(index.size() * targets);
    samples.targets_as_rows(index, wanted.data());
    double sum = 0;
    for (std::size_t s = 0; s < index.size(); ++s)
      if (states.settled(s))
        sum += loss_and_slopes<T>(loss, states.state(s).subspan(first),
                                  {wanted.data() + s * targets, targets}, slopes);
    result.loss += sum;
    add(result.summary, states.summary());
  }
  const std::size_t settled = result.summary.count[0];
  result.loss = settled > 0 ? result.loss / double(settled) : std::numeric_limits<double>::quiet_NaN();
  return result;
}

template Evaluation evaluate(Settler<float>&, const Samples<float>&, const Loss&);
template Evaluation evaluate(Settler<double>&, const Samples<double>&, const Loss&);

}  // namespace irn
