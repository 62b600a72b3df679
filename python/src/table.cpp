// Tables, and trainings on them.
#include <chrono>
#include <cmath>

#include <pybind11/stl.h>

#include "irn/base/options_text.h"
#include "irn/data/read_table.h"
#include "irn/data/table_words.h"
#include "irn/model/train_metrics.h"
#include "python/src/arrays.h"
#include "python/src/boxes.h"
#include "python/src/choices.h"
#include "python/src/parts.h"

namespace irn::python {
namespace {

struct TrainingBox {
  std::unique_ptr<TableTraining> training;
  Turn turn;
};

// names: of all columns; numbers: [row][column], NaN is missing; texts: (column, indices of categories or -1,
// categories).
using Texts = std::vector<std::tuple<std::size_t, py::array_t<std::int64_t>, std::vector<std::string>>>;

std::unique_ptr<TableBox> make_table(const std::string& source, const std::vector<std::string>& names,
                                     py::handle numbers, const Texts& texts) {
  const Matrix given(numbers, "x", Flat::column);
  const View& values = given.view();
  std::vector<FrameColumn> columns;
  for (const std::string& name : names) columns.push_back({name});
  for (const auto& [column, places, categories] : texts)
    columns.at(column).text = true, columns.at(column).categories = categories;
  auto frame = std::make_unique<Frame>(source, std::move(columns));
  if (values.columns() != names.size())
    throw Error(std::to_string(names.size()) + " names for " + std::to_string(values.columns()) + " columns");
  frame->resize(values.rows());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const std::span<double> row = frame->mutable_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = values(i, j);
      if (std::isinf(row[j]))
        throw DataError(frame->place(i) + ", column '" + names[j] +
                        "': the value is infinite; remove the row or fill the gap");
    }
  }
  for (const auto& [column, places, categories] : texts) {
    if (static_cast<std::size_t>(places.size()) != values.rows())
      throw Error("a text column has another length");
    for (std::size_t i = 0; i < values.rows(); ++i) {
      const std::int64_t place = places.data()[i];
      frame->mutable_row(i)[column] =
          place < 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(place);
    }
  }
  return std::make_unique<TableBox>(TableBox{std::move(frame)});
}

// Reads one entry of a dict of options, if it exists and is not None.
template <class V, class To>
void option(const py::dict& given, const char* key, To& to, const char* kind) {
  if (!given.contains(key) || given[key].is_none()) return;
  try {
    to = given[key].cast<V>();
  } catch (const py::cast_error&) {
    throw Error(std::string(key) + ": " + std::string(py::repr(given[key])) + " is not " + kind);
  }
}

using Text = std::string;
using Names = std::vector<std::string>;
constexpr const char *text = "a text", *number = "a number", *count = "a whole number, zero or more",
                     *names = "a list of names";

// Reads one entry that is a word, through `meaning`; an error names the entry.
template <class Meaning>
auto meant(const py::dict& given, const char* key, const char* standard, const Meaning& meaning) {
  Text word = standard;
  option<Text>(given, key, word, text);
  return named(key, [&] { return meaning(word); });
}

ReadOptions read_options_of(const py::dict& given) {
  ReadOptions o;
  o.csv.header = meant(given, "header", "auto", [](const Text& w) { return header_from(w); });
  o.csv.delimiter = meant(given, "delimiter", "auto", [](const Text& w) { return delimiter_from(w); });
  o.csv.decimal = meant(given, "decimal", "auto", [](const Text& w) { return decimal_from(w); });
  o.csv.thousands = meant(given, "thousands", "auto", [](const Text& w) { return thousands_from(w); });
  option<Names>(given, "text", o.csv.text, names), option<Names>(given, "exact", o.csv.exact, names);
  option<Names>(given, "arrays", o.arrays, names), option<Text>(given, "labels", o.labels, text);
  return o;
}

std::unique_ptr<TableBox> read(const std::vector<std::string>& paths, const py::dict& given) {
  const ReadOptions options = read_options_of(given);
  const Unlocked free;
  return std::make_unique<TableBox>(
      TableBox{std::make_unique<Frame>(read_tables(paths, options, shared_threads()))});
}

TableTrainingOptions options_of(const py::dict& given) {
  TableTrainingOptions o;
  option<Names>(given, "targets", o.encoding.targets, names);
  option<Names>(given, "inputs", o.encoding.inputs, names);
  option<Names>(given, "exclude", o.encoding.excluded, names);
  option<Names>(given, "classes", o.encoding.classes, names);
  option<Names>(given, "text", o.encoding.text, names);
  Names dates = {"days"};
  option<Names>(given, "dates", dates, names);
  o.encoding.date_parts = named("dates", [&] { return date_parts_from(dates); });
  o.encoding.date_order =
      meant(given, "date_order", "auto", [](const Text& w) { return date_order_from(w); });
  o.encoding.many_texts = meant(given, "categories", "all", [](const Text& w) { return many_texts_from(w); });
  option<std::string>(given, "weights", o.weights, text);
  option<Names>(given, "class_weights", o.class_weights, names);
  Text task = "auto", missing = "refuse", unknown = "refuse", start = "scaled", precision = "float32";
  option<Text>(given, "task", task, text), option<Text>(given, "missing", missing, text);
  option<Text>(given, "unknown", unknown, text), option<Text>(given, "start", start, text);
  option<Text>(given, "precision", precision, text);
  if (task != "auto") o.encoding.task = chosen<Task>("task", task, {"regression", "classification"});
  o.encoding.missing = chosen<Missing>("missing", missing, {"refuse", "mean", "drop"});
  o.encoding.unknown = chosen<Unknown>("unknown", unknown, {"refuse", "zeros"});
  o.start = chosen<Start>("start", start, {"paper", "scaled"});
  o.precision = precision_of_text(precision);
  option<Text>(given, "scaling", o.scaling, text);
  option<double>(given, "validation", o.validation, number);
  option<std::vector<std::size_t>>(given, "layers", o.layers, "a list of whole numbers");
  option<Text>(given, "activation", o.activation, text),
      option<Text>(given, "recurrence", o.recurrence, text);
  option<Text>(given, "convolutions", o.convolutions, text);
  option<Text>(given, "architecture", o.architecture, text);
  option<Text>(given, "solver", o.solver, text), option<double>(given, "tolerance", o.tolerance, number);
  option<Text>(given, "gradient", o.gradient, text), option<Text>(given, "schedule", o.schedule, text);
  option<Text>(given, "loss", o.loss, text), option<Text>(given, "optimiser", o.optimiser, text);
  option<double>(given, "rate", o.rate, number), option<double>(given, "clip", o.clip, number);
  option<double>(given, "pull", o.pull, number), option<double>(given, "dropout", o.dropout, number);
  option<bool>(given, "normalise", o.normalise, "True or False");
  option<Text>(given, "images", o.images, text), option<Text>(given, "augment", o.augment, text);
  option<double>(given, "average", o.average, number);
  option<double>(given, "noise", o.noise, number), option<double>(given, "certify", o.certify, number);
  option<double>(given, "least_settled", o.least_settled, number);
  option<std::size_t>(given, "batch", o.batch, count), option<std::size_t>(given, "epochs", o.epochs, count);
  option<std::size_t>(given, "patience", o.patience, count);
  option<std::uint64_t>(given, "seed", o.seed, count);
  option<Text>(given, "metric", o.metric, text), option<Text>(given, "device", o.device, text);
  if (given.contains("threshold") && given["threshold"].is_none())
    o.threshold.reset();  // empty: the best one
  else
    option<double>(given, "threshold", o.threshold, number);
  option<Text>(given, "configuration", o.configuration, text);
  return o;
}

std::vector<double> weights_of(py::handle given, const char* what) {
  return Matrix(given, what, Flat::column).view().values();
}

std::unique_ptr<TrainingBox> make_training(TableBox& table, const py::dict& options, py::handle weights,
                                           TableBox* judges, py::handle judge_weights, const ModelBox* from) {
  const TableTrainingOptions chosen_options = options_of(options);
  TableTrainingData more{.weights = weights_of(weights, "sample_weight"),
                         .judge_weights = weights_of(judge_weights, "weights of the rows to judge by"),
                         .from = from ? &from->model : nullptr};
  for (const std::string& name : chosen_options.encoding.text) table.get().find(name);
  table.get();
  if (judges) judges->get(), more.judges = std::move(judges->frame);
  Frame frame = std::move(*table.frame);
  table.frame.reset();
  const Unlocked free;
  auto box = std::make_unique<TrainingBox>();
  box->training = std::make_unique<TableTraining>(std::move(frame), chosen_options, std::move(more));
  return box;
}

// Trains until an epoch ends, checking signals about every tenth of a second. Returns whether training has
// ended.
bool run_epoch(TrainingBox& box) {
  using Clock = std::chrono::steady_clock;
  TableTraining& training = *box.training;
  const std::size_t before = in_turn(box.turn, [&] { return training.records().size(); });
  for (bool done = false; !done;) {
    done = in_turn(box.turn, [&] {
      const Clock::time_point end = Clock::now() + std::chrono::milliseconds(100);
      while (!training.ended() && training.records().size() == before && Clock::now() < end) training.step();
      return training.ended().has_value() || training.records().size() > before;
    });
    heed_signals();
  }
  return in_turn(box.turn, [&] { return training.ended().has_value(); });
}

py::list records_of(TrainingBox& box, std::size_t first) {
  py::list all;
  const std::vector<EpochRecord> records = in_turn(box.turn, [&] { return box.training->records(); });
  for (std::size_t i = first; i < records.size(); ++i) {
    py::dict d;
    EpochRecord record = records[i];
    record.fields([&](const char* name, const auto& value) { d[name] = value; });
    all.append(d);
  }
  return all;
}

py::object end_of(TrainingBox& box) {
  constexpr std::array<const char*, 5> words = {"all_epochs", "patience", "not_finite", "unsettled",
                                                "no_gradient"};
  const std::optional<FitEnd> end = in_turn(box.turn, [&] { return box.training->ended(); });
  return end ? py::object(py::str(words[static_cast<std::size_t>(*end)])) : py::none();
}

py::dict describe(const TrainingBox& box) {
  const TableTraining& t = *box.training;
  const FitOptions& o = t.options();
  py::dict d;
  d["architecture"] = to_text(t.architecture());
  d["parameters"] = t.architecture().parameters();
  d["task"] = t.encoding().task == Task::classification ? "classification" : "regression";
  d["encoding"] = to_json_text(t.encoding());
  d["task_reason"] = t.task_reason();
  d["training_rows"] = t.training_rows(), d["judging_rows"] = t.judging_rows();
  d["dropped_rows"] = t.dropped_rows();
  d["epochs"] = o.epochs, d["batch"] = o.batch, d["patience"] = o.patience, d["noise"] = o.noise;
  d["images"] = o.image.none() ? py::none() : py::object(py::str(to_text(o.image)));
  d["augment"] = to_text(o.augmentation), d["average"] = o.average;
  d["dropout"] = o.training.dropout, d["normalise"] = o.training.normalise;
  d["optimiser"] = to_text(o.training.optimiser), d["schedule"] = to_text(o.training.schedule);
  d["loss"] = to_text(o.training.loss), d["clip"] = o.training.clip;
  d["certify"] = t.architecture().recurrent() ? o.training.certify : 0.0;
  d["least_settled"] = o.least_settled;
  d["score"] = score_name(o);
  return d;
}

}  // namespace

void bind_table(py::module_& module) {
  // The shape of the images in an array of this shape, as "3x32x32", and whether their channels come last;
  // None if it has no images.
  module.def("images_of", [](const std::vector<std::uint64_t>& shape) -> py::object {
    const std::optional<ArrayImages> found = images_of(shape);
    if (!found) return py::none();
    return py::make_tuple(to_text(found->shape), found->channels_last);
  });
  py::class_<TableBox>(module, "Table")
      .def(py::init(&make_table), py::arg("source"), py::arg("names"), py::arg("numbers"), py::arg("texts"))
      .def_static("read", &read, py::arg("paths"), py::arg("options"))
      .def_property_readonly("rows", [](const TableBox& box) { return box.get().rows(); })
      .def_property_readonly("names", [](const TableBox& box) {
        std::vector<std::string> names;
        for (const FrameColumn& column : box.get().columns()) names.push_back(column.name);
        return names;
      });

  py::class_<TrainingBox>(module, "Training")
      .def(py::init(&make_training), py::arg("table"), py::arg("options"), py::arg("weights"),
           py::arg("judges"), py::arg("judge_weights"), py::arg("start"))
      .def("run_epoch", &run_epoch)
      .def("records", &records_of, py::arg("first"))
      .def_property_readonly("ended", &end_of)
      .def_property_readonly(
          "best_epoch",
          [](TrainingBox& box) { return in_turn(box.turn, [&] { return box.training->best_epoch(); }); })
      .def("describe", &describe)
      .def("model",
           [](TrainingBox& box) { return in_turn(box.turn, [&] { return box_of(box.training->model()); }); });
}

}  // namespace irn::python
