#include "apps/irn/train_data.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "irn/data/scaling.h"
#include "irn/data/split.h"

namespace irn::app {
namespace {

Split split(const Frame& frame, std::span<const std::uint64_t> rows, const EncodingOptions& options,
            double held_out, std::uint64_t seed) {
  std::vector<double> classes;
  if (options.task == Task::classification)
    for (const std::size_t column = frame.find(options.targets.front()); const std::uint64_t row : rows)
      classes.push_back(frame.row(row)[column]);
  return split_rows(rows, held_out, seed, classes);
}

// Notes texts that no training row has: to the network they are none of the known ones.
template <class T>
void note_unknown(TrainingData<T>& data) {
  if (!data.validation || data.validation->unknown() == 0) return;
  const std::size_t unknown = data.validation->unknown();
  data.notes.push_back(fmt::format(
      "{} of {} rows held out {} a text that no training row has: judged as none of the known ones", unknown,
      data.validation->size(), unknown == 1 ? "holds" : "hold"));
}

// R2 is a share of the spread of the targets; rows with a single value, or a single row, have no R2. Their
// loss still chooses the best epoch, so this is not refused but reported.
template <class T>
void note_constant_judges(TrainingData<T>& data) {
  if (!data.validation || data.encoding.task != Task::regression) return;
  const Frame& frame = data.validation_frame ? *data.validation_frame : *data.frame;
  const EncodedSamples<T>& judges = *data.validation;
  for (const EncodedColumn& target : data.encoding.targets) {
    const ColumnNumbers numbers(frame, frame.find(target.name), target.reading);
    const double first = numbers(frame.row(judges.row(0)));
    std::size_t same = 1;
    while (same < judges.size() && numbers(frame.row(judges.row(same))) == first) ++same;
    if (same == judges.size())
      data.notes.push_back(
          fmt::format("R2 has no value: '{}' is {:g} in {} held out; --validation holds out others",
                      target.name, first, same == 1 ? "the only row" : fmt::format("all {} rows", same)));
  }
}

// Splits `rows`; a share that leaves one of the two parts empty is a mistake.
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

}  // namespace

// Rows held out stand for unseen rows: means, deviations and texts come from the training rows. The classes
// come from all rows, because what to tell apart is part of the question.
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
                .images = !data.encoding.image.none() || is_images(frame, settings.images),
                .inputs = data.encoding.input_width(),
                .outputs = data.encoding.target_width(),
                .image = data.encoding.image};
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

template TrainingData<float> prepare_data(TrainSettings&, const TrainingTable&,
                                          std::span<const std::uint64_t>);
template TrainingData<double> prepare_data(TrainSettings&, const TrainingTable&,
                                           std::span<const std::uint64_t>);
template EncodedSamples<float> unseen_samples(const Frame&, const Encoding&, std::span<const std::uint64_t>,
                                              const std::string&);
template EncodedSamples<double> unseen_samples(const Frame&, const Encoding&, std::span<const std::uint64_t>,
                                               const std::string&);

}  // namespace irn::app
