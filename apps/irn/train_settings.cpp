#include "apps/irn/train_settings.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "apps/irn/device_setting.h"
#include "apps/irn/model_use.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/data/table_words.h"
#include "irn/train/image_architecture.h"
#include "irn/train/on_processor.h"

namespace irn::app {
namespace {

Schedule schedule_over(std::string_view text, std::size_t steps) {
  const Schedule schedule = lasting(from_text<Schedule>(text), steps);
  check_schedule(schedule);
  return schedule;
}

double noise_deviation(const std::string& text) {
  double value = 0;
  if (!read_value(text, value) || value < 0)
    throw Error("--noise: \"" + text + "\" is neither auto nor a number, zero or more");
  if (value > most_noise)
    throw Error("--noise: " + text + " drowns inputs that vary by about 1; give at most " +
                write_value(most_noise));
  return value;
}

Augmentation augmentation_of(const std::string& text) {
  return named("--augment", [&] { return from_text<Augmentation>(text); });
}

double average_of(const std::string& text) {
  double value = 0;
  if (!read_value(text, value) || !(value >= 0 && value < 1))
    throw Error("--average: \"" + text + "\" is neither auto nor a number from 0 (none) to below 1");
  return value;
}

// "64-32" is {64, 32}, "0" and "" are {}.
std::vector<std::size_t> layer_sizes(std::string_view text) {
  std::vector<std::size_t> sizes;
  for (std::string_view rest = text == "0" ? "" : text; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("-,"), rest.size());
    std::size_t size = 0;
    if (!read_value(rest.substr(0, end), size) || size == 0)
      throw Error(fmt::format(
          "--layers: \"{}\" is not a list of layers; write it like 64 or 64-32, or 0 for none", text));
    sizes.push_back(size);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return sizes;
}

OptimiserOptions with_rate(OptimiserOptions options, double rate) {
  if (rate != 0) std::visit([&](auto& o) { o.rate = rate; }, options);
  return options;
}

Loss loss_for(Task task, std::string_view text) {
  const Loss loss = from_text<Loss>(text);
  if (const std::string why = loss_misfit(task, loss); !why.empty()) throw Error("--loss: " + why);
  return loss;
}

double certificate_of(const std::string& text) {
  double bound = 0;
  if (!read_value(text, bound) || !(bound >= 0 && bound < 1))
    throw Error("--certify: \"" + text + "\" is neither auto nor a bound from 0 (none) to below 1");
  return bound;
}

void check_numbers(const TrainSettings& s) {
  if (!(s.pull >= 0 && s.pull < 1)) throw Error("--pull: give a bound from 0 (none) to below 1");
  if (s.pull > 0 && certificate_of(s.certify) > 0)
    throw Error("--pull is for networks without a certificate; add --certify 0, or leave it out");
  if (!(s.dropout >= 0 && s.dropout < 1))
    throw Error("--dropout: give a share of the hidden neurons, 0 to below 1");
  if (s.clip < 0) throw Error("--clip: a norm is not negative; 0 does not clip");
  if (s.rate < 0) throw Error("--rate: a rate is not negative; 0 leaves it to the optimiser");
  if (s.checkpoint_seconds < 0) throw Error("--checkpoint-seconds: give 0 or more");
  if (!(s.least_settled >= 0 && s.least_settled <= 1)) throw Error("--least-settled: give a share, 0 to 1");
}

}  // namespace

EncodingOptions TrainSettings::encoding_options() const {
  EncodingOptions options{.targets = target, .inputs = inputs, .excluded = exclude};
  if (!weights.empty() && std::count(exclude.begin(), exclude.end(), weights) == 0)
    options.excluded.push_back(weights);
  options.task = choose<std::optional<Task>>(
      "task", task,
      {{"auto", {}}, {"regression", Task::regression}, {"classification", Task::classification}});
  options.missing = choose<Missing>(
      "missing", missing, {{"refuse", Missing::refuse}, {"mean", Missing::mean}, {"drop", Missing::drop}});
  options.unknown =
      choose<Unknown>("unknown", unknown, {{"refuse", Unknown::refuse}, {"zeros", Unknown::zeros}});
  options.text = table.text;
  options.date_parts = named("--dates", [&] { return date_parts_from(dates); });
  options.date_order = named("--date-order", [&] { return date_order_from(date_order); });
  options.many_texts = named("--categories", [&] { return many_texts_from(categories); });
  return options;
}

Scaling TrainSettings::input_scaling(bool of_images) const {
  return choose<Scaling>("scaling", scaling,
                         {{"auto", of_images ? Scaling::common : Scaling::columns},
                          {"columns", Scaling::columns},
                          {"common", Scaling::common},
                          {"none", Scaling::none}});
}

void TrainSettings::check_files() const {
  Words files = table.data;
  for (const std::string& file : {table.labels, validation, from}) files.push_back(file);
  for (const std::string& file : files)
    if (!is_utf8(file))
      throw Error("'" + file + "': a name that is not UTF-8 cannot be kept in the settings; rename the file");
}

Words TrainSettings::files_read() const {
  Words files = table.files_read();
  for (const std::string& file : {table.located(validation), model_file(table.located(from)).string()})
    files.push_back(file);
  return files;
}

void TrainSettings::forget_directory(const Words& given) {
  const auto has = [&](const char* key) { return std::count(given.begin(), given.end(), key) > 0; };
  if (has("data") && !has("directory")) table.directory.clear();
}

void TrainSettings::check() const {
  table.check();
  check_files();
  encoding_options();
  input_scaling(false);
  if (images != "auto" && images != "none") named("--images", [&] { return from_text<ImageShape>(images); });
  network_start();
  in_double();
  if (!architecture.empty()) named("--architecture", [&] { return from_text<Architecture>(architecture); });
  TrainSettings any = *this;  // on some table: what depends on the real one is checked later
  if (any.certify == "auto") any.certify = "0";
  TableFacts facts{.rows = 1000};
  if (loss != "auto" && !loss_misfit(facts.task, from_text<Loss>(loss)).empty())
    facts.task = Task::classification;
  any.resolve_auto(facts);
  // Some recurrences fit only some widths.
  table_architecture(1, layer_sizes(any.layers), any.activation, 1, "none");
  any.judges();
  any.fit_options(facts.task, facts.rows);
}

void TrainSettings::resolve_auto(const TableFacts& facts) {
  resolve_validation(facts.rows);
  const bool given = !architecture.empty();
  const bool filters = given                    ? has_convolutions(from_text<Architecture>(architecture))
                       : convolutions == "auto" ? layers == "auto"
                                                : convolutions != "none";
  const TrainDefaults defaults = train_defaults(facts, filters);
  const auto take = [](std::string& setting, const auto& value) {
    if (setting == "auto") setting = value;
  };
  take(loss, defaults.loss);
  take(convolutions, given ? "none" : defaults.convolutions);
  take(layers, std::to_string(convolutions == "none" ? defaults.layer : 0));
  take(activation, defaults.activation);
  take(noise, write_value(defaults.noise));
  take(augment, defaults.augment);
  take(average, write_value(defaults.average));
  if (certify == "auto")
    certify = write_value(default_certificate(network_architecture(facts.inputs, facts.outputs, facts.image),
                                              from_text<Gradient>(gradient)));
  take(optimiser, defaults.optimiser);
  if (!batch) batch = defaults.batch;
  if (!epochs) epochs = default_epochs(facts, *batch);
}

void TrainSettings::resolve_validation(std::size_t rows) {
  if (validation == "auto") validation = write_value(default_validation(rows));
}

Judges TrainSettings::judges() const {
  double share = 0;
  if (!read_value(validation, share)) return {.file = validation};
  if (!(share >= 0 && share < 1))
    throw Error("--validation: " + validation + " is no share of the rows; give 0 to below 1, or a file");
  return {.share = share};
}

Architecture TrainSettings::network_architecture(std::size_t network_inputs, std::size_t network_outputs,
                                                 const ImageShape& image) const {
  if (!architecture.empty()) {
    if (convolutions != "auto" && convolutions != "none")
      throw Error("--convolutions: --architecture says what the whole network is; give one of the two");
    return named("--architecture",
                 [&] { return given_architecture(architecture, network_inputs, network_outputs, image); });
  }
  if (convolutions == "auto" || convolutions == "none")
    return table_architecture(network_inputs, layer_sizes(layers), activation, network_outputs, recurrence);
  if (image.none())
    throw Error("--convolutions: is for images; say what shape they have, as in --images 28x28");
  const auto with = [&](std::string_view connections) {
    return image_architecture(image, convolutions, layer_sizes(layers), activation, network_outputs,
                              connections);
  };
  named("--convolutions", [&] { return with("none"); });  // so that a mistake is reported for its own option
  return named("--recurrence", [&] { return with(recurrence); });
}

Start TrainSettings::network_start() const {
  return choose<Start>("start", start, {{"scaled", Start::scaled}, {"paper", Start::paper}});
}

bool TrainSettings::in_double() const {
  return choose<bool>("precision", precision, {{"float", false}, {"double", true}});
}

FitOptions TrainSettings::fit_options(Task detected, std::size_t samples) const {
  check_numbers(*this);
  const std::size_t batch_size = *batch, most_epochs = *epochs;  // after resolve_auto
  FitOptions options{.epochs = most_epochs,
                     .batch = batch_size,
                     .patience = patience,
                     .noise = noise_deviation(noise),
                     .augmentation = augmentation_of(augment),
                     .average = average_of(average),
                     .seed = seed,
                     .least_settled = least_settled};
  const std::size_t in_epoch = samples / batch_size + (samples % batch_size != 0);
  if (most_epochs > std::numeric_limits<std::size_t>::max() / std::max<std::size_t>(in_epoch, 1))
    throw Error("--epochs: " + std::to_string(most_epochs) + " are more than can be counted");
  const std::size_t steps = most_epochs * in_epoch;
  TrainOptions& training = options.training;
  training.optimiser = with_rate(from_text<OptimiserOptions>(optimiser), rate);
  training.schedule = schedule_over(schedule, steps);
  training.loss = loss_for(detected, loss);
  training.clip = clip;
  training.certify = certificate_of(certify);
  training.pull = pull;
  training.dropout = dropout;
  training.normalise = normalise;
  training.gradient.gradient = from_text<Gradient>(gradient);
  training.gradient.settle = {
      .solver = from_text<Solver>(solver), .tolerance = tolerance, .device = device_of(device)};
  training.gradient.settle = settling_of(training.gradient);
  check_device(training);
  options.metric = best_metric();
  options.threshold = fixed_threshold().value_or(options.threshold);
  return options;
}

Metric TrainSettings::best_metric() const {
  return named("--metric", [&] { return metric_named(metric); });
}

std::optional<double> TrainSettings::fixed_threshold() const {
  double value = 0;
  if (threshold == "best") return {};
  if (!read_value(threshold, value) || !(value >= 0 && value <= 1))
    throw Error("--threshold: \"" + threshold + "\" is neither best nor a probability, 0 to 1");
  return value;
}

std::string TrainSettings::folder(const std::string& ending) const {
  if (!out.empty()) return out;
  std::filesystem::path name = std::filesystem::path(table.data.empty() ? "" : table.data.front()).filename();
  if (name == "-") name = "irn";
  while (name.has_extension() && name.stem() != name) name = name.stem();
  return name.string() + ending;
}

}  // namespace irn::app
