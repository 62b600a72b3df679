#include "apps/irn/train_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "irn/base/options_text.h"
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
      const bool plain = read_value(text, value);
      if (!plain) first = k;
      if (const std::size_t comma = text.find(','); comma != text.npos) text[comma] = '.';
      numbers += read_value(text, value);
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

template <class T>
Split split(const Frame& frame, const EncodedSamples<T>& samples, const Encoding& encoding, double held_out,
            std::uint64_t seed) {
  std::vector<std::uint64_t> rows(samples.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = samples.row(i);
  std::vector<double> classes;
  if (encoding.task == Task::classification)
    for (const std::size_t column = frame.find(encoding.targets.front().name); const std::uint64_t row : rows)
      classes.push_back(double(frame.row(row)[column]));
  return split_rows(rows, held_out, seed, classes);
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

// Of data.training, which has all rows of the table that can be used.
template <class T>
void make_samples(TrainingData<T>& data, const TrainSettings& settings, ThreadPool& threads) {
  const Judges judges = settings.judges();
  if (!judges.file.empty()) {
    data.validation_frame =
        std::make_unique<Frame>(settings.table.read(judges.file, data.encoding.text_columns(), threads));
    data.validation = std::make_unique<EncodedSamples<T>>(*data.validation_frame, data.encoding);
  }
  const Split rows = split(*data.frame, *data.training, data.encoding, judges.share, settings.seed);
  if (rows.held_out.empty()) {
    if (judges.share > 0)
      throw DataError(fmt::format("{}: --validation {} holds out none of {} rows; give a larger share, or 0",
                                  data.frame->source(), settings.validation, data.training->size()));
    return;
  }
  if (rows.training.empty())
    throw DataError(fmt::format("{}: --validation {} leaves no rows to train on", data.frame->source(),
                                settings.validation));
  using Options = typename EncodedSamples<T>::Options;
  data.training.reset();  // before the next is made: a table of many rows has long lists of them
  data.training =
      std::make_unique<EncodedSamples<T>>(*data.frame, data.encoding, Options{.rows = rows.training});
  data.validation =
      std::make_unique<EncodedSamples<T>>(*data.frame, data.encoding, Options{.rows = rows.held_out});
}

}  // namespace

template <class T>
TrainingData<T> prepare_data(TrainSettings& settings, ThreadPool& threads) {
  TrainingData<T> data;
  data.frame = std::make_unique<Frame>(settings.table.read({}, threads));
  choose_target(settings, *data.frame);
  data.notes = doubtful_columns(*data.frame, settings.table.text);
  EncodingOptions options = settings.encoding_options();
  if (!options.task) {
    const DetectedTask detected = detect_task(*data.frame, options.targets);
    options.task = detected.task;
    data.task_reason = detected.reason;
  }
  data.encoding = fit_encoding(*data.frame, options);
  scale_inputs(data.encoding, settings.scaling, is_images(*data.frame));
  if (data.encoding.task == Task::regression)
    for (const EncodedColumn& target : data.encoding.targets) refuse_constant(*data.frame, target);
  data.training = std::make_unique<EncodedSamples<T>>(*data.frame, data.encoding);
  data.dropped = data.training->dropped();
  data.facts = {.task = data.encoding.task,
                .rows = data.training->size(),
                .images = is_images(*data.frame),
                .inputs = data.encoding.input_width(),
                .outputs = data.encoding.target_width()};
  settings.resolve_auto(data.facts);
  make_samples(data, settings, threads);
  note_constant_judges(data);
  return data;
}

template <class T>
std::string fingerprint(const TrainingData<T>& data) {
  return fmt::format("{:016x}", irn::fingerprint(*data.frame)) +
         (data.validation_frame ? fmt::format("-{:016x}", irn::fingerprint(*data.validation_frame)) : "");
}

template TrainingData<float> prepare_data(TrainSettings&, ThreadPool&);
template TrainingData<double> prepare_data(TrainSettings&, ThreadPool&);
template std::string fingerprint(const TrainingData<float>&);
template std::string fingerprint(const TrainingData<double>&);

}  // namespace irn::app
