#include "apps/irn/train_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/irn/model_use.h"
#include "irn/data/csv_scan-inl.h"
#include "irn/data/scaling.h"
#include "irn/data/split.h"

namespace irn::app {
namespace {

std::string column_list(std::span<const FrameColumn> columns) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, columns.size()); ++i)
    text += (i > 0 ? ", " : "") + columns[i].name;
  return columns.size() > most ? text + fmt::format(", ... ({} columns)", columns.size()) : text;
}

// A column of numbers becomes text by one slip of the pen. That is not refused, for it may be meant, but said.
std::vector<std::string> doubtful_columns(const Frame& frame, const Words& named) {
  std::vector<std::string> notes;
  for (std::size_t c = 0; c < frame.width(); ++c) {
    const FrameColumn& column = frame.columns()[c];
    if (!column.text || std::count(named.begin(), named.end(), column.name) > 0) continue;
    std::size_t numbers = 0, first = column.categories.size();  // the first that is none
    for (std::size_t k = column.categories.size(); k-- > 0;) {
      std::string text = column.categories[k];
      double value = 0;
      const bool plain = csv::is_number<double>(text, value);
      if (!plain) first = k;
      if (const std::size_t comma = text.find(','); comma != text.npos) text[comma] = '.';
      numbers += csv::is_number<double>(text, value);
    }
    if (numbers * 2 < column.categories.size() || first == column.categories.size()) continue;
    std::size_t row = 0;
    while (frame.row(row)[c] != double(first)) ++row;
    notes.push_back(
        fmt::format("'{}' is taken for text because of '{}' ({}); correct it, or name the column with --text",
                    column.name, column.categories[first], frame.place(row)));
  }
  return notes;
}

// Images come with a column called label; every other table has to be told.
void choose_target(TrainSettings& settings, const Frame& frame) {
  if (!settings.target.empty()) return;
  const bool images = frame.has("label") && frame.has("pixel0");
  if (!images)
    throw Error("name the column to predict with --target; " + frame.source() +
                " has: " + column_list(frame.columns()));
  settings.target = {"label"};
}

void scale_inputs(Encoding& encoding, const std::string& scaling, bool images) {
  irn::scale_inputs(encoding, choose<Scaling>("scaling", scaling,
                                              {{"auto", images ? Scaling::common : Scaling::columns},
                                               {"columns", Scaling::columns},
                                               {"common", Scaling::common},
                                               {"none", Scaling::none}}));
}

// All samples hold the same for a regression only if there is one value: nothing to learn, and R2 has no meaning.
void refuse_constant(const Frame& frame, const EncodedColumn& target) {
  const std::size_t column = frame.find(target.name);
  for (std::size_t i = 0; i < frame.rows(); ++i)
    if (const double value = frame.row(i)[column]; !std::isnan(value) && double(value) != target.mean) return;
  throw DataError(fmt::format("{}, column '{}': all values are {:g}; there is nothing to learn",
                              frame.source(), target.name, target.mean));
}

Split split(const Frame& frame, std::span<const std::uint64_t> rows, const EncodingOptions& options,
            double held_out, std::uint64_t seed) {
  std::vector<double> classes;
  if (options.task == Task::classification)
    for (const std::size_t column = frame.find(options.targets.front()); const std::uint64_t row : rows)
      classes.push_back(frame.row(row)[column]);
  return split_rows(rows, held_out, seed, classes);
}

// A text that no training row has is none of the known ones to the network.
template <class T>
void note_unknown(TrainingData<T>& data) {
  if (!data.validation || data.validation->unknown() == 0) return;
  const std::size_t unknown = data.validation->unknown();
  data.notes.push_back(fmt::format(
      "{} of {} rows held out {} a text that no training row has: judged as none of the known ones", unknown,
      data.validation->size(), unknown == 1 ? "holds" : "hold"));
}

// R2 is a share of the spread of the targets; of rows that hold one value, or are one, it has none. They still tell the best epoch by
// their loss, so this is not refused, but said.
template <class T>
void note_constant_judges(TrainingData<T>& data) {
  if (!data.validation || data.encoding.task != Task::regression) return;
  const Frame& frame = data.validation_frame ? *data.validation_frame : *data.frame;
  const EncodedSamples<T>& judges = *data.validation;
  for (const EncodedColumn& target : data.encoding.targets) {
    const std::size_t column = frame.find(target.name);
    const double first = frame.row(judges.row(0))[column];
    std::size_t same = 1;
    while (same < judges.size() && frame.row(judges.row(same))[column] == first) ++same;
    if (same == judges.size())
      data.notes.push_back(
          fmt::format("R2 has no value: '{}' is {:g} in {} held out; --validation holds out others",
                      target.name, first, same == 1 ? "the only row" : fmt::format("all {} rows", same)));
  }
}

// Of so many rows; a share that leaves one of the two parts empty is a mistake.
Split hold_out(const TrainSettings& settings, const TrainingTable& table,
               std::span<const std::uint64_t> rows) {
  const double share = settings.judges().share;
  Split split = irn::app::split(*table.frame, rows, table.options, share, settings.seed);
  if (split.held_out.empty() && share > 0)
    throw DataError(fmt::format("{}: --validation {} holds out none of {} rows; give a larger share, or 0",
                                table.frame->source(), settings.validation, rows.size()));
  if (split.training.empty())
    throw DataError(fmt::format("{}: --validation {} leaves no rows to train on", table.frame->source(),
                                settings.validation));
  return split;
}

const Encoding& encoding_of(const AnyModel& model) {
  return std::visit([](const auto& m) -> const Encoding& { return m.encoding; }, model);
}

void refuse_beside_model(const char* option) {
  throw Error(std::string("--") + option + ": is that of the model that --from names; leave it out");
}

// The network and the meaning of its columns are the model's: what says otherwise is refused.
void start_from(TrainSettings& settings, TrainingTable& table) {
  table.from = std::make_shared<const AnyModel>(open_model(settings.table.located(settings.from)));
  const std::string network =
      std::visit([](const auto& m) { return to_text(m.network.architecture()); }, *table.from);
  Words targets;
  for (const EncodedColumn& target : encoding_of(*table.from).targets) targets.push_back(target.name);
  if (settings.target.empty()) settings.target = targets;
  if (settings.target != targets) refuse_beside_model("target");
  if (!settings.architecture.empty() && settings.architecture != network) refuse_beside_model("architecture");
  if (settings.architecture.empty() && settings.layers != "auto") refuse_beside_model("layers");
  if (!settings.inputs.empty()) refuse_beside_model("inputs");
  settings.architecture = network;
}

// How rows become inputs: as the model has it, or fitted to them.
Encoding encoding_for(const TrainSettings& settings, const TrainingTable& table,
                      std::span<const std::uint64_t> rows) {
  if (!table.from) {
    Encoding encoding = fit_encoding(*table.frame, table.options, rows);
    scale_inputs(encoding, settings.scaling, is_images(*table.frame));
    return encoding;
  }
  Encoding encoding = encoding_of(*table.from);
  encoding.missing = table.options.missing, encoding.unknown = table.options.unknown;
  return encoding;
}

}  // namespace

template <class T>
TrainingTable read_training_table(TrainSettings& settings, ThreadPool& threads) {
  TrainingTable table;
  if (!settings.from.empty()) start_from(settings, table);
  table.frame = std::make_shared<Frame>(
      settings.table.read(table.from ? encoding_of(*table.from).text_columns() : Words{}, threads));
  const Frame& frame = *table.frame;
  choose_target(settings, frame);
  table.notes = doubtful_columns(frame, settings.table.text);
  table.options = settings.encoding_options();
  if (table.from) table.options.task = encoding_of(*table.from).task;
  if (!table.options.task) {
    const DetectedTask detected = detect_task(frame, table.options.targets);
    table.options.task = detected.task;
    table.task_reason = detected.reason;
  }
  const Encoding all = table.from ? encoding_for(settings, table, {}) : fit_encoding(frame, table.options);
  if (all.task == Task::classification) table.options.classes = all.targets.front().categories;
  if (all.task == Task::regression && !table.from)
    for (const EncodedColumn& target : all.targets) refuse_constant(frame, target);
  using Options = typename EncodedSamples<T>::Options;
  const EncodedSamples<T> usable(frame, all, Options{.weights = settings.weights});
  for (std::uint64_t s = 0; s < usable.size(); ++s) table.rows.push_back(usable.row(s));
  table.dropped = usable.dropped();
  const std::string file = settings.validation == "auto" ? "" : settings.judges().file;
  if (!file.empty())
    table.validation_frame = std::make_shared<Frame>(settings.table.read(file, all.text_columns(), threads));
  return table;
}

// What is held out stands for rows that nobody has seen: means, deviations and texts are those of the training rows. The classes are those of all
// rows, for what there is to tell apart is part of the question.
template <class T>
TrainingData<T> prepare_data(TrainSettings& settings, const TrainingTable& table,
                             std::span<const std::uint64_t> rows) {
  using Options = typename EncodedSamples<T>::Options;
  const Frame& frame = *table.frame;
  TrainingData<T> data{.frame = table.frame, .validation_frame = table.validation_frame};
  settings.resolve_validation(rows.size());
  const Split split = hold_out(settings, table, rows);
  data.encoding = encoding_for(settings, table, split.training);
  Options training{.weights = settings.weights};
  if (split.training.size() < frame.rows()) training.rows = split.training;
  data.training = std::make_unique<EncodedSamples<T>>(frame, data.encoding, training);
  if (table.validation_frame)
    data.validation = std::make_unique<EncodedSamples<T>>(*table.validation_frame, data.encoding,
                                                          Options{.weights = settings.weights});
  if (!split.held_out.empty())
    data.validation = std::make_unique<EncodedSamples<T>>(
        unseen_samples<T>(frame, data.encoding, split.held_out, settings.weights));
  data.facts = {.task = data.encoding.task,
                .rows = rows.size(),
                .images = is_images(frame),
                .inputs = data.encoding.input_width(),
                .outputs = data.encoding.target_width()};
  settings.resolve_auto(data.facts);
  note_unknown(data);
  note_constant_judges(data);
  return data;
}

template <class T>
EncodedSamples<T> unseen_samples(const Frame& frame, const Encoding& encoding,
                                 std::span<const std::uint64_t> rows, const std::string& weights) {
  Encoding judging = encoding;
  judging.unknown = Unknown::zeros;
  return EncodedSamples<T>(frame, judging, {.rows = rows, .weights = weights});
}

std::string fingerprint(const TrainingTable& table) {
  return fmt::format("{:016x}", irn::fingerprint(*table.frame)) +
         (table.validation_frame ? fmt::format("-{:016x}", irn::fingerprint(*table.validation_frame)) : "");
}

template TrainingTable read_training_table<float>(TrainSettings&, ThreadPool&);
template TrainingTable read_training_table<double>(TrainSettings&, ThreadPool&);
template TrainingData<float> prepare_data(TrainSettings&, const TrainingTable&,
                                          std::span<const std::uint64_t>);
template TrainingData<double> prepare_data(TrainSettings&, const TrainingTable&,
                                           std::span<const std::uint64_t>);
template EncodedSamples<float> unseen_samples(const Frame&, const Encoding&, std::span<const std::uint64_t>,
                                              const std::string&);
template EncodedSamples<double> unseen_samples(const Frame&, const Encoding&, std::span<const std::uint64_t>,
                                               const std::string&);

}  // namespace irn::app
