#include "apps/irn/train_run.h"

#include "irn/data/table_words.h"
#include "irn/train/unseen_inputs.h"

namespace irn::app {
namespace {

FitOptions fit_options_for(const TrainSettings& settings, const Encoding& encoding, std::size_t rows) {
  FitOptions options = settings.fit_options(encoding.task, rows);
  const bool two_classes = encoding.task == Task::classification && encoding.target_width() == 2;
  if (!two_classes && settings.threshold != TrainSettings{}.threshold)
    throw Error("--threshold: is for two classes, which the target is not");
  if (of_numbers(options.metric)) options.units = units_of(encoding);
  options.image = encoding.image;
  named("--augment", [&] {
    if (!options.augmentation.none() && options.image.none())
      throw Error("is for images; say what shape they have, as in --images 28x28");
    if (!options.image.none()) check_augmentation(options.augmentation, options.image);
  });
  return options;
}

template <class T>
NetworkOf<T> first_network(const TrainSettings& settings, const TrainingTable& table,
                           const TrainingData<T>& data) {
  if (!table.from) {
    const Encoding& encoding = data.encoding;
    NetworkOf<T> network(
        settings.network_architecture(encoding.input_width(), encoding.target_width(), encoding.image),
        settings.network_start(), settings.seed);
    clear_unseen_inputs(network, *data.training);
    return network;
  }
  return std::visit(
      [](const auto& model) {
        const auto parameters = model.network.parameters();
        std::vector<T> values;
        for (const auto value : parameters) values.push_back(static_cast<T>(value));
        return NetworkOf<T>(model.network.architecture(), std::move(values));
      },
      *table.from);
}

}  // namespace

template <class T>
TrainRun<T>::TrainRun(TrainSettings& settings, const TrainingTable& table,
                      std::span<const std::uint64_t> rows, ThreadPool& threads)
    : settings_(settings),
      threads_(threads),
      data_(prepare_data<T>(settings, table, rows)),
      options_(fit_options_for(settings, data_.encoding, data_.training->size())),
      network_(first_network<T>(settings, table, data_)),
      class_weighted_(
          named("--class-weights",
                [&] { return class_weighting<T>(*data_.training, data_.encoding, settings.class_weights); })),
      fit_(network_, class_weighted_ ? *class_weighted_ : static_cast<const Samples<T>&>(*data_.training),
           &judges(), options_, threads) {
  if (const std::optional<double> threshold = settings.fixed_threshold())
    data_.encoding.threshold = *threshold;
}

template <class T>
NetworkOf<T> TrainRun<T>::best_network() const {
  NetworkOf<T> best = network_;
  fit_.best().put_into(best);
  return best;
}

template <class T>
Assessment TrainRun<T>::judge_best() {
  const NetworkOf<T> best = best_network();
  Settler<T> settler(best, for_answers(settling()), threads_);
  if (!settings_.fixed_threshold())
    data_.encoding.threshold = judged<T>(settle_outputs(settler, judges()), judges(), true, {})
                                   .classes->best_threshold(options_.metric);
  return assess<T>(settler, judges(), data_.encoding, options_.training.loss);
}

template class TrainRun<float>;
template class TrainRun<double>;

}  // namespace irn::app
