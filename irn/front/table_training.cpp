#include "irn/front/table_training.h"

#include <algorithm>
#include <variant>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/data/encoded_samples.h"
#include "irn/data/scaling.h"
#include "irn/data/split.h"
#include "irn/data/weighted_samples.h"
#include "irn/engine/devices.h"
#include "irn/front/network.h"
#include "irn/front/table_choices-inl.h"
#include "irn/model/train_metrics.h"
#include "irn/train/class_weighting.h"
#include "irn/train/unseen_inputs.h"

namespace irn {
namespace {

// Splits all usable rows, or those of each class alike.
template <class T>
Split split(const Frame& table, const EncodedSamples<T>& all, const Encoding& encoding, double share,
            std::uint64_t seed) {
  std::vector<std::uint64_t> rows(all.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = all.row(i);
  std::vector<double> classes;
  if (encoding.task == Task::classification)
    for (const std::size_t column = table.find(encoding.targets.front().name); const std::uint64_t row : rows)
      classes.push_back(table.row(row)[column]);
  Split parts = split_rows(rows, share, seed, classes);
  if (share > 0 && parts.held_out.empty())
    throw Error("validation: " + write_value(share) + " holds out none of " + std::to_string(rows.size()) +
                " rows; give a larger share, or 0");
  if (parts.training.empty())
    throw Error("validation: " + write_value(share) + " leaves no rows to train on");
  return parts;
}

void check_weights_of(const std::vector<double>& weights, std::size_t rows, const char* whose) {
  if (!weights.empty() && weights.size() != rows)
    throw Error("there are " + std::to_string(weights.size()) + " weights for " + std::to_string(rows) +
                " rows" + whose);
}

}  // namespace

struct TableTraining::Inside {
  virtual ~Inside() = default;
  virtual StepReport step() = 0;
  virtual std::optional<FitEnd> ended() const = 0;
  virtual const std::vector<EpochRecord>& records() const = 0;
  virtual std::size_t best_epoch() const = 0;
  virtual const FitOptions& options() const = 0;
  virtual const Architecture& architecture() const = 0;
  virtual std::size_t training_rows() const = 0;
  virtual std::size_t judging_rows() const = 0;
  virtual AnyModel model() const = 0;

  Encoding encoding;
  std::string task_reason;
  std::size_t dropped = 0;
};

namespace {

template <class T>
class InsideOf final : public TableTraining::Inside {
 public:
  InsideOf(Frame given, const TableTrainingOptions& options, TableTrainingData more)
      : table_(std::move(given)),
        judges_(std::move(more.judges)),
        asked_(with_task(with_weights(options, more))),
        rows_(choose_rows(more)),
        training_(table_, encoding, {.rows = rows_.training, .weights = options.weights}),
        weighted_(weighted(training_, more.weights)),
        class_weighted_(class_weighted()),
        network_(network_for(more.from)),
        options_(judged_as_asked(fit_options(asked_, facts(), network_.architecture(), training_.size()))) {
    if (judges_) check_weights_of(more.judge_weights, judges_->rows(), " to judge by");
    if (judges_)
      validation_.emplace(*judges_, encoding, Options{.weights = options.weights});
    else if (!rows_.held_out.empty())
      validation_.emplace(table_, unseen(encoding),
                          Options{.rows = rows_.held_out, .weights = options.weights});
    if (validation_) judge_weighted_ = weighted(*validation_, judges_ ? more.judge_weights : more.weights);
    const Samples<T>& judges = validation_ ? judging() : samples();
    fit_.emplace(network_, class_weighted_ ? *class_weighted_ : samples(),
                 validation_ || class_weighted_ ? &judges : nullptr, options_, shared_threads());
    encoding.threshold = options_.threshold;
  }

  StepReport step() override { return fit_->step(); }
  std::optional<FitEnd> ended() const override { return fit_->ended(); }
  const std::vector<EpochRecord>& records() const override { return fit_->records(); }
  std::size_t best_epoch() const override { return fit_->best_epoch(); }
  const FitOptions& options() const override { return fit_->options(); }
  const Architecture& architecture() const override { return network_.architecture(); }
  std::size_t training_rows() const override { return training_.size(); }
  std::size_t judging_rows() const override { return validation_ ? validation_->size() : 0; }

  AnyModel model() const override {
    if (fit_->best().empty())
      throw Error(fit_->records().empty() ? "there is no model before the end of the first epoch"
                                          : "in no epoch did any of the samples to judge by settle");
    NetworkOf<T> best = network_;
    fit_->best().put_into(best);
    SettleOptions settle = gradient_of(options_.training).settle;
    Settler<T> settler(best, for_answers(settle), shared_threads());
    settle.device = Device::cpu;  // a model runs on any
    const Samples<T>& judges = validation_ ? judging() : samples();
    Encoding own = encoding;
    if (!asked_.threshold)
      own.threshold = judged<T>(settle_outputs(settler, judges), judges, true, {})
                          .classes->best_threshold(options_.metric);
    const Assessment worth = assess<T>(settler, judges, own, options_.training.loss);
    return ModelOf<T>{.network = std::move(best),
                      .encoding = own,
                      .settle = settle,
                      .configuration = asked_.configuration,
                      .seed = asked_.seed,
                      .metrics = metrics_of(fit_->records(), fit_->best_epoch(), fit_->ended(),
                                            validation_.has_value(), options_, &worth, own),
                      .loss = options_.training.loss,
                      .augmentation = options_.augmentation};
  }

 private:
  using Options = typename EncodedSamples<T>::Options;
  using Weighted = std::unique_ptr<WeightedSamples<T>>;

  // The column of weights is not an input.
  static TableTrainingOptions with_weights(TableTrainingOptions options, const TableTrainingData& more) {
    if (options.weights.empty()) return options;
    if (!more.weights.empty() || !more.judge_weights.empty())
      throw Error("weights: there are weights in column '" + options.weights +
                  "' and beside the table; give one of them");
    if (std::count(options.encoding.excluded.begin(), options.encoding.excluded.end(), options.weights) == 0)
      options.encoding.excluded.push_back(options.weights);
    return options;
  }

  TableTrainingOptions with_task(TableTrainingOptions options) {
    if (options.encoding.task || options.encoding.targets.empty()) return options;
    const DetectedTask detected = detect_task(table_, options.encoding.targets);
    options.encoding.task = detected.task;
    task_reason = detected.reason;
    return options;
  }

  // Fits the encoding, too.
  Split choose_rows(const TableTrainingData& more) {
    check_weights_of(more.weights, table_.rows(), "");
    encoding = more.from ? std::visit([](const auto& m) { return m.encoding; }, *more.from)
                         : encoding_for(table_, asked_);
    const EncodedSamples<T> all(table_, encoding, {.weights = asked_.weights});
    dropped = all.dropped();
    usable_ = all.size();
    Split rows = split(table_, all, encoding, judges_ ? 0 : share_of(asked_, all.size()), asked_.seed);
    if (!more.from && !rows.held_out.empty()) fit_to(rows.training);
    return rows;
  }

  // Rows held out stand for unseen rows: means, deviations and texts come from the training rows. The classes
  // come from all rows, because what to tell apart is part of the question.
  void fit_to(std::span<const std::uint64_t> rows) {
    TableTrainingOptions options = asked_;
    if (encoding.task == Task::classification) options.encoding.classes = encoding.targets.front().categories;
    encoding = encoding_for(table_, options, rows);
  }

  // A text that no training row has counts as none of the known ones.
  static Encoding unseen(Encoding encoding) {
    encoding.unknown = Unknown::zeros;
    return encoding;
  }

  static Weighted weighted(const EncodedSamples<T>& samples, const std::vector<double>& weights) {
    if (weights.empty()) return nullptr;
    std::vector<T> own(samples.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<T>(weights[samples.row(i)]);
    return std::make_unique<WeightedSamples<T>>(samples, std::move(own));
  }
  // Class weights affect learning only; rows that judge count once each.
  std::unique_ptr<ClassWeighted<T>> class_weighted() const {
    try {
      return class_weighting<T>(samples(), encoding, asked_.class_weights);
    } catch (const Error& error) {
      throw Error(std::string("class_weights: ") + error.what());
    }
  }
  const Samples<T>& samples() const {
    return weighted_ ? *weighted_ : static_cast<const Samples<T>&>(training_);
  }
  const Samples<T>& judging() const {
    return judge_weighted_ ? *judge_weighted_ : static_cast<const Samples<T>&>(*validation_);
  }

  FitOptions judged_as_asked(FitOptions options) const {
    if (of_numbers(options.metric)) options.units = units_of(encoding);
    options.threshold = threshold_of(asked_, encoding);
    return options;
  }

  TableFacts facts() const {
    return {.task = encoding.task,
            .rows = usable_,
            .images = !encoding.image.none() || is_images(table_, asked_.images),
            .inputs = encoding.input_width(),
            .outputs = encoding.target_width(),
            .image = encoding.image};
  }

  NetworkOf<T> network_for(const AnyModel* from) const {
    if (!from) {
      NetworkOf<T> network(architecture_of(asked_, facts()), asked_.start, asked_.seed);
      clear_unseen_inputs(network, training_);
      return network;
    }
    if (const auto* model = std::get_if<ModelOf<T>>(from)) return model->network;
    throw Error("the model to go on with is of the other precision");
  }

  const Frame table_;
  const std::unique_ptr<const Frame> judges_;
  const TableTrainingOptions asked_;
  std::size_t usable_ = 0;
  const Split rows_;
  const EncodedSamples<T> training_;
  const Weighted weighted_;
  const std::unique_ptr<ClassWeighted<T>> class_weighted_;
  NetworkOf<T> network_;
  const FitOptions options_;
  std::optional<EncodedSamples<T>> validation_;
  Weighted judge_weighted_;
  std::optional<Fit<T>> fit_;
};

}  // namespace

TableTraining::TableTraining(Frame table, const TableTrainingOptions& options, TableTrainingData more) {
  check_device(options.device);
  if (options.precision == Precision::float32)
    inside_ = std::make_unique<InsideOf<float>>(std::move(table), options, std::move(more));
  else
    inside_ = std::make_unique<InsideOf<double>>(std::move(table), options, std::move(more));
}
TableTraining::~TableTraining() = default;
TableTraining::TableTraining(TableTraining&&) noexcept = default;

StepReport TableTraining::step() { return inside_->step(); }
std::optional<FitEnd> TableTraining::ended() const { return inside_->ended(); }
const std::vector<EpochRecord>& TableTraining::records() const { return inside_->records(); }
std::size_t TableTraining::best_epoch() const { return inside_->best_epoch(); }
const FitOptions& TableTraining::options() const { return inside_->options(); }
const Architecture& TableTraining::architecture() const { return inside_->architecture(); }
const Encoding& TableTraining::encoding() const { return inside_->encoding; }
std::size_t TableTraining::training_rows() const { return inside_->training_rows(); }
std::size_t TableTraining::judging_rows() const { return inside_->judging_rows(); }
std::size_t TableTraining::dropped_rows() const { return inside_->dropped; }
const std::string& TableTraining::task_reason() const { return inside_->task_reason; }
AnyModel TableTraining::model() const { return inside_->model(); }

}  // namespace irn
