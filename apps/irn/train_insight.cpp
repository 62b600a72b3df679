#include "apps/irn/train_insight.h"

#include <algorithm>

#include <fmt/format.h>

#include "irn/analysis/network_problem.h"

namespace irn::app {
namespace {

constexpr std::size_t largest_network = 500;  // neurons: a path takes some hundred products with dense blocks
constexpr std::size_t settled_rows = 1000, importance_rows = 200, most_columns = 40, repeats = 3;

// About `most` of `count` indices, spread evenly.
std::vector<std::uint64_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::uint64_t> places;
  const std::size_t taken = std::min(count, most);
  for (std::size_t i = 0; i < taken; ++i) places.push_back(i * count / taken);
  return places;
}

template <class T>
const EncodedSamples<T>& judges_of(const TrainRun<T>& run) {
  return run.held_out() ? *run.data().validation : *run.data().training;
}

// The row that took the fewest evaluations, one in the middle, and the one that took most, which may not have
// settled.
template <class T>
void follow_rows(const TrainRun<T>& run, const NetworkOf<T>& network, ThreadPool& threads,
                 TrainInsight& insight) {
  if (network.architecture().neurons() > largest_network || !network.architecture().recurrent()) return;
  const EncodedSamples<T>& samples = judges_of(run);
  std::vector<std::uint64_t> places = spread(samples.size(), settled_rows);
  Settler<T> settler(network, run.settling(), threads);
  Equilibria<T> states;
  settler.settle(samples, places, states);
  std::vector<std::size_t> order(places.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(states.verdicts[a].evaluations, a) < std::pair(states.verdicts[b].evaluations, b);
  });
  const std::pair<const char*, std::size_t> chosen[] = {{"fewest evaluations", order.front()},
                                                        {"in the middle", order[order.size() / 2]},
                                                        {"most evaluations", order.back()}};
  std::vector<T> x(samples.inputs());
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()); ++k) {
    const std::uint64_t sample = places[chosen[k].second];
    samples.inputs_as_rows({&sample, 1}, x.data());
    insight.paths.push_back({fmt::format("row {}, {}", samples.row(sample) + 1, chosen[k].first),
                             settling_path(network_problem<T>(network, x), 0, {}, {.tolerance = 1e-8})});
  }
}

template <class T>
void weigh_columns(const TrainRun<T>& run, const NetworkOf<T>& network, ThreadPool& threads,
                   TrainInsight& insight) {
  const TrainingData<T>& data = run.data();
  if (data.encoding.inputs.size() > most_columns || data.encoding.inputs.size() < 2) return;
  const EncodedSamples<T>& samples = judges_of(run);
  std::vector<std::uint64_t> rows;
  for (const std::uint64_t place : spread(samples.size(), importance_rows))
    rows.push_back(samples.row(place));
  const Frame& frame = run.held_out() && data.validation_frame ? *data.validation_frame : *data.frame;
  const EncodedSamples<T> some = unseen_samples<T>(frame, data.encoding, rows, "");
  const bool classes = data.encoding.task == Task::classification;
  insight.importance_metric = classes ? Metric::accuracy : Metric::r2;
  insight.importance_rows = some.size();
  Settler<T> settler(network, run.settling(), threads);
  insight.importance =
      permutation_importance<T>(settler, some, data.encoding, insight.importance_metric, repeats, 0);
}

}  // namespace

template <class T>
TrainInsight look_into(const TrainRun<T>& run, ThreadPool& threads) {
  TrainInsight insight;
  const NetworkOf<T> best = run.best_network();
  insight.tolerance = run.settling().tolerance == 0 ? default_tolerance<T>() : run.settling().tolerance;
  follow_rows(run, best, threads, insight);
  weigh_columns(run, best, threads, insight);
  return insight;
}

template TrainInsight look_into(const TrainRun<float>&, ThreadPool&);
template TrainInsight look_into(const TrainRun<double>&, ThreadPool&);

}  // namespace irn::app
