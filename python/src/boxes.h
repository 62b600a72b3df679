// The objects that Python holds: irn's values, each with its turn (turn.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "irn/irn.h"
#include "python/src/turn.h"

namespace irn::python {

struct NetworkBox {
  explicit NetworkBox(Network given) : network(std::move(given)) {}
  Network network;
  Turn turn;
  double row_seconds = 0;  // time of a row in the last call with many; 0: there was none
};

// A table on its way to a training or a model.
struct TableBox {
  std::unique_ptr<Frame> frame;  // null once it was handed on
  Frame& get() const {
    if (!frame) throw Error("this table was handed on to a training");
    return *frame;
  }
};

struct ModelBox {
  explicit ModelBox(AnyModel given) : model(std::move(given)) {}
  // Made at the first request.
  Predictor& predictor(Unsettled unsettled, std::size_t views, Device device);
  const Encoding& encoding() const;

  AnyModel model;
  std::map<std::tuple<Unsettled, std::size_t, std::string>, std::unique_ptr<Predictor>> predictors = {};
  std::vector<Prediction> predictions = {};  // keep their memory between calls
  Turn turn = {};
};
std::shared_ptr<ModelBox> box_of(AnyModel model);

void bind_devices(pybind11::module_& module);
void bind_network(pybind11::module_& module);
void bind_training(pybind11::module_& module);  // of networks, step by step
void bind_problem(pybind11::module_& module);
void bind_analysis(pybind11::module_& module);  // of a network's equilibria
void bind_model(pybind11::module_& module);
void bind_table(pybind11::module_& module);  // and trainings on one

}  // namespace irn::python
