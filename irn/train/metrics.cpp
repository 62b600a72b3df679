#include "irn/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "irn/base/error.h"
#include "irn/base/text.h"

namespace irn {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double least_probability = std::numeric_limits<double>::epsilon();

double share(double part, double of) { return of > 0 ? part / of : nothing; }

// The mean of the values that are numbers.
double mean_of(const std::vector<double>& values) {
  double sum = 0, count = 0;
  for (const double value : values)
    if (!std::isnan(value)) sum += value, ++count;
  return count > 0 ? sum / count : nothing;
}

double log_loss_of(double probability) {
  return -std::log(std::clamp(probability, least_probability, 1 - least_probability));
}

// The q-quantile of weighted values: the mean of two neighbours if the weight below is exactly q, as in the
// median of an even number of values; otherwise the value at which the weight passes q.
double quantile(const std::vector<std::pair<double, double>>& sorted, double q) {
  double all = 0;
  for (const auto& [value, weight] : sorted) all += weight;
  double below = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    below += sorted[i].second;
    if (below > q * all || i + 1 == sorted.size()) return sorted[i].first;
    if (below == q * all) return (sorted[i].first + sorted[i + 1].first) / 2;
  }
  return nothing;
}

// A threshold that excludes `low` and includes `high`: halfway, or `high` itself if no number lies between.
double between(double low, double high) {
  const double middle = (low + high) / 2;
  return middle > low ? middle : high;
}

}  // namespace

Metric metric_named(std::string_view wanted) {
  std::string text(wanted);
  std::replace(text.begin(), text.end(), '-', '_');
  for (std::size_t k = 0; k < metric_names.size(); ++k)
    if (metric_names[k] == text) return static_cast<Metric>(k);
  throw Error(unknown_name("metric", wanted, metric_names));
}

std::size_t answer_of(std::span<const double> probabilities, double threshold) {
  if (probabilities.size() == 2 && threshold != 0.5) return probabilities[1] >= threshold ? 1 : 0;
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                  probabilities.begin());
}

ClassJudge::ClassJudge(std::size_t classes, double threshold) : classes_(classes), threshold_(threshold) {}

void ClassJudge::add(std::size_t truth, std::span<const double> probabilities, double weight,
                     std::optional<std::size_t> answer) {
  if (weight == 0) return;
  answers_.push_back(answer ? *answer : probabilities.empty() ? 0 : answer_of(probabilities, threshold_));
  truth_.push_back(truth);
  weights_.push_back(weight);
  if (probabilities.empty())
    probabilities_.insert(probabilities_.end(), classes_, nothing);
  else
    probabilities_.insert(probabilities_.end(), probabilities.begin(), probabilities.end());
}

Classification ClassJudge::scores() const {
  Classification result{.classes = std::vector<ClassScores>(classes_),
                        .confusion = std::vector<double>(classes_ * classes_)};
  double all = 0, right = 0, log_loss = 0;
  for (std::size_t r = 0; r < truth_.size(); ++r) {
    const std::span<const double> p(&probabilities_[r * classes_], classes_);
    const bool answered = !std::isnan(p[0]);
    const double weight = weights_[r];
    all += weight;
    log_loss += weight * log_loss_of(answered ? p[truth_[r]] : 0);
    result.classes[truth_[r]].rows += weight;
    if (!answered) continue;
    const std::size_t answer = answers_[r];
    result.classes[answer].answers += weight;
    result.confusion[truth_[r] * classes_ + answer] += weight;
    if (answer == truth_[r]) right += weight;
  }
  result.accuracy = share(right, all), result.log_loss = share(log_loss, all);
  std::vector<double> recalls, recalls_shown, precisions, f1s;
  for (std::size_t k = 0; k < classes_; ++k) {
    ClassScores& c = result.classes[k];
    const double hits = result.confusion[k * classes_ + k];
    const bool shown = c.rows + c.answers > 0;
    c.recall = c.rows > 0 ? hits / c.rows : shown ? 0 : nothing;
    c.precision = c.answers > 0 ? hits / c.answers : shown ? 0 : nothing;
    c.f1 = shown ? 2 * hits / (c.rows + c.answers) : nothing;
    recalls.push_back(c.rows > 0 ? c.recall : nothing);
    recalls_shown.push_back(c.recall), precisions.push_back(c.precision), f1s.push_back(c.f1);
  }
  result.balanced_accuracy = mean_of(recalls), result.recall = mean_of(recalls_shown);
  result.precision = mean_of(precisions), result.f1 = mean_of(f1s);
  add_areas(result);
  add_calibration(result);
  return result;
}

// Rows by falling p_k. An unanswered row of the class comes last, one of another class first: it loses all
// comparisons.
std::vector<std::pair<double, std::size_t>> ClassJudge::ranking(std::size_t of_class) const {
  std::vector<std::pair<double, std::size_t>> order(truth_.size());
  for (std::size_t r = 0; r < order.size(); ++r) {
    const double p = probabilities_[r * classes_ + of_class];
    order[r] = {std::isnan(p) ? (truth_[r] == of_class ? -1.0 : 2.0) : p, r};
  }
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(b.first, a.second) < std::pair(a.first, b.second);
  });
  return order;
}

void ClassJudge::add_areas(Classification& result) const {
  std::vector<double> roc, pr;
  for (std::size_t k = 0; k < classes_; ++k) {
    ClassScores& c = result.classes[k];
    c.roc_auc = c.pr_auc = nothing;
    if (classes_ > most_classes_for_areas) continue;
    const auto order = ranking(k);
    double hits = 0, others = 0, pairs = 0, precision = 0;
    for (std::size_t i = 0; i < order.size();) {  // rows of equal probability share a threshold
      double more_hits = 0, more_others = 0;
      for (const double p = order[i].first; i < order.size() && order[i].first == p; ++i)
        (truth_[order[i].second] == k ? more_hits : more_others) += weights_[order[i].second];
      pairs += more_others * (hits + more_hits / 2);
      hits += more_hits, others += more_others;
      precision += more_hits * (hits / (hits + others));
    }
    if (hits > 0 && others > 0) c.roc_auc = pairs / (hits * others), c.pr_auc = precision / hits;
    roc.push_back(c.roc_auc), pr.push_back(c.pr_auc);
  }
  result.roc_auc = mean_of(roc), result.pr_auc = mean_of(pr);
}

std::vector<std::pair<double, double>> ClassJudge::roc_curve(std::size_t of_class) const {
  const auto order = ranking(of_class);
  std::vector<std::pair<double, double>> curve = {{0, 0}};
  double hits = 0, others = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    (truth_[order[i].second] == of_class ? hits : others) += weights_[order[i].second];
    if (i + 1 == order.size() || order[i + 1].first != order[i].first) curve.emplace_back(others, hits);
  }
  for (auto& [x, y] : curve) x = share(x, others), y = share(y, hits);
  return curve;
}

void ClassJudge::add_calibration(Classification& result) const {
  constexpr std::size_t bins = 10;
  result.calibration.resize(bins);
  double all = 0;
  for (std::size_t r = 0; r < truth_.size(); ++r) {
    const std::span<const double> p(&probabilities_[r * classes_], classes_);
    const bool answered = !std::isnan(p[0]);
    const std::size_t answer = answers_[r];
    const double said = answered ? p[answer] : 1;
    const auto place = static_cast<std::size_t>(std::ceil(said * bins));  // bins are open below: (0.9, 1]
    CalibrationBin& bin = result.calibration[std::clamp<std::size_t>(place, 1, bins) - 1];
    bin.rows += weights_[r], bin.probability += weights_[r] * said;
    if (answered && answer == truth_[r]) bin.right += weights_[r];
    all += weights_[r];
  }
  double error = 0;
  for (CalibrationBin& bin : result.calibration) {
    error += std::abs(bin.right - bin.probability);
    bin.right = share(bin.right, bin.rows), bin.probability = share(bin.probability, bin.rows);
  }
  result.calibration_error = share(error, all);
}

// Tries every threshold between two rows of different p_1: accuracy, balanced accuracy, precision, recall and
// F1 follow from four counts, and each step changes one row. The other metrics do not depend on a threshold.
double ClassJudge::best_threshold(Metric metric) const {
  if (classes_ != 2) throw Error("a threshold is for two classes; there are " + std::to_string(classes_));
  if (!of_classes(metric) || metric == Metric::roc_auc || metric == Metric::pr_auc ||
      metric == Metric::log_loss || metric == Metric::calibration_error)
    metric = Metric::accuracy;
  double rows[2] = {}, answered[2] = {};
  for (std::size_t r = 0; r < truth_.size(); ++r) {
    rows[truth_[r]] += weights_[r];
    if (!std::isnan(probabilities_[2 * r])) answered[truth_[r]] += weights_[r];
  }
  const auto value = [&](double hits1, double wrong1) {  // rows of class 1 and of class 0 that are answered 1
    const double hits0 = answered[0] - wrong1, wrong0 = answered[1] - hits1;
    if (metric == Metric::accuracy) return (hits0 + hits1) / (rows[0] + rows[1]);
    const auto ratio = [](double part, double of) { return of > 0 ? part / of : 0; };
    const double recall = (ratio(hits0, rows[0]) + ratio(hits1, rows[1])) / 2;
    if (metric == Metric::recall || metric == Metric::balanced_accuracy) return recall;
    if (metric == Metric::precision) return (ratio(hits0, hits0 + wrong0) + ratio(hits1, hits1 + wrong1)) / 2;
    return ratio(hits0, rows[0] + hits0 + wrong0) + ratio(hits1, rows[1] + hits1 + wrong1);
  };
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t r = 0; r < truth_.size(); ++r)
    if (!std::isnan(probabilities_[2 * r])) order.emplace_back(probabilities_[2 * r + 1], r);
  std::sort(order.begin(), order.end(), std::greater<>());
  double hits1 = 0, wrong1 = 0, at_half = -1, best = -1, threshold = 0.5;
  for (std::size_t i = 0; i <= order.size(); ++i) {
    const double here = i < order.size() ? order[i].first : 0, above = i > 0 ? order[i - 1].first : 1;
    if (above > 0.5 && here <= 0.5) at_half = value(hits1, wrong1);
    // A row at the threshold is answered 1: no threshold leaves a row with p_1 = 1 out, and 0 takes all in. But 0.5
    // means the more probable class, which a row at 0.5 does not have.
    const double candidate = i == 0 ? 1 : between(here, above);
    const bool exists = (here < above || i == order.size()) && (candidate != 0.5 || above > 0.5);
    if (const double v = value(hits1, wrong1); exists && v > best) best = v, threshold = candidate;
    if (i == order.size()) break;
    (truth_[order[i].second] == 1 ? hits1 : wrong1) += weights_[order[i].second];
  }
  return best > at_half ? threshold : 0.5;
}

double Classification::value(Metric metric) const {
  for (const auto& [named, number] : numbers())
    if (named == name(metric)) return number;
  return nothing;
}

NamedNumbers Classification::numbers() const {
  return {{"accuracy", accuracy},
          {"balanced_accuracy", balanced_accuracy},
          {"precision", precision},
          {"recall", recall},
          {"f1", f1},
          {"roc_auc", roc_auc},
          {"pr_auc", pr_auc},
          {"log_loss", log_loss},
          {"calibration_error", calibration_error}};
}

double TargetScores::value(Metric metric) const {
  for (const auto& [named, number] : numbers())
    if (named == name(metric)) return number;
  return nothing;
}

NamedNumbers TargetScores::numbers() const {
  return {{"R2", r2}, {"rms", rms}, {"absolute", absolute}, {"median_absolute", median_absolute}};
}

void NumberJudge::add(double target, double answer, double weight) {
  if (weight == 0) return;
  targets_.push_back(target), answers_.push_back(answer), weights_.push_back(weight);
}
void NumberJudge::add_unanswered(double target, double weight) { add(target, nothing, weight); }

TargetScores NumberJudge::scores() const {
  if (targets_.empty())
    return {nothing, nothing, nothing, nothing, {nothing, nothing, nothing, nothing, nothing}};
  double all = 0, mean = 0;
  for (std::size_t r = 0; r < targets_.size(); ++r)
    all += weights_[r], mean += weights_[r] * (targets_[r] - targets_[0]);
  mean = targets_[0] + mean / all;
  double squares = 0, absolute = 0, spread = 0;
  std::vector<std::pair<double, double>> errors, sizes;
  for (std::size_t r = 0; r < targets_.size(); ++r) {
    const double error = (std::isnan(answers_[r]) ? mean : answers_[r]) - targets_[r],
                 off = targets_[r] - mean;
    squares += weights_[r] * error * error, absolute += weights_[r] * std::abs(error);
    spread += weights_[r] * off * off;
    errors.emplace_back(error, weights_[r]), sizes.emplace_back(std::abs(error), weights_[r]);
  }
  std::sort(errors.begin(), errors.end());
  std::sort(sizes.begin(), sizes.end());
  TargetScores result{.r2 = spread > 0 ? 1 - squares / spread : nothing,
                      .rms = std::sqrt(squares / all),
                      .absolute = absolute / all,
                      .median_absolute = quantile(sizes, 0.5)};
  for (std::size_t k = 0; k < error_quantiles.size(); ++k)
    result.quantiles[k] = quantile(errors, error_quantiles[k]);
  return result;
}

}  // namespace irn
