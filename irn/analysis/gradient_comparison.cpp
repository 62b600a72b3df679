#include "irn/analysis/gradient_comparison.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "irn/analysis/problem_at-inl.h"
#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/data/sample_table.h"
#include "irn/engine/batch_gradient.h"
#include "irn/network/check_inputs.h"

namespace irn {
namespace {

template <class T>
NetworkOf<double> in_double(const NetworkOf<T>& network) {
  const auto numbers = network.parameters();
  return NetworkOf<double>(network.architecture(), std::vector<double>(numbers.begin(), numbers.end()));
}

template <class T>
SampleTable<double> in_double(const Samples<T>& samples, std::span<const std::uint64_t> index) {
  std::vector<T> inputs(index.size() * samples.inputs()), targets(index.size() * samples.targets());
  samples.inputs_as_rows(index, inputs.data());
  samples.targets_as_rows(index, targets.data());
  return SampleTable<double>(samples.inputs(), samples.targets(), {inputs.begin(), inputs.end()},
                             {targets.begin(), targets.end()});
}

// Gradients at an equilibrium use the solver asked for, unless it only iterates; gradients of an iteration
// have their own.
SettleOptions settling(const SettleOptions& asked, const Gradient& gradient) {
  SettleOptions settle = asked;
  settle.device = Device::cpu;  // the processor has every gradient
  if (settle.tolerance == 0) settle.tolerance = 1e-12;
  if (iteration_of(gradient) || only_iterates(settle.solver)) settle.solver = Auto{};
  return settle;
}

// One worker's gradients, one of each kind, the exact one first; for one sample at a time.
class Comparer {
 public:
  Comparer(const NetworkOf<double>& network, const SampleTable<double>& samples,
           const GradientComparisonOptions& options)
      : network_(network), samples_(samples), options_(options) {
    add(ExactGradient{});
    for (const Gradient& gradient : options.gradients) add(gradient);
  }

  GradientsOfSample compare(std::size_t sample) {
    const Found exact = gradient_of(0, sample);
    GradientsOfSample result{
        exact.verdict, exact.outcome, exact.gradient.norm(), exact.amplification, {}, {}};
    for (std::size_t k = 1; k < gradients_.size(); ++k)
      result.others.push_back(beside(exact, gradient_of(k, sample)));
    if (is_used(exact.outcome) && result.norm > 0) result.differences = differences(exact, sample);
    return result;
  }

 private:
  struct Found {
    Verdict verdict;
    GradientOutcome outcome = GradientOutcome::not_settled;
    double amplification = 0;
    Vector gradient, state;
  };

  void add(const Gradient& gradient) {
    const GradientOptions how{
        .gradient = gradient, .settle = settling(options_.settle, gradient), .on_fold = OnFold::keep};
    gradients_.push_back(std::make_unique<BatchGradient<double>>(network_, how, alone_));
  }
  double loss(std::span<const double> outputs, std::size_t sample, std::span<double> slopes) const {
    return loss_and_slopes<double>(options_.loss, outputs, samples_.target_row(sample), slopes);
  }
  Found gradient_of(std::size_t kind, std::size_t sample) {
    const std::uint64_t index[1] = {sample};
    const Forward<double> forward = gradients_[kind]->forward(samples_, index);
    const auto state = forward.equilibria.state(0);
    std::vector<double> slopes(network_.architecture().outputs());
    if (forward.equilibria.answered(0))
      loss(state.subspan(network_.architecture().first_output()), sample, slopes);
    const GradientResult<double> result = gradients_[kind]->backward(forward, slopes);
    return {forward.equilibria.verdicts[0], result.outcomes[0], result.amplification[0],
            vector_of(std::span<const double>(result.parameters)), vector_of(state)};
  }
  static ComparedGradient beside(const Found& exact, const Found& other) {
    ComparedGradient result{other.outcome, 0, 0};
    const double e = exact.gradient.norm(), g = other.gradient.norm();
    if (!is_used(exact.outcome) || !is_used(other.outcome) || e == 0) return result;
    result.length = g / e;
    if (g == 0) return result;
    // By the half angle, which keeps its digits if both are almost along one line.
    const Vector a = exact.gradient / e, b = other.gradient / g;
    result.angle = 2 * std::atan2((a - b).norm(), (a + b).norm()) * 180 / std::numbers::pi;
    return result;
  }

  // The loss with parameters moved along r, at the equilibrium that moves with them.
  std::optional<double> moved_loss(const Found& exact, std::size_t sample, const Vector& r, double h) const {
    NetworkOf<double> moved = network_;
    for (std::size_t k = 0; k < moved.parameters().size(); ++k) moved.parameters()[k] += h * r[index_of(k)];
    const Problem problem = network_problem(moved, samples_.input_row(sample));
    const std::optional<Vector> z = ProblemAt(problem, 0).polished(exact.state);
    if (!z) return {};
    return loss(span_of(*z).subspan(network_.architecture().first_output()), sample, {});
  }
  std::optional<double> differences(const Found& exact, std::size_t sample) const {
    if (network_.architecture().neurons() > dense_analysis_limit) return {};
    const Vector& e = exact.gradient;
    if (e.norm() < 1000 * rounding(exact)) return {};
    double largest = 0;
    for (std::size_t d = 0; d < options_.directions; ++d) {
      const Vector r = d == 0 ? Vector(e.normalized()) : random_direction(e.size(), d);
      const std::optional<double> above = moved_loss(exact, sample, r, options_.step),
                                  below = moved_loss(exact, sample, r, -options_.step);
      if (!above || !below) return {};
      largest = std::max(largest, std::abs((*above - *below) / (2 * options_.step) - e.dot(r)) / e.norm());
    }
    return largest;
  }
  // The rounding of a difference: a loss is rounded as its outputs are. A sample that is almost exactly right
  // has a gradient below it.
  double rounding(const Found& exact) const {
    const Vector outputs = exact.state.tail(index_of(network_.architecture().outputs()));
    return 1e-15 * std::max(1.0, outputs.cwiseAbs().maxCoeff()) / options_.step;
  }
  Vector random_direction(Eigen::Index size, std::size_t d) const {
    const Stream stream(options_.seed, d);
    Vector r(size);
    for (Eigen::Index k = 0; k < size; ++k) r[k] = stream.normal(static_cast<std::uint64_t>(k));
    return r.normalized();
  }

  const NetworkOf<double>& network_;
  const SampleTable<double>& samples_;
  const GradientComparisonOptions& options_;
  ThreadPool alone_{1};
  std::vector<std::unique_ptr<BatchGradient<double>>> gradients_;
};

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

GradientSpread spread_of(const std::vector<GradientsOfSample>& samples, std::size_t k) {
  std::vector<double> angles, lengths;
  for (const GradientsOfSample& sample : samples)
    if (is_used(sample.exact) && is_used(sample.others[k].outcome) && sample.norm > 0)
      angles.push_back(sample.others[k].angle), lengths.push_back(sample.others[k].length);
  GradientSpread result{.samples = angles.size()};
  if (angles.empty()) return result;
  result.against = static_cast<std::size_t>(
      std::count_if(angles.begin(), angles.end(), [](double angle) { return angle > 90; }));
  result.largest_angle = *std::max_element(angles.begin(), angles.end());
  result.least_length = *std::min_element(lengths.begin(), lengths.end());
  result.largest_length = *std::max_element(lengths.begin(), lengths.end());
  result.median_angle = median(angles), result.median_length = median(lengths);
  return result;
}

}  // namespace

template <class T>
GradientComparison compare_gradients(const NetworkOf<T>& network, const Samples<T>& samples,
                                     std::span<const std::uint64_t> index,
                                     const GradientComparisonOptions& options, ThreadPool& threads) {
  check_inputs(samples, network.architecture());
  check_samples(index, samples.size());
  check_loss(options.loss);
  if (samples.targets() == 0 || samples.targets() > network.architecture().outputs())
    throw Error("gradients need a loss: the samples have " + std::to_string(samples.targets()) +
                " targets, the network " + std::to_string(network.architecture().outputs()) + " outputs");
  if (!(options.step > 0)) throw Error("the step of the differences must be above 0");
  const NetworkOf<double> fine = in_double(network);
  const SampleTable<double> table = in_double(samples, index);
  std::vector<std::unique_ptr<Comparer>> comparers(threads.size());
  GradientComparison result;
  result.samples.resize(index.size());
  threads.for_each(index.size(), [&](std::size_t k, std::size_t worker) {
    if (!comparers[worker]) comparers[worker] = std::make_unique<Comparer>(fine, table, options);
    result.samples[k] = comparers[worker]->compare(k);
  });
  for (std::size_t k = 0; k < options.gradients.size(); ++k)
    result.spreads.push_back(spread_of(result.samples, k));
  for (const GradientsOfSample& sample : result.samples)
    result.largest_difference = std::max(result.largest_difference, sample.differences.value_or(0));
  return result;
}
template GradientComparison compare_gradients(const NetworkOf<float>&, const Samples<float>&,
                                              std::span<const std::uint64_t>,
                                              const GradientComparisonOptions&, ThreadPool&);
template GradientComparison compare_gradients(const NetworkOf<double>&, const Samples<double>&,
                                              std::span<const std::uint64_t>,
                                              const GradientComparisonOptions&, ThreadPool&);

}  // namespace irn
