#include "irn/model/assess.h"

#include <algorithm>

#include "irn/train/score.h"

namespace irn {
namespace {

constexpr std::size_t most_curves = 10;

template <class T>
std::vector<std::vector<AnswerPoint>> some_points(const Equilibria<T>& answers, const Samples<T>& samples,
                                                  std::span<const Unit> units, std::size_t most) {
  std::vector<std::vector<AnswerPoint>> points(units.size());
  std::vector<T> wanted(samples.targets());
  const std::size_t every = std::max<std::size_t>(1, samples.size() / std::max<std::size_t>(1, most));
  for (std::uint64_t s = 0; s < samples.size(); s += every) {
    if (!answers.answered(s)) continue;
    samples.targets_as_rows({&s, 1}, wanted.data());
    for (std::size_t k = 0; k < units.size(); ++k)
      points[k].push_back({units[k].of(double(wanted[k])), units[k].of(double(answers.state(s)[k]))});
  }
  return points;
}

}  // namespace

double Assessment::value(Metric metric) const {
  if (metric == Metric::loss) return loss;
  if (targets.empty()) return classes.value(metric);
  double sum = 0;
  for (const TargetScores& scores : targets) sum += scores.value(metric);
  return sum / double(targets.size());
}

NamedNumbers Assessment::numbers(const Encoding& encoding) const {
  if (targets.empty()) return classes.numbers();
  if (targets.size() == 1) return targets.front().numbers();
  NamedNumbers all = {{std::string(name(Metric::r2)), score()}};
  for (std::size_t k = 0; k < targets.size(); ++k)
    for (const auto& [name, number] : targets[k].numbers())
      all.emplace_back(name + "[" + encoding.targets[k].name + "]", number);
  return all;
}

Loss loss_of(Task task) { return task == Task::classification ? Loss(CrossEntropy{}) : Loss(SquaredLoss{}); }

std::vector<Unit> units_of(const Encoding& encoding) {
  std::vector<Unit> units;
  for (const EncodedColumn& target : encoding.targets) units.push_back({target.mean, target.scale});
  return units;
}

namespace {

template <class T>
Assessment assess_answers(const Equilibria<T>& answers, const Evaluation& evaluation,
                          const Samples<T>& samples, const Encoding& encoding, std::size_t most_points) {
  const bool classes = encoding.task == Task::classification;
  const std::vector<Unit> units = units_of(encoding);
  const Judged judges = judged<T>(answers, samples, classes, units, encoding.threshold);
  Assessment result{.loss = evaluation.loss, .summary = evaluation.summary};
  if (!classes) {
    for (const NumberJudge& target : judges.targets) result.targets.push_back(target.scores());
    result.points = some_points<T>(answers, samples, units, most_points);
    return result;
  }
  result.classes = judges.classes->scores();
  if (encoding.target_width() <= most_curves)
    for (std::size_t k = 0; k < encoding.target_width(); ++k)
      result.roc.push_back(judges.classes->roc_curve(k));
  return result;
}

}  // namespace

template <class T>
Assessment assess(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                  const std::optional<Loss>& loss, std::size_t most_points) {
  Equilibria<T> answers{1, {}, {}};
  const Evaluation evaluation =
      evaluate(settler, samples, {{.loss = loss.value_or(loss_of(encoding.task))}}, &answers);
  return assess_answers(answers, evaluation, samples, encoding, most_points);
}

template <class T>
Assessment assess_views(Settler<T>& settler, const Samples<T>& samples, const Encoding& encoding,
                        const Views& views, const std::optional<Loss>& loss, std::size_t most_points) {
  const bool classes = encoding.task == Task::classification;
  const Equilibria<T> answers = settle_views(settler, samples, views, classes ? encoding.target_width() : 0);
  const Evaluation evaluation = evaluate_answers(answers, samples, loss.value_or(loss_of(encoding.task)));
  return assess_answers(answers, evaluation, samples, encoding, most_points);
}

template Assessment assess_views(Settler<float>&, const Samples<float>&, const Encoding&, const Views&,
                                 const std::optional<Loss>&, std::size_t);
template Assessment assess_views(Settler<double>&, const Samples<double>&, const Encoding&, const Views&,
                                 const std::optional<Loss>&, std::size_t);

template Assessment assess(Settler<float>&, const Samples<float>&, const Encoding&,
                           const std::optional<Loss>&, std::size_t);
template Assessment assess(Settler<double>&, const Samples<double>&, const Encoding&,
                           const std::optional<Loss>&, std::size_t);

}  // namespace irn
