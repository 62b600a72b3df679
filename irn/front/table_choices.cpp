#include "irn/front/table_choices-inl.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/data/scaling.h"
#include "irn/data/table_words.h"
#include "irn/train/image_architecture.h"

namespace irn {
namespace {

Scaling scaling_of(const std::string& text, bool images) {
  if (text == "auto") return images ? Scaling::common : Scaling::columns;
  const auto found = std::find(scaling_names.begin(), scaling_names.end(), text);
  if (found == scaling_names.end()) throw Error(unknown_name("scaling", text, scaling_names));
  return static_cast<Scaling>(found - scaling_names.begin());
}

OptimiserOptions optimiser_of(const TableTrainingOptions& options, const TrainDefaults& defaults) {
  OptimiserOptions chosen = from_text<OptimiserOptions>(
      options.optimiser == "auto" ? defaults.optimiser : std::string_view(options.optimiser));
  if (options.rate < 0) throw Error("rate: a rate is not negative; 0 leaves it to the optimiser");
  if (options.rate != 0) std::visit([&](auto& o) { o.rate = options.rate; }, chosen);
  return chosen;
}

Loss loss_for(Task task, const TableTrainingOptions& options, const TrainDefaults& defaults) {
  const Loss loss = from_text<Loss>(options.loss == "auto" ? defaults.loss : std::string_view(options.loss));
  if (const std::string why = loss_misfit(task, loss); !why.empty()) throw Error("loss: " + why);
  return loss;
}

double noise_of(const TableTrainingOptions& options, const TrainDefaults& defaults) {
  const double noise = options.noise.value_or(defaults.noise);
  if (!(noise >= 0 && noise <= most_noise))
    throw Error("noise: " + write_value(noise) +
                " is no deviation for inputs that vary by about 1; give 0 (none) to " +
                write_value(most_noise));
  return noise;
}

double certificate_of(const TableTrainingOptions& options, const Architecture& architecture) {
  const double bound = options.certify.value_or(default_certificate(architecture, options.gradient.value()));
  if (!(bound >= 0 && bound < 1)) throw Error("certify: give a bound from 0 (none) to below 1");
  return bound;
}

double pull_of(const TableTrainingOptions& options, double certificate) {
  if (!(options.pull >= 0 && options.pull < 1)) throw Error("pull: give a bound from 0 (none) to below 1");
  if (options.pull > 0 && certificate > 0)
    throw Error("pull: is for networks without a certificate; set certify to 0, or leave it out");
  return options.pull;
}

std::size_t steps_of(std::size_t epochs, std::size_t samples, std::size_t batch) {
  const std::size_t in_epoch = std::max<std::size_t>(1, samples / batch + (samples % batch != 0));
  if (epochs > std::numeric_limits<std::size_t>::max() / in_epoch)
    throw Error("epochs: " + std::to_string(epochs) + " are more than can be counted");
  return epochs * in_epoch;
}

Augmentation augmentation_of(const TableTrainingOptions& options, const TableFacts& facts,
                             const TrainDefaults& defaults) {
  return named("augment", [&] {
    const auto chosen = from_text<Augmentation>(
        options.augment == "auto" ? defaults.augment : std::string_view(options.augment));
    if (!chosen.none() && facts.image.none())
      throw Error("is for images; say what shape they have, as in images = 28x28");
    if (!facts.image.none()) check_augmentation(chosen, facts.image);
    return chosen;
  });
}

TrainDefaults defaults_of(const TableTrainingOptions& options, const TableFacts& facts) {
  const auto filters = [&] {
    if (!options.architecture.empty()) return has_convolutions(from_text<Architecture>(options.architecture));
    return options.convolutions == "auto" ? !options.layers.has_value() : options.convolutions != "none";
  };
  return train_defaults(facts, filters());
}

}  // namespace

Encoding encoding_for(const Frame& table, const TableTrainingOptions& options,
                      std::optional<std::span<const std::uint64_t>> rows) {
  Encoding encoding = fit_encoding(table, options.encoding, rows);
  encoding.image = named("images", [&] { return image_of(encoding, table, options.images); });
  scale_inputs(encoding, scaling_of(options.scaling, is_images(table, options.images)));
  return encoding;
}

double share_of(const TableTrainingOptions& options, std::size_t rows) {
  const double share = options.validation.value_or(default_validation(rows));
  if (!(share >= 0 && share < 1))
    throw Error("validation: " + write_value(share) + " is no share of the rows; give 0 to below 1");
  return share;
}

Architecture architecture_of(const TableTrainingOptions& options, const TableFacts& facts) {
  if (!options.architecture.empty()) {
    if (options.convolutions != "auto" && options.convolutions != "none")
      throw Error("convolutions: architecture says what the whole network is; give one of the two");
    if (options.layers)
      throw Error("layers: architecture says what the whole network is; give one of the two");
    return named("architecture", [&] {
      return given_architecture(options.architecture, facts.inputs, facts.outputs, facts.image);
    });
  }
  const TrainDefaults defaults = defaults_of(options, facts);
  const auto activation =
      options.activation == "auto" ? defaults.activation : std::string_view(options.activation);
  const auto convolutions =
      options.convolutions == "auto" ? defaults.convolutions : std::string_view(options.convolutions);
  if (convolutions == "none")
    return table_architecture(facts.inputs, options.layers.value_or(std::vector{defaults.layer}), activation,
                              facts.outputs, options.recurrence);
  if (facts.image.none())
    throw Error("convolutions: is for images; say what shape they have, as in images = 28x28");
  const auto with = [&](std::string_view connections) {
    return image_architecture(facts.image, convolutions, options.layers.value_or(std::vector<std::size_t>()),
                              activation, facts.outputs, connections);
  };
  named("convolutions", [&] { return with("none"); });  // so that a mistake is reported for its own option
  return named("recurrence", [&] { return with(options.recurrence); });
}

FitOptions fit_options(const TableTrainingOptions& options, const TableFacts& facts,
                       const Architecture& architecture, std::size_t samples) {
  const TrainDefaults defaults = defaults_of(options, facts);
  if (!(options.clip >= 0)) throw Error("clip: a norm is not negative; 0 does not clip");
  FitOptions fit{.batch = options.batch.value_or(defaults.batch),
                 .patience = options.patience,
                 .noise = noise_of(options, defaults),
                 .augmentation = augmentation_of(options, facts, defaults),
                 .image = facts.image,
                 .average = options.average.value_or(defaults.average),
                 .seed = options.seed,
                 .least_settled = options.least_settled};
  fit.metric = metric_named(options.metric);
  if (fit.batch == 0) throw Error("batch: a batch needs at least one sample");
  fit.epochs = options.epochs.value_or(default_epochs(facts, fit.batch));
  if (fit.epochs == 0) throw Error("epochs: training needs at least one epoch");
  TrainOptions& training = fit.training;
  training.optimiser = optimiser_of(options, defaults);
  training.schedule = lasting(options.schedule.value(), steps_of(fit.epochs, samples, fit.batch));
  training.loss = loss_for(facts.task, options, defaults);
  training.clip = options.clip;
  training.certify = certificate_of(options, architecture);
  training.pull = pull_of(options, training.certify);
  training.dropout = options.dropout;
  training.normalise = options.normalise;
  training.gradient.gradient = options.gradient.value();
  training.gradient.settle = {
      .solver = options.solver.value(), .tolerance = options.tolerance, .device = options.device.value()};
  training.gradient.settle = settling_of(training.gradient);
  return fit;
}

double threshold_of(const TableTrainingOptions& options, const Encoding& encoding) {
  const double threshold = options.threshold.value_or(0.5);
  if (!(threshold >= 0 && threshold <= 1))
    throw Error("threshold: " + write_value(threshold) + " is no probability; give 0 to 1");
  const bool two_classes = encoding.task == Task::classification && encoding.target_width() == 2;
  if (!two_classes && options.threshold != 0.5)
    throw Error("threshold: is for two classes, which the target is not");
  return threshold;
}

}  // namespace irn
