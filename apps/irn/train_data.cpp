#include "apps/irn/train_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "irn/base/random.h"
#include "irn/data/csv_scan-inl.h"

namespace irn::app {
namespace {

// A stream of the seed that neither weights nor epochs draw from.
constexpr std::uint64_t split_stream = std::uint64_t{1} << 48;

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

bool is_images(const Frame& frame) {
  return frame.width() > 1 && frame.columns()[0].name == "pixel0" && frame.columns()[1].name == "pixel1";
}

// One mean and one deviation for all numbers: pixels that hardly ever light up are not blown up to the rest.
void scale_alike(std::vector<EncodedColumn>& columns) {
  double count = 0, mean = 0, square = 0;
  for (const EncodedColumn& c : columns) {
    if (!c.is_number()) continue;
    const double deviation = c.scale;
    ++count;
    mean += c.mean;
    square += c.mean * c.mean + deviation * deviation;
  }
  mean /= count;
  const double deviation = std::sqrt(std::max(0.0, square / count - mean * mean));
  for (EncodedColumn& c : columns)
    if (c.is_number()) c.mean = mean, c.scale = deviation > 0 ? deviation : 1;
}

void scale_inputs(Encoding& encoding, const std::string& scaling, bool images) {
  enum class Scaling { by_column, alike, none };
  const Scaling chosen = choose<Scaling>("scaling", scaling,
                                         {{"auto", images ? Scaling::alike : Scaling::by_column},
                                          {"columns", Scaling::by_column},
                                          {"common", Scaling::alike},
                                          {"none", Scaling::none}});
  if (chosen == Scaling::alike) scale_alike(encoding.inputs);
  if (chosen == Scaling::none)
    for (EncodedColumn& c : encoding.inputs) c.mean = 0, c.scale = 1;
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

// What is held out stands for rows that nobody has seen: means, deviations and texts are those of the training rows. The classes are those of
// all rows, for what there is to tell apart is part of the question. A text that no training row has is none of the known ones to the network, and
// how many rows hold one is said.
template <class T>
void hold_out(TrainingData<T>& data, const TrainSettings& settings, EncodingOptions options,
              const Split& rows) {
  using Samples = EncodedSamples<T>;
  if (data.encoding.task == Task::classification) options.classes = data.encoding.targets.front().categories;
  data.encoding = fit_encoding(*data.frame, options, rows.training);
  scale_inputs(data.encoding, settings.scaling, is_images(*data.frame));
  Encoding judging = data.encoding;
  judging.unknown = Unknown::zeros;
  data.training.reset();  // before the next is made: a table of many rows has long lists of them
  data.training =
      std::make_unique<Samples>(*data.frame, data.encoding, typename Samples::Options{.rows = rows.training});
  data.validation =
      std::make_unique<Samples>(*data.frame, judging, typename Samples::Options{.rows = rows.held_out});
  if (const std::size_t unknown = data.validation->unknown(); unknown > 0)
    data.notes.push_back(fmt::format(
        "{} of {} rows held out {} a text that no training row has: judged as none of the known ones",
        unknown, rows.held_out.size(), unknown == 1 ? "holds" : "hold"));
}

// Of data.training, which has all rows of the table that can be used.
template <class T>
void make_samples(TrainingData<T>& data, const TrainSettings& settings, const EncodingOptions& options,
                  ThreadPool& threads) {
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
  hold_out(data, settings, options, rows);
}

// Keeps the order of equals. (The library's own stable sort uses a deprecated buffer, which clang warns of.)
void sort_by(std::span<const double> keys, std::vector<std::uint64_t>& order) {
  std::vector<std::uint64_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return std::pair(keys[a], place[a]) < std::pair(keys[b], place[b]); });
}

}  // namespace

Split split_rows(std::span<const std::uint64_t> rows, double held_out, std::uint64_t seed,
                 std::span<const double> strata) {
  if (held_out == 0) return {.training = {rows.begin(), rows.end()}, .held_out = {}};
  std::vector<std::uint64_t> order = Stream(seed, split_stream).permutation(rows.size());
  if (!strata.empty()) sort_by(strata, order);
  Split split;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The i-th is held out if the count due rises here: evenly along the order, half a gap from its ends.
    const bool out = std::floor(double(i + 1) * held_out + 0.5) > std::floor(double(i) * held_out + 0.5);
    (out ? split.held_out : split.training).push_back(rows[order[i]]);
  }
  std::sort(split.training.begin(), split.training.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

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
  data.facts = {.task = data.encoding.task, .rows = data.training->size(), .images = is_images(*data.frame)};
  settings.resolve_validation(data.facts.rows);
  make_samples(data, settings, options, threads);
  data.facts.inputs = data.encoding.input_width(), data.facts.outputs = data.encoding.target_width();
  settings.resolve_auto(data.facts);
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
