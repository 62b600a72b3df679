#include "apps/irn/cross_validation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "apps/irn/train_run.h"
#include "experiments/statistics.h"
#include "irn/data/category-inl.h"

namespace irn::app {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_folds = 5000;  // each is a training that stores numbers for all rows

std::vector<double> column_values(const TrainingTable& table, const std::string& name, const char* option) {
  const std::size_t column = table.frame->find(name);
  std::vector<double> values;
  for (const std::uint64_t row : table.rows) {
    values.push_back(table.frame->row(row)[column]);
    if (std::isnan(values.back()))
      throw DataError(table.frame->place(row) + ", column '" + name + "': a missing value; fill it in",
                      option);
  }
  return values;
}

std::vector<Fold> folds_of(const FoldSettings& s, const TrainingTable& table, std::uint64_t seed) {
  const std::string split = s.chosen_split(*table.options.task);
  if (split == "leave-one-out") return leave_one_out(table.rows);
  if (split == "group") return group_folds(table.rows, s.folds, seed, column_values(table, s.group, "group"));
  if (split == "time") {
    const std::size_t column = table.frame->find(s.order);
    const std::optional<Reading> reading = reading_in(*table.frame, column, table.options).reading;
    if (!reading)
      throw DataError(table.frame->source() + ", column '" + s.order +
                          "': holds text, which has no order in time; "
                          "name a column of numbers or dates",
                      "order");
    std::vector<double> times = column_values(table, s.order, "order");
    const ColumnNumbers numbers(*table.frame, column, *reading);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = numbers(table.frame->row(table.rows[i]));
    return ordered_folds(table.rows, s.folds, times);
  }
  if (split == "random") return dealt_folds(table.rows, s.folds, seed);
  return dealt_folds(table.rows, s.folds, seed,
                     column_values(table, table.options.targets.front(), "target"));
}

// Rows of the table as samples, and their targets as in the table.
class Truth {
 public:
  explicit Truth(const TrainingTable& table) : frame_(*table.frame), classes_(table.options.classes) {
    for (const std::string& name : table.options.targets) {
      columns_.push_back(frame_.find(name));
      numbers_.emplace_back(
          frame_, columns_.back(),
          reading_in(frame_, columns_.back(), table.options).reading.value_or(Reading::number));
    }
  }
  std::vector<double> of(std::uint64_t row) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      values.push_back(classes_.empty() ? numbers_[k](frame_.row(row))
                                        : place_of_class(frame_.row(row)[columns_[k]], columns_[k]));
    return values;
  }

 private:
  double place_of_class(double stored, std::size_t column) const {
    const FrameColumn& of = frame_.columns()[column];
    const std::string name = of.text ? of.categories[static_cast<std::size_t>(stored)] : in_words(stored);
    return double(std::find(classes_.begin(), classes_.end(), name) - classes_.begin());
  }

  const Frame& frame_;
  const std::vector<std::string>& classes_;
  std::vector<std::size_t> columns_;
  std::vector<ColumnNumbers> numbers_;
};

template <class T>
std::vector<RowAnswer> unanswered(const EncodedSamples<T>& samples, const TrainingTable& table) {
  const Truth truth(table);
  std::vector<RowAnswer> rows(samples.size());
  T weight = 1;
  for (std::uint64_t s = 0; s < samples.size(); ++s) {
    samples.weights({&s, 1}, &weight);
    rows[s] = {.row = samples.row(s), .weight = double(weight), .targets = truth.of(samples.row(s))};
    rows[s].prediction.verdict.outcome = Outcome::not_finite;
  }
  return rows;
}

template <class T>
void answer(const TrainRun<T>& run, const EncodedSamples<T>& samples, ThreadPool& threads,
            std::vector<RowAnswer>& rows) {
  const NetworkOf<T> best = run.best_network();
  const Encoding& encoding = run.data().encoding;
  Settler<T> settler(best, for_answers(run.settling()), threads);
  const Equilibria<T> answers = settle_outputs(settler, samples);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    Prediction& prediction = rows[s].prediction;
    decode<T>(encoding, answers.state(s), answers.verdicts[s], Unsettled::empty, prediction);
    if (encoding.task == Task::classification && prediction.answered())
      rows[s].answer = answer_of(prediction.probabilities, encoding.threshold);
    prediction.label = {};  // it refers to an encoding that ends here
  }
}

template <class T>
FoldResult run_fold_in(TrainSettings settings, const TrainingTable& table, const FoldJob& job,
                       const std::atomic<bool>& stop) {
  const auto start = std::chrono::steady_clock::now();
  ThreadPool threads(1);
  settings.seed += job.repeat - 1;
  TrainRun<T> run(settings, table, job.fold.training, threads);
  while (!run.fit().ended()) {
    if (stop.load(std::memory_order_relaxed)) throw FoldInterrupted{};
    run.fit().step();
  }
  FoldResult result{.repeat = job.repeat,
                    .number = job.number,
                    .training_rows = job.fold.training.size(),
                    .epochs = run.fit().records().size(),
                    .best_epoch = run.fit().best_epoch(),
                    .diverged = went_wrong(*run.fit().ended())};
  const bool usable = !run.fit().best().empty();
  if (usable) run.judge_best();  // chooses the threshold
  const EncodedSamples<T> test =
      unseen_samples<T>(*table.frame, run.data().encoding, job.fold.test, settings.weights);
  result.answers = unanswered(test, table);
  if (usable) answer(run, test, threads, result.answers);
  result.assessment = assess_answers(result.answers, table);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// A metric's interval does not leave the range of the metric.
FoldMean within_bounds(FoldMean mean, const std::string& metric) {
  const bool r2 = metric.starts_with("R2");
  const bool share =
      r2 || (metric != name(Metric::log_loss) && std::find(metric_names.begin(), metric_names.end(), metric) <
                                                     metric_names.begin() + std::ptrdiff_t(Metric::r2));
  if (!r2) mean.low = std::max(mean.low, 0.0);
  if (share) mean.high = std::min(mean.high, 1.0);
  return mean;
}

double named(const NamedNumbers& numbers, const std::string& wanted) {
  for (const auto& [key, value] : numbers)
    if (key == wanted) return value;
  return nothing;
}

}  // namespace

void FoldSettings::declare(Settings& settings) {
  settings.group("Folds")
      .add("folds", &folds, "Number of folds; each is answered by a model trained on the others")
      .add("repeats", &repeats, "How often the rows are divided into folds anew")
      .add("split", &split,
           "How rows are divided: auto, stratified, random, group, time, leave-one-out; auto: group or time "
           "if "
           "their column is named, else stratified for classes and random for numbers")
      .add("group", &group,
           "Column whose equal values stay in one fold (patients, sites); it is not an input")
      .called("COLUMN")
      .add("order", &order,
           "Column of numbers to sort by; each part is answered by a model trained on what came before")
      .called("COLUMN");
}

std::string FoldSettings::chosen_split(Task task) const {
  const std::string standard = !group.empty()                 ? "group"
                               : !order.empty()               ? "time"
                               : task == Task::classification ? "stratified"
                                                              : "random";
  const std::string chosen = choose<std::string>("split", split,
                                                 {{"auto", standard},
                                                  {"stratified", "stratified"},
                                                  {"random", "random"},
                                                  {"group", "group"},
                                                  {"time", "time"},
                                                  {"leave-one-out", "leave-one-out"}});
  if (chosen == "group" && group.empty()) throw Error("--split group: name the column with --group");
  if (chosen == "time" && order.empty()) throw Error("--split time: name the column with --order");
  if (chosen != "group" && !group.empty()) throw Error("--group: is for --split group, not " + chosen);
  if (chosen != "time" && !order.empty()) throw Error("--order: is for --split time, not " + chosen);
  if (chosen == "stratified" && task != Task::classification)
    throw Error("--split stratified: is for classes, and the target is a number; take random");
  if ((chosen == "time" || chosen == "leave-one-out") && repeats > 1)
    throw Error("--repeats: there is one way only to split by " + chosen);
  return chosen;
}

std::vector<FoldJob> make_folds(const FoldSettings& settings, const TrainingTable& table,
                                std::uint64_t seed) {
  if (settings.repeats == 0) throw Error("--repeats: give 1 or more");
  std::vector<FoldJob> jobs;
  for (std::size_t repeat = 1; repeat <= settings.repeats; ++repeat) {
    std::vector<Fold> folds = folds_of(settings, table, seed + repeat - 1);
    if (folds.size() * settings.repeats > most_folds)
      throw Error(std::to_string(folds.size() * settings.repeats) + " trainings are more than " +
                  std::to_string(most_folds) + "; take fewer folds or repeats");
    for (std::size_t f = 0; f < folds.size(); ++f) jobs.push_back({repeat, f + 1, std::move(folds[f])});
  }
  return jobs;
}

FoldResult run_fold(const TrainSettings& settings, const TrainingTable& table, const FoldJob& job,
                    const std::atomic<bool>& stop) {
  return settings.in_double() ? run_fold_in<double>(settings, table, job, stop)
                              : run_fold_in<float>(settings, table, job, stop);
}

Assessment assess_answers(const std::vector<RowAnswer>& answers, const TrainingTable& table) {
  const std::size_t classes = table.options.classes.size(),
                    targets = classes ? 0 : table.options.targets.size();
  constexpr std::size_t most_points = 1000, most_curves = 10;
  const std::size_t every = std::max<std::size_t>(1, answers.size() / most_points);
  ClassJudge judge(classes);
  std::vector<NumberJudge> numbers(targets);
  std::vector<Verdict> verdicts;
  Assessment result{.loss = nothing, .points = std::vector<std::vector<AnswerPoint>>(targets)};
  for (std::size_t r = 0; r < answers.size(); ++r) {
    const RowAnswer& row = answers[r];
    const bool answered = row.prediction.answered();
    verdicts.push_back(row.prediction.verdict);
    if (classes)
      judge.add(static_cast<std::size_t>(row.targets[0]),
                answered ? std::span<const double>(row.prediction.probabilities) : std::span<const double>(),
                row.weight, row.answer);
    for (std::size_t k = 0; k < targets; ++k) {
      if (!answered) numbers[k].add_unanswered(row.targets[k], row.weight);
      if (answered) numbers[k].add(row.targets[k], row.prediction.values[k], row.weight);
      if (answered && r % every == 0) result.points[k].push_back({row.targets[k], row.prediction.values[k]});
    }
  }
  result.summary = summarise(verdicts);
  for (const NumberJudge& target : numbers) result.targets.push_back(target.scores());
  if (classes) result.classes = judge.scores();
  for (std::size_t k = 0; k < classes && classes <= most_curves; ++k)
    result.roc.push_back(judge.roc_curve(k));
  return result;
}

Encoding plain_targets(const TrainingTable& table) {
  Encoding encoding{.task = *table.options.task};
  for (const std::string& name : table.options.targets)
    encoding.targets.push_back({name, table.options.classes});
  return encoding;
}

FoldMean mean_over_folds(const std::vector<FoldResult>& results, const std::string& metric,
                         const Encoding& encoding) {
  std::vector<double> values;
  double ratio = 0;
  for (const FoldResult& result : results) {
    const double value = named(result.assessment.numbers(encoding), metric);
    if (std::isnan(value)) continue;
    values.push_back(value);
    ratio += double(result.answers.size()) / double(result.training_rows);
  }
  if (values.empty()) return {nothing, nothing, nothing};
  const experiments::Estimate e = experiments::estimate(values);
  const double half =
      values.size() > 1 ? e.half_width * std::sqrt(1 + ratio) : nothing;  // n (1 / n + ratio / n)
  return std::isnan(half) ? FoldMean{e.mean, nothing, nothing}
                          : within_bounds({e.mean, e.mean - half, e.mean + half}, metric);
}

}  // namespace irn::app
