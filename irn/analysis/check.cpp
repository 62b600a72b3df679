#include "irn/analysis/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "irn/analysis/linearised-inl.h"
#include "irn/analysis/problem_at-inl.h"
#include "irn/analysis/stability-inl.h"
#include "irn/engine/settler.h"
#include "irn/network/check_inputs.h"

namespace irn {
namespace {

// What check() reports about one state.
StateCheck look_at(const Dynamics& dynamics, const Vector& x, const Vector& z, double residual,
                   const CheckOptions& options) {
  const Vector slopes = dynamics.slopes_at(z, dynamics.drive(x));
  StateCheck result{.stability = stability_of(dynamics, slopes, options.stability)};
  result.unstable = result.stability.unstable();
  result.distance = residual == 0 ? 0 : result.stability.distance(residual);
  auto& kept = result.stability.eigenvalues;
  if (kept.size() > std::max<std::size_t>(options.eigenvalues, 1)) {
    kept.resize(std::max<std::size_t>(options.eigenvalues, 1));
    kept.shrink_to_fit();
    result.stability.complete = false;
  }
  if (!options.slopes || !dynamics.dense()) return result;
  const Linearised linearised(dynamics, slopes);
  const Sensitivity sensitivity = linearised.sensitivity();
  result.singular = linearised.smallest_singular().value;
  result.sensitivity = sensitivity.norm, result.input = sensitivity.input;
  result.amplification = sensitivity.amplification;
  return result;
}

// Stability and sensitivity are those of the whole network; with gates it would be another one.
template <class T>
void check_samples_of(const NetworkOf<T>& network, const Samples<T>& samples) {
  check_inputs(samples, network.architecture());
  if (samples.gates() != 0)
    throw Error("a check is of the network as it is: these samples change it by gates; check others");
}

bool at_rest(const Verdict& verdict) {
  return verdict.outcome == Outcome::settled || verdict.outcome == Outcome::repels;
}

template <class Value>
Spread spread(const std::vector<SampleCheck>& samples, const Value& value) {
  std::vector<double> all;
  for (const SampleCheck& sample : samples)
    if (const double v = value(sample); !std::isnan(v)) all.push_back(v);
  if (all.empty()) return {};
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  const double median = *middle;
  const auto [least, largest] = std::minmax_element(all.begin(), all.end());
  return {*least, median, *largest, all.size()};
}

CheckSummary summarise(const std::vector<SampleCheck>& samples) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  CheckSummary result;
  std::vector<Verdict> verdicts;
  for (const SampleCheck& sample : samples) {
    verdicts.push_back(sample.verdict);
    if (!sample.state) continue;
    const Attraction attraction = sample.state->stability.attraction();
    result.attracts += attraction == Attraction::attracts;
    result.repels += attraction == Attraction::repels;
    result.undecided += attraction == Attraction::undecided;
    result.doubtful += sample.verdict.outcome == Outcome::settled && attraction != Attraction::attracts;
  }
  result.outcomes = summarise(std::span<const Verdict>(verdicts));
  const auto of_state = [&](const auto& value) {
    return spread(samples, [&](const SampleCheck& s) { return s.state ? value(*s.state) : none; });
  };
  result.residual = spread(samples, [](const SampleCheck& s) { return s.verdict.residual; });
  result.evaluations = spread(samples, [](const SampleCheck& s) { return double(s.verdict.evaluations); });
  result.distance = of_state([](const StateCheck& s) { return s.distance; });
  result.abscissa = of_state([](const StateCheck& s) { return s.stability.abscissa(); });
  result.time_constant = of_state([](const StateCheck& s) { return s.stability.time_constant(); });
  result.frequency = of_state([](const StateCheck& s) { return s.stability.frequency(); });
  result.singular = of_state([](const StateCheck& s) { return s.singular; });
  result.sensitivity = of_state([](const StateCheck& s) { return s.sensitivity; });
  result.amplification = of_state([](const StateCheck& s) { return s.amplification; });
  return result;
}

}  // namespace

template <class T>
Check check(const NetworkOf<T>& network, const Samples<T>& samples, const CheckOptions& options,
            ThreadPool& threads) {
  check_samples_of(network, samples);
  const Dynamics dynamics(network);
  Settler<T> settler(network, for_answers(options.settle), threads);
  Check result;
  result.samples.resize(samples.size());
  constexpr std::size_t part = 64;
  const auto visit = [&](std::size_t begin, const Equilibria<T>& found, std::size_t) {
    std::vector<std::uint64_t> index(found.size());
    std::iota(index.begin(), index.end(), std::uint64_t{begin});
    std::vector<T> inputs(found.size() * samples.inputs());
    samples.inputs_as_rows(index, inputs.data());
    for (std::size_t s = 0; s < found.size(); ++s) {
      SampleCheck& sample = result.samples[begin + s];
      sample.verdict = found.verdicts[s];
      if (!at_rest(sample.verdict)) continue;
      const Vector z = vector_of(found.state(s));
      const Vector x = vector_of(std::span<const T>(inputs).subspan(s * samples.inputs(), samples.inputs()));
      sample.state = look_at(dynamics, x, z, sample.verdict.residual, options);
    }
  };
  settler.settle_parts(samples, 0, samples.size(), part, visit);
  result.summary = summarise(result.samples);
  result.network = certificates(network, options.certificates);
  return result;
}
template Check check(const NetworkOf<float>&, const Samples<float>&, const CheckOptions&, ThreadPool&);
template Check check(const NetworkOf<double>&, const Samples<double>&, const CheckOptions&, ThreadPool&);

namespace {

template <class T>
CloserLook look_closer(const NetworkOf<T>& network, std::uint64_t sample, std::span<const T> x,
                       const CloserOptions& options, ThreadPool& threads) {
  CloserLook look{.sample = sample};
  SearchOptions search = options.search;
  search.settle = options.settle;
  std::vector<double> state;
  if (options.equilibria) {
    look.equilibria = equilibria_of<T>(network, x, search, threads);
    if (look.equilibria->reached_from_rest()) state = look.equilibria->equilibria.front().state;
  } else {
    const Problem problem = network_problem(network, x);
    const Equilibria<double> found =
        ProblemAt(problem, 0).flows({Vector::Zero(index_of(problem.size))}, search.settle, threads);
    if (found.settled(0)) state = found.states;
  }
  if (options.fold && !state.empty()) look.fold = fold_distance<T>(network, x, state, options.folds);
  return look;
}

}  // namespace

template <class T>
std::vector<CloserLook> look_closer(const NetworkOf<T>& network, const Samples<T>& samples,
                                    std::span<const std::uint64_t> index, const CloserOptions& options,
                                    ThreadPool& threads) {
  check_samples_of(network, samples);
  check_dense(Dynamics(network), "a closer look");
  check_samples(index, samples.size());
  std::vector<T> inputs(index.size() * samples.inputs());
  samples.inputs_as_rows(index, inputs.data());
  std::vector<CloserLook> looks(index.size());
  threads.for_each(index.size(), [&](std::size_t k, std::size_t) {
    const auto x = std::span<const T>(inputs).subspan(k * samples.inputs(), samples.inputs());
    looks[k] = look_closer(network, index[k], x, options, threads);
  });
  return looks;
}
template std::vector<CloserLook> look_closer(const NetworkOf<float>&, const Samples<float>&,
                                             std::span<const std::uint64_t>, const CloserOptions&,
                                             ThreadPool&);
template std::vector<CloserLook> look_closer(const NetworkOf<double>&, const Samples<double>&,
                                             std::span<const std::uint64_t>, const CloserOptions&,
                                             ThreadPool&);

std::vector<std::uint64_t> worst_samples(const Check& check, std::size_t count) {
  const auto rank = [&](std::uint64_t s) {  // smaller first
    const SampleCheck& sample = check.samples[s];
    if (!sample.answered() || !sample.state) return std::tuple(0, 0.0, s);
    const bool doubtful = !sample.state->stability.attracts();
    const double singular = sample.state->singular;
    return std::tuple(doubtful ? 1 : 2,
                      std::isnan(singular) ? sample.state->stability.abscissa() * -1 : singular, s);
  };
  std::vector<std::uint64_t> all(check.samples.size());
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    [&](std::uint64_t a, std::uint64_t b) { return rank(a) < rank(b); });
  all.resize(count);
  return all;
}

}  // namespace irn
