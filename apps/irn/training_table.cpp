#include "apps/irn/training_table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/irn/column_notes.h"
#include "apps/irn/model_use.h"
#include "irn/data/encoded_samples.h"
#include "irn/data/scaling.h"
#include "irn/data/table_words.h"

namespace irn::app {
namespace {

// If there are very many, the first ones and the last, which is often the target.
std::string column_list(std::span<const FrameColumn> columns) {
  constexpr std::size_t most = 40, first = 10;
  std::string text;
  for (std::size_t i = 0; i < (columns.size() > most ? first : columns.size()); ++i)
    text += (i > 0 ? ", " : "") + columns[i].name;
  if (columns.size() <= most) return text;
  return text + fmt::format(", ..., {} ({} columns)", columns.back().name, columns.size());
}

// Images come with a column called label; for every other table the target must be given.
void choose_target(TrainSettings& settings, const Frame& frame) {
  if (settings.target == Words{"label"} && frame.has("pixel0") && !frame.has("label"))
    throw DataError(frame.source() + ": no file with labels lies beside the images; name it with --labels");
  if (!settings.target.empty()) return;
  const bool images = frame.has("label") && frame.has("pixel0");
  if (!images)
    throw Error("name the column to predict with --target; " + frame.source() +
                " has: " + column_list(frame.columns()));
  settings.target = {"label"};
}

// Refuses a constant target of a regression: there is nothing to learn, and R2 has no meaning.
void refuse_constant(const Frame& frame, const EncodedColumn& target) {
  const ColumnNumbers numbers(frame, frame.find(target.name), target.reading);
  for (std::size_t i = 0; i < frame.rows(); ++i)
    if (const double value = numbers(frame.row(i)); !std::isnan(value) && value != target.mean) return;
  throw DataError(fmt::format("{}, column '{}': all values are {:g}; there is nothing to learn",
                              frame.source(), target.name, target.mean));
}

const Encoding& encoding_of(const AnyModel& model) {
  return std::visit([](const auto& m) -> const Encoding& { return m.encoding; }, model);
}

void refuse_beside_model(const char* option) {
  throw Error(std::string("--") + option + ": is that of the model that --from names; leave it out");
}

void refuse_inputs(const char* option, const Words& columns, const Encoding& encoding) {
  for (const EncodedColumn& input : encoding.inputs)
    if (std::count(columns.begin(), columns.end(), input.name) > 0)
      throw Error(fmt::format("--{}: '{}' is an input of the model that --from names; leave it out", option,
                              input.name));
}

// The network and the meaning of its columns come from the model; settings that contradict it are refused.
void start_from(TrainSettings& settings, TrainingTable& table) {
  table.from = std::make_shared<const AnyModel>(open_model(settings.table.located(settings.from)));
  const std::string network =
      std::visit([](const auto& m) { return to_text(m.network.architecture()); }, *table.from);
  Words targets;
  for (const EncodedColumn& target : encoding_of(*table.from).targets) targets.push_back(target.name);
  if (settings.target.empty()) settings.target = targets;
  if (settings.target != targets) refuse_beside_model("target");
  if (!settings.architecture.empty() && settings.architecture != network) refuse_beside_model("architecture");
  const TrainSettings standard;
  if (settings.architecture.empty()) {  // otherwise it determines all of these
    if (settings.layers != standard.layers) refuse_beside_model("layers");
    if (settings.convolutions != standard.convolutions) refuse_beside_model("convolutions");
    if (settings.activation != standard.activation) refuse_beside_model("activation");
    if (settings.recurrence != standard.recurrence) refuse_beside_model("recurrence");
  }
  const std::string task =
      encoding_of(*table.from).task == Task::classification ? "classification" : "regression";
  if (settings.task != standard.task && settings.task != task) refuse_beside_model("task");
  if (settings.scaling != standard.scaling) refuse_beside_model("scaling");
  if (settings.start != standard.start) refuse_beside_model("start");
  refuse_inputs("exclude", settings.exclude, encoding_of(*table.from));
  refuse_inputs("weights", {settings.weights}, encoding_of(*table.from));
  if (!settings.inputs.empty()) refuse_beside_model("inputs");
  if (settings.dates != standard.dates) refuse_beside_model("dates");
  if (settings.date_order != standard.date_order) refuse_beside_model("date-order");
  if (settings.categories != standard.categories) refuse_beside_model("categories");
  if (settings.images != standard.images) refuse_beside_model("images");
  settings.architecture = network;
}

// Whole numbers that may be classes are read as names.
Expected expected_of(const TrainSettings& settings, const TrainingTable& table) {
  Expected expected = table.from ? expected_by(encoding_of(*table.from)) : Expected{};
  if (settings.task != "regression") expected.exact = settings.target;
  return expected;
}

}  // namespace

Encoding encoding_for(const TrainSettings& settings, const TrainingTable& table,
                      std::span<const std::uint64_t> rows) {
  if (!table.from) {
    Encoding encoding = fit_encoding(*table.frame, table.options, rows);
    encoding.image = named("--images", [&] { return image_of(encoding, *table.frame, settings.images); });
    scale_inputs(encoding, settings.input_scaling(is_images(*table.frame, settings.images)));
    return encoding;
  }
  Encoding encoding = encoding_of(*table.from);
  encoding.missing = table.options.missing, encoding.unknown = table.options.unknown;
  return encoding;
}

template <class T>
TrainingTable read_training_table(TrainSettings& settings, ThreadPool& threads) {
  TrainingTable table;
  if (!settings.from.empty()) start_from(settings, table);
  table.frame = std::make_shared<Frame>(settings.table.read(expected_of(settings, table), threads));
  const Frame& frame = *table.frame;
  choose_target(settings, frame);
  table.options = settings.encoding_options();
  if (table.from) table.options.task = encoding_of(*table.from).task;
  if (!table.options.task) {
    const DetectedTask detected = detect_task(frame, table.options.targets);
    table.options.task = detected.task;
    table.task_reason = detected.reason;
  }
  const Encoding all = table.from ? encoding_for(settings, table, {}) : fit_encoding(frame, table.options);
  if (!table.from)
    table.notes = doubtful_columns(frame, all, table.options, is_images(frame, settings.images));
  table.taken = columns_taken(all);
  if (all.task == Task::classification) table.options.classes = all.targets.front().categories;
  if (all.task == Task::regression && !table.from)
    for (const EncodedColumn& target : all.targets) refuse_constant(frame, target);
  using Options = typename EncodedSamples<T>::Options;
  const EncodedSamples<T> usable(frame, all, Options{.weights = settings.weights});
  for (std::uint64_t s = 0; s < usable.size(); ++s) table.rows.push_back(usable.row(s));
  table.dropped = usable.dropped();
  const std::string file = settings.validation == "auto" ? "" : settings.judges().file;
  if (!file.empty())
    table.validation_frame = std::make_shared<Frame>(settings.table.read({file}, expected_by(all), threads));
  return table;
}

std::string fingerprint(const TrainingTable& table) {
  return fmt::format("{:016x}", irn::fingerprint(*table.frame)) +
         (table.validation_frame ? fmt::format("-{:016x}", irn::fingerprint(*table.validation_frame)) : "");
}

template TrainingTable read_training_table<float>(TrainSettings&, ThreadPool&);
template TrainingTable read_training_table<double>(TrainSettings&, ThreadPool&);

}  // namespace irn::app
