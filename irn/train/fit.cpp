#include "irn/train/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/network/check_inputs.h"

namespace irn {
namespace {

using Clock = std::chrono::steady_clock;

// Streams of the seed: blocks of parameters use the low ones (Network), epochs these.
constexpr std::uint64_t first_epoch_stream = std::uint64_t{1} << 32;

void check(const FitOptions& options, std::size_t samples) {
  if (samples == 0) throw Error("there are no samples to train on");
  if (options.batch == 0) throw Error("a batch needs at least one sample");
  if (options.epochs == 0) throw Error("training needs at least one epoch");
  if (!(options.least_settled >= 0 && options.least_settled <= 1))
    throw Error("least_settled is a share: 0 to 1");
  if (!(options.noise >= 0 && std::isfinite(options.noise))) throw Error("noise is a deviation: 0 or more");
  if (!(options.average >= 0 && options.average < 1)) throw Error("average: give 0 (none) to below 1");
  if (!options.augmentation.none() && options.image.none())
    throw Error("augmentation is for images, and nothing says what shape they have");
  check_schedule(options.training.schedule);
  if (options.threshold != 0.5 && !of_classes(heads_of(options.training).front().loss))
    throw Error("a threshold is for classes");
  if (options.metric == Metric::loss) return;
  const std::vector<Head> heads = heads_of(options.training);
  if (heads.size() != 1 || heads.front().layer != 0)
    throw Error("a metric judges one head on the last layer; with others the loss does");
  if (of_classes(options.metric) != of_classes(heads.front().loss))
    throw Error("the metric " + std::string(name(options.metric)) + " is for " +
                (of_classes(options.metric) ? "classes" : "numbers") + ", and the targets are " +
                (of_classes(options.metric) ? "numbers" : "classes"));
}

// Some metrics have no value for these rows, whatever the answers: then no weights could be called the best.
template <class T>
void check_metric(const FitOptions& options, const Samples<T>& judges) {
  if (options.metric == Metric::loss) return;
  const bool classes = of_classes(options.metric);
  const std::size_t width = judges.targets();
  const Equilibria<T> unanswered{width, std::vector<T>(judges.size() * width),
                                 std::vector<Verdict>(judges.size())};
  if (!std::isnan(judged<T>(unanswered, judges, classes, {}).value(options.metric))) return;
  const std::string metric = "the metric " + std::string(name(options.metric));
  if (classes && width > ClassJudge::most_classes_for_areas)
    throw Error(metric + " is for up to " + std::to_string(ClassJudge::most_classes_for_areas) +
                " classes, and there are " + std::to_string(width) + "; take another");
  throw Error(metric + " has no value over the rows that judge: " +
              (classes ? "they are all of one class" : "a target is the same in all of them") +
              "; hold out others, or take another metric");
}

// The record needs the gradient's norm, which the trainer computes only for clipping.
TrainOptions with_norm(TrainOptions options) {
  if (options.clip == 0) options.clip = std::numeric_limits<double>::infinity();
  return options;
}

template <class T>
std::optional<AugmentedSamples<T>> augmented(const Samples<T>& samples, const FitOptions& options) {
  if (options.augmentation.none() || options.image.none()) return {};
  return AugmentedSamples<T>(samples, options.augmentation, options.image, options.seed);
}

double rate_of(const OptimiserOptions& options) {
  return std::visit([](const auto& o) { return o.rate; }, options);
}

}  // namespace

template <class T>
Fit<T>::Fit(NetworkOf<T>& network, const Samples<T>& training, const Samples<T>* validation,
            const FitOptions& options, ThreadPool& threads)
    : network_(&network),
      training_(&training),
      threads_(&threads),
      augmented_(augmented(training, options)),
      noisy_(augmented_ ? *augmented_ : training, options.noise, options.seed),
      dropped_(noisy_, network.architecture(), options.training.dropout, options.seed),
      judges_(validation ? validation : &training),
      options_(options),
      trainer_(network, with_norm(options.training), threads),
      settler_(network, settling_of(gradient_of(options.training)), threads) {
  check(options, training.size());
  const Heads heads(network.architecture(), heads_of(options.training));
  for (const Samples<T>* samples : {training_, judges_}) {
    check_inputs(*samples, network.architecture());
    heads.check_targets(samples->targets());
  }
  check_metric(options, *judges_);
  options_.batch = std::min(options_.batch, training.size());
  trainer_.stay_on_device();
  start_epoch();
}

template <class T>
void Fit<T>::start_epoch() {
  sums_ = {};
  order_ = Stream(options_.seed, first_epoch_stream + records_.size()).permutation(training_->size());
  noisy_.set_epoch(records_.size());
  dropped_.set_epoch(records_.size());
  if (augmented_) augmented_->set_epoch(records_.size());
}

template <class T>
StepReport Fit<T>::step() {
  if (ended_) throw Error("this training has ended: there is no further step");
  clock_ = Clock::now();
  const std::size_t start = sums_.steps * options_.batch,
                    size = std::min(options_.batch, order_.size() - start);
  const auto index = std::span<const std::uint64_t>(order_).subspan(start, size);
  if (augmented_) batch_.fill(dropped_, index, *threads_);
  const StepReport report = augmented_ ? trainer_.step(batch_, batch_.all()) : trainer_.step(dropped_, index);
  if (report.applied) take_into_average();
  count(report);
  ended_ = what_went_wrong(sums_);
  if (ended_ == FitEnd::not_finite)
    trainer_.bring_back();
  else if (sums_.steps == steps_per_epoch())
    end_epoch();
  return report;
}

template <class T>
void Fit<T>::take_into_average() {
  if (options_.average == 0) return;
  trainer_.bring_parameters();
  const double t = double(trainer_.steps());
  const std::span<const T> parameters = std::as_const(*network_).parameters();
  if (average_.empty()) average_.assign(parameters.begin(), parameters.end());
  const T share = static_cast<T>(1 - std::min(options_.average, t / (t + 9)));
  threads_->for_ranges(average_.size(), numbers_worth_a_thread, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) average_[i] += share * (parameters[i] - average_[i]);
  });
}

template <class T>
const NetworkOf<T>& Fit<T>::judged_network() {
  if (average_.empty()) return *network_;
  if (!averaged_) averaged_.emplace(*network_);
  averaged_->set_parameters(average_);
  trainer_.certify(*averaged_);
  return *averaged_;
}

template <class T>
void Fit<T>::count(const StepReport& report) {
  ++sums_.steps;
  sums_.samples += report.samples;
  sums_.settled += report.settled;
  sums_.counted += report.counted;
  sums_.used += report.used;
  sums_.weight += report.weight;
  sums_.counted_weight += report.counted_weight;
  if (report.counted > 0) sums_.loss += report.loss * report.counted_weight;
  sums_.evaluations += report.mean_evaluations * double(report.samples);
  sums_.gradient_norm += report.gradient_norm;
  sums_.rate = rate_of(options_.training.optimiser) *
               rate_factor(options_.training.schedule, trainer_.steps() - (report.applied ? 1 : 0));
  const Clock::time_point now = Clock::now();
  sums_.seconds += std::chrono::duration<double>(now - clock_).count();
  clock_ = now;
}

template <class T>
void Fit<T>::end_epoch() {
  trainer_.certify();
  const NetworkOf<T>& network = judged_network();
  settler_.update(network);
  const double steps = double(sums_.steps), samples = double(sums_.samples);
  EpochRecord record{.epoch = records_.size() + 1,
                     .loss = sums_.loss / sums_.counted_weight,
                     .settled = double(sums_.settled) / samples,
                     .evaluations = sums_.evaluations / samples,
                     .gradient_norm = sums_.gradient_norm / steps,
                     .rate = sums_.rate};
  record.best = judge(record, network);
  record.seconds = sums_.seconds + std::chrono::duration<double>(Clock::now() - clock_).count();
  records_.push_back(record);
  if (ended_) return;
  start_epoch();
  ended_ = why_ended();
}

template <class T>
bool Fit<T>::judge(EpochRecord& record, const NetworkOf<T>& network) {
  const Metric metric = options_.metric;
  const std::vector<Head> heads = heads_of(options_.training);
  const bool by_loss = metric == Metric::loss, plain = by_loss && options_.threshold == 0.5;
  Equilibria<T> answers{1, {}, {}};
  const Evaluation evaluation = evaluate(settler_, *judges_, heads, plain ? nullptr : &answers);
  record.validation_loss = evaluation.loss;
  record.validation_settled = evaluation.summary.settled_share();
  record.score = evaluation.score;
  if (!plain)
    record.score =
        judged<T>(answers, *judges_, by_loss || of_classes(metric), options_.units, options_.threshold)
            .value(by_loss ? Metric::accuracy : metric);
  if (by_loss) return best_.consider(network, evaluation);
  return best_.consider_cost(network, larger_is_better(metric) ? -record.score : record.score);
}

// From the sums alone, which are part of the state, so that a restored fit knows it, too.
template <class T>
std::optional<FitEnd> Fit<T>::what_went_wrong(const EpochSums& sums) const {
  if (!std::isfinite(sums.loss)) return FitEnd::not_finite;
  if (sums.steps < steps_per_epoch()) return {};
  if (sums.counted_weight / sums.weight < options_.least_settled) return FitEnd::unsettled;
  if (sums.used == 0) return FitEnd::no_gradient;
  return {};
}

template <class T>
std::optional<FitEnd> Fit<T>::why_ended() const {
  if (options_.patience > 0 && records_.size() >= best_epoch() + options_.patience) return FitEnd::patience;
  if (records_.size() >= options_.epochs) return FitEnd::all_epochs;
  return {};
}

template <class T>
std::size_t Fit<T>::best_epoch() const {
  const auto last = std::find_if(records_.rbegin(), records_.rend(), [](const auto& r) { return r.best; });
  return last == records_.rend() ? 0 : last->epoch;
}

template <class T>
FitState<T> Fit<T>::state() const {
  trainer_.bring_back();
  const std::span<const T> parameters = std::as_const(*network_).parameters();
  return {.sums = sums_,
          .records = records_,
          .parameters = {parameters.begin(), parameters.end()},
          .optimiser = trainer_.state(),
          .best = best_,
          .average = average_};
}

template <class T>
void Fit<T>::restore(FitState<T> state) {
  const std::optional<FitEnd> wrong = what_went_wrong(state.sums);
  const bool others = state.sums.samples != std::min(state.sums.steps * options_.batch, training_->size());
  if (others || (state.sums.steps == steps_per_epoch() && !wrong))
    throw Error("the state is of a training with other samples or another batch size");
  network_->set_parameters(state.parameters);
  trainer_.restore(std::move(state.optimiser));
  if (!state.average.empty() && state.average.size() != state.parameters.size())
    throw Error("the state's mean of the weights is of another network");
  average_ = std::move(state.average);
  best_ = std::move(state.best);
  records_ = std::move(state.records);
  start_epoch();
  sums_ = state.sums;
  ended_ = sums_.steps == 0 && !records_.empty() ? why_ended() : wrong;
}

template class Fit<float>;
template class Fit<double>;

}  // namespace irn
