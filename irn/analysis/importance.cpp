#include "irn/analysis/importance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "irn/base/random.h"
#include "irn/data/samples_over.h"
#include "irn/engine/batch_gradient.h"
#include "irn/train/softmax.h"

namespace irn {
namespace {

// Samples in which some inputs are replaced by those of another sample.
template <class T>
class Permuted : public SamplesOver<T> {
 public:
  Permuted(const Samples<T>& samples, std::size_t first, std::size_t count, std::vector<std::uint64_t> from)
      : SamplesOver<T>(samples), first_(first), count_(count), from_(std::move(from)) {}

  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    SamplesOver<T>::inputs_as_rows(index, out);
    std::vector<T> other(this->inputs());
    for (std::size_t s = 0; s < index.size(); ++s) {
      SamplesOver<T>::inputs_as_rows({&from_[index[s]], 1}, other.data());
      std::copy_n(other.data() + first_, count_, out + s * this->inputs() + first_);
    }
  }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override {
    check_lanes(index, this->size(), width);
    std::vector<T> rows(index.size() * this->inputs());
    inputs_as_rows(index, rows.data());
    for (std::size_t k = 0; k < this->inputs(); ++k)
      for (std::size_t lane = 0; lane < width; ++lane)
        out[k * width + lane] = lane < index.size() ? rows[lane * this->inputs() + k] : T{0};
  }

 private:
  std::size_t first_, count_;
  std::vector<std::uint64_t> from_;
};

template <class T>
double metric_of(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding, Metric metric) {
  return judged<T>(settle_outputs(settler, samples), samples, encoding.task == Task::classification,
                   units_of(encoding), encoding.threshold)
      .value(metric);
}

// The gradient of what the network answers: of an equilibrium, or of an iterate.
Gradient gradient_for(const Solver& solver) {
  if (const auto* iterate = std::get_if<Iterate>(&solver)) return UnrolledGradient{iterate->steps};
  if (const auto* reversible = std::get_if<Reversible>(&solver))
    return ReversibleGradient{reversible->steps, reversible->damping};
  return ExactGradient{};
}

// dA/dy of answer k: for a number the unit of its target, for a class dp_k/dy_j = p_k (delta_kj - p_j).
template <class T>
void fill_slopes(const Equilibria<T>& states, std::size_t first_output, std::size_t outputs,
                 const Encoding& encoding, std::size_t k, std::vector<T>& slopes) {
  const std::size_t width = encoding.target_width();
  slopes.assign(states.size() * outputs, T{0});
  for (std::size_t s = 0; s < states.size(); ++s) {
    T* row = slopes.data() + s * outputs;
    if (encoding.task != Task::classification) {
      row[k] = static_cast<T>(encoding.targets[k].scale);
      continue;
    }
    if (!states.answered(s)) continue;
    const std::span<const T> y = states.state(s).subspan(first_output, width);
    const Softmax shares = softmax(y);
    const double p = shares.share(double(y[k]));
    for (std::size_t j = 0; j < width; ++j)
      row[j] = static_cast<T>(p * ((j == k ? 1.0 : 0.0) - shares.share(double(y[j]))));
  }
}

}  // namespace

double PermutationImportance::mean() const {
  return std::accumulate(drops.begin(), drops.end(), 0.0) / double(drops.size());
}

double PermutationImportance::deviation() const {
  if (drops.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  double squares = 0;
  for (const double drop : drops) squares += (drop - mean()) * (drop - mean());
  return std::sqrt(squares / double(drops.size() - 1));
}

template <class T>
std::vector<PermutationImportance> permutation_importance(Settler<T>& settler, const Samples<T>& samples,
                                                          const Encoding& encoding, Metric metric,
                                                          std::size_t repeats, std::uint64_t seed) {
  const double whole = metric_of(settler, samples, encoding, metric),
               sign = larger_is_better(metric) ? 1 : -1;
  std::vector<PermutationImportance> result;
  std::size_t first = 0;
  for (std::size_t c = 0; c < encoding.inputs.size(); first += encoding.inputs[c++].width()) {
    result.push_back({.column = encoding.inputs[c].name});
    for (std::size_t r = 0; r < repeats; ++r) {
      const Permuted<T> dealt(samples, first, encoding.inputs[c].width(),
                              Stream(seed, c * repeats + r).permutation(samples.size()));
      result.back().drops.push_back(sign * (whole - metric_of<T>(settler, dealt, encoding, metric)));
    }
  }
  return result;
}

template <class T>
Sensitivities sensitivities(const NetworkOf<T>& network, const SettleOptions& settle,
                            const Samples<T>& samples, const Encoding& encoding, ThreadPool& threads) {
  const Architecture& architecture = network.architecture();
  const std::size_t inputs = samples.inputs(), outputs = encoding.target_width();
  Sensitivities result{
      .inputs = encoding.input_names(), .outputs = encoding.target_names(), .rows = samples.size()};
  std::vector<double> sums(outputs * inputs), sizes(outputs * inputs), used(outputs);
  BatchGradient<T> gradient(
      network, {.gradient = gradient_for(settle.solver), .settle = settle, .input_gradient = true}, threads);
  constexpr std::size_t at_once = 4096;
  std::vector<std::uint64_t> index;
  std::vector<T> slopes;
  Forward<T> forward;
  GradientResult<T> found;
  for (std::size_t start = 0; start < samples.size(); start += at_once) {
    index.resize(std::min(at_once, samples.size() - start));
    std::iota(index.begin(), index.end(), std::uint64_t(start));
    gradient.forward(samples, index, forward);
    for (std::size_t k = 0; k < outputs; ++k) {
      fill_slopes(forward.equilibria, architecture.first_output(), architecture.outputs(), encoding, k,
                  slopes);
      gradient.backward(forward, slopes, found);
      for (std::size_t s = 0; s < index.size(); ++s) {
        if (!is_used(found.outcomes[s])) continue;
        ++used[k];
        for (std::size_t i = 0; i < inputs; ++i) {
          const auto slope = double(found.inputs[s * inputs + i]);
          sums[k * inputs + i] += slope, sizes[k * inputs + i] += std::abs(slope);
        }
      }
    }
  }
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t i = 0; i < inputs; ++i) {
      result.mean.push_back(sums[k * inputs + i] / used[k]);
      result.size.push_back(sizes[k * inputs + i] / used[k]);
    }
  result.used = static_cast<std::size_t>(*std::min_element(used.begin(), used.end()));
  return result;
}

template std::vector<PermutationImportance> permutation_importance(Settler<float>&, const Samples<float>&,
                                                                   const Encoding&, Metric, std::size_t,
                                                                   std::uint64_t);
template std::vector<PermutationImportance> permutation_importance(Settler<double>&, const Samples<double>&,
                                                                   const Encoding&, Metric, std::size_t,
                                                                   std::uint64_t);
template Sensitivities sensitivities(const NetworkOf<float>&, const SettleOptions&, const Samples<float>&,
                                     const Encoding&, ThreadPool&);
template Sensitivities sensitivities(const NetworkOf<double>&, const SettleOptions&, const Samples<double>&,
                                     const Encoding&, ThreadPool&);

}  // namespace irn
