// Models: what `irn train` writes, read, used and written again.
#include <unordered_map>

#include <pybind11/stl.h>

#include "irn/base/options_text.h"
#include "irn/data/encoded_samples.h"
#include "irn/data/table_words.h"
#include "irn/model/prediction.h"
#include "irn/train/views.h"
#include "python/src/arrays.h"
#include "python/src/boxes.h"
#include "python/src/choices.h"
#include "python/src/parts.h"

namespace irn::python {

Predictor& ModelBox::predictor(Unsettled unsettled, std::size_t views, Device device) {
  std::unique_ptr<Predictor>& held = predictors[{unsettled, views, to_text(device)}];
  if (!held)
    held =
        std::make_unique<Predictor>(model, PredictorOptions{unsettled, 0, &shared_threads(), views, device});
  return *held;
}
const Encoding& ModelBox::encoding() const {
  return std::visit([](const auto& m) -> const Encoding& { return m.encoding; }, model);
}

std::shared_ptr<ModelBox> box_of(AnyModel model) { return std::make_shared<ModelBox>(std::move(model)); }

namespace {

Unsettled unsettled_of(const std::string& text) {
  return chosen<Unsettled>("unsettled", text, {unsettled_names.begin(), unsettled_names.end()});
}

// Answers as columns: numbers [row][target] or probabilities [row][class], the label's index (-1: none), and
// the basis of each answer.
class Columns {
 public:
  Columns(const Encoding& encoding, std::size_t rows)
      : classes_(encoding.task == Task::classification),
        numbers_(std::vector<std::size_t>{rows, encoding.target_width()}),
        labels_(classes_ ? rows : 0),
        basis_(rows),
        outcomes_(rows),
        residuals_(rows),
        evaluations_(rows) {
    if (classes_)
      for (const std::string& name : encoding.targets.front().categories)
        places_.emplace(name.data(), static_cast<std::int32_t>(places_.size()));
  }

  void set(std::size_t row, const Prediction& p) {
    const std::vector<double>& from = classes_ ? p.probabilities : p.values;
    std::copy(from.begin(), from.end(), numbers_.mutable_data() + row * from.size());
    if (classes_) labels_.mutable_data()[row] = p.label.empty() ? -1 : places_.at(p.label.data());
    without_ += !p.answered();
    basis_.mutable_data()[row] = static_cast<std::uint8_t>(p.basis);
    outcomes_.mutable_data()[row] = static_cast<std::uint8_t>(p.verdict.outcome);
    residuals_.mutable_data()[row] = p.verdict.residual;
    evaluations_.mutable_data()[row] = p.verdict.evaluations;
  }
  py::tuple tuple() const {
    return py::make_tuple(numbers_, labels_, basis_, outcomes_, residuals_, evaluations_, without_);
  }

 private:
  bool classes_;
  std::size_t without_ = 0;  // rows that have no answer
  py::array_t<double> numbers_;
  py::array_t<std::int32_t> labels_;
  py::array_t<std::uint8_t> basis_, outcomes_;
  py::array_t<double> residuals_;
  py::array_t<std::uint32_t> evaluations_;
  std::unordered_map<const char*, std::int32_t> places_;  // labels point into the encoding
};

std::optional<DateOrder> order_of(const std::string& text) {
  return named("date_order", [&] { return date_order_from(text); });
}

// x has numbers, not dates: `date_order` is only checked.
py::tuple predict_rows(ModelBox& box, py::handle x, const std::string& unsettled, std::size_t views,
                       const std::string& device, const std::string& date_order) {
  order_of(date_order);
  const Matrix given(x, "x", Flat::row);
  const View& all = given.view();
  const Unsettled instead = unsettled_of(unsettled);
  const Device where = from_text<Device>(device);
  const std::size_t columns = box.encoding().inputs.size();
  if (all.columns() != columns)
    throw Error("x has " + std::to_string(all.columns()) + " columns; the model takes " +
                std::to_string(columns));
  std::optional<Columns> out;
  std::vector<double> copy;
  // As many rows as have predictions that stay in the cache until they are copied; a device has room for
  // more.
  const std::size_t most = where == Device::cpu ? 4096 : 65536;
  in_parts(all.rows(), most, [&](std::size_t first, std::size_t count) {
    in_turn(box.turn, [&] {
      Predictor& predictor = box.predictor(instead, views, where);
      try {
        predictor.predict_rows(all.rows(first, count).as(copy), box.predictions);
      } catch (const Error&) {
        // Refuses all rows, counted from the first. If it does not, the part's own error remains.
        predictor.predict_rows(all.as(copy), box.predictions);
        throw;
      }
      const Locked held;
      if (!out) out.emplace(predictor.encoding(), all.rows());
      for (std::size_t i = 0; i < count; ++i) out->set(first + i, box.predictions[i]);
    });
  });
  if (!out) {
    in_turn(box.turn, [&] { check_device(where); });  // with rows, their predictor does it
    out.emplace(box.encoding(), 0);
  }
  return out->tuple();
}

// For a table with named columns, some of them texts; as in `irn predict`.
py::tuple predict_table(ModelBox& box, const TableBox& table, const std::string& unsettled, std::size_t views,
                        const std::string& device, const std::string& date_order) {
  const Unsettled instead = unsettled_of(unsettled);
  const std::optional<DateOrder> order = order_of(date_order);
  const Device where = from_text<Device>(device);
  return std::visit(
      [&]<class T>(const ModelOf<T>& model) {
        check_unsettled(instead, model.encoding);
        Encoding encoding = model.encoding;
        if (encoding.missing == Missing::drop)
          encoding.missing = Missing::refuse;  // a requested row has an answer
        if (order) set_date_order(encoding, *order);
        std::optional<Equilibria<T>> found;
        in_turn(box.turn, [&] {
          using Options = typename EncodedSamples<T>::Options;
          const EncodedSamples<T> samples(table.get(), encoding, Options{.with_targets = false});
          SettleOptions settle = model.settle;
          settle.device = where;
          Settler<T> settler(model.network, settle, shared_threads());
          const bool classes = encoding.task == Task::classification;
          found = settle_views<T>(settler, samples, {views, model.augmentation, encoding.image},
                                  classes ? encoding.target_width() : 0);
        });
        heed_signals();
        Columns out(model.encoding, found->size());
        Prediction prediction;
        for (std::size_t i = 0; i < found->size(); ++i) {
          decode<T>(model.encoding, found->state(i), found->verdicts[i], instead, prediction);
          out.set(i, prediction);
        }
        return out.tuple();
      },
      box.model);
}

// The network's inputs and, on request, its targets: [row][unit] each.
py::tuple encode(ModelBox& box, const TableBox& table, bool with_targets) {
  return std::visit(
      [&]<class T>(const ModelOf<T>& model) {
        using Options = typename EncodedSamples<T>::Options;
        const EncodedSamples<T> samples(table.get(), model.encoding, Options{.with_targets = with_targets});
        std::vector<std::uint64_t> all(samples.size());
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
        py::array_t<T> inputs({samples.size(), samples.inputs()}),
            targets({samples.size(), samples.targets()});
        samples.inputs_as_rows(all, inputs.mutable_data());
        if (with_targets) samples.targets_as_rows(all, targets.mutable_data());
        return py::make_tuple(inputs, targets);
      },
      box.model);
}

py::list columns_of(const std::vector<EncodedColumn>& columns) {
  py::list all;
  for (const EncodedColumn& c : columns) all.append(py::make_tuple(c.name, c.categories, c.mean, c.scale));
  return all;
}

py::dict describe(const ModelBox& box) {
  return std::visit(
      []<class T>(const ModelOf<T>& m) {
        py::dict d;
        d["architecture"] = to_text(m.network.architecture());
        d["precision"] = to_text(precision_of<T>);
        d["task"] = m.encoding.task == Task::classification ? "classification" : "regression";
        d["inputs"] = columns_of(m.encoding.inputs);
        d["text_columns"] = m.encoding.text_columns();
        d["targets"] = columns_of(m.encoding.targets);
        d["fallback"] = m.encoding.fallback;
        d["solver"] = to_text(m.settle.solver);
        d["tolerance"] = m.settle.tolerance;
        d["certified"] = m.settle.certified;
        d["seed"] = m.seed;
        d["loss"] = m.loss ? py::object(py::str(to_text(*m.loss))) : py::none();
        d["images"] = m.encoding.image.none() ? py::none() : py::object(py::str(to_text(m.encoding.image)));
        d["augmentation"] = to_text(m.augmentation);
        d["metrics"] = m.metrics;
        d["configuration"] = m.configuration;
        d["encoding"] = to_json_text(m.encoding);
        return d;
      },
      box.model);
}

std::shared_ptr<NetworkBox> network_of(const ModelBox& box) {
  return std::visit(
      [](const auto& model) {
        Network network(model.network);
        network.set_trained_with(model.settle);
        return std::make_shared<NetworkBox>(std::move(network));
      },
      box.model);
}

py::bytes bytes_of(const ModelBox& box) {
  return std::visit([](const auto& model) { return py::bytes(to_bytes(model)); }, box.model);
}

// A network as a model with an encoding, given as JSON; empty: plain columns.
std::shared_ptr<ModelBox> model_with(NetworkBox& box, const std::string& encoding, const std::string& loss) {
  return in_turn(box.turn, [&] {
    const Network& n = box.network;
    const auto make = [&]<class T>(const NetworkOf<T>& core) {
      ModelOf<T> model{.network = core,
                       .encoding = encoding.empty() ? plain_encoding(n.inputs(), n.outputs())
                                                    : encoding_from_json_text(encoding),
                       .settle = n.trained_with()};
      if (!loss.empty()) model.loss = from_text<Loss>(loss);
      check_fits(model.encoding, core.architecture());
      return box_of(std::move(model));
    };
    if (const auto* single = n.core<float>()) return make(*single);
    return make(*n.core<double>());
  });
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<ModelBox, std::shared_ptr<ModelBox>>(module, "Model")
      .def_static("read",
                  [](const std::string& path) {
                    const Unlocked free;
                    return box_of(read_model(path));
                  })
      .def_static("from_bytes",
                  [](const std::string& bytes) { return box_of(model_from_bytes(bytes, "a pickled model")); })
      .def_static("of_network", &model_with, py::arg("network"), py::arg("encoding"), py::arg("loss"))
      .def("to_bytes", &bytes_of)
      .def("save",
           [](ModelBox& box, const std::string& path) {
             in_turn(box.turn,
                     [&] { std::visit([&](const auto& model) { write_model(path, model); }, box.model); });
           })
      .def("encode", &encode, py::arg("table"), py::arg("with_targets"))
      .def("describe", &describe)
      .def("network", &network_of)
      .def("predict_rows", &predict_rows, py::arg("x"), py::arg("unsettled"), py::arg("views"),
           py::arg("device"), py::arg("date_order"))
      .def("predict_table", &predict_table, py::arg("table"), py::arg("unsettled"), py::arg("views"),
           py::arg("device"), py::arg("date_order"));
}

}  // namespace irn::python
