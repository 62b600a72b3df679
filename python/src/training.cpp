// Training step by step: the ready-made loop, and an optimiser for your own loop.
#include <cmath>

#include <pybind11/stl.h>

#include "python/src/arrays.h"
#include "python/src/boxes.h"
#include "python/src/choices.h"

namespace irn::python {
namespace {

using Box = std::shared_ptr<NetworkBox>;

struct TrainerBox {
  Box owner;  // the training refers to its network
  Training training;
};
struct OptimiserBox {
  Optimiser optimiser;
};

std::unique_ptr<TrainerBox> make_trainer(
    const Box& box, const std::string& optimiser, const std::string& schedule, const std::string& loss,
    const std::string& gradient, const std::string& solver, double tolerance, double clip, double certify,
    double pull, const std::vector<std::tuple<std::size_t, std::string, double, std::size_t>>& heads,
    const std::string& device) {
  TrainingOptions options{
      .optimiser = optimiser,
      .schedule = schedule,
      .loss = loss,
      .gradient = {.gradient = gradient, .solver = solver, .tolerance = tolerance, .device = device},
      .clip = clip,
      .certify = certify,
      .pull = pull};
  for (const auto& [layer, its_loss, weight, targets] : heads)
    options.heads.push_back({layer, from_text<Loss>(its_loss), weight, targets});
  return in_turn(box->turn, [&] {
    return std::unique_ptr<TrainerBox>(new TrainerBox{box, Training(box->network, options)});
  });
}

py::dict report_of(const StepReport& r) {
  py::dict d;
  d["loss"] = r.loss, d["samples"] = r.samples, d["settled"] = r.settled, d["counted"] = r.counted;
  d["used"] = r.used, d["evaluations"] = r.mean_evaluations, d["gradient_norm"] = r.gradient_norm;
  d["applied"] = r.applied;
  return d;
}

py::dict step(TrainerBox& box, py::handle x, py::handle y, py::handle weights) {
  const Matrix inputs(x, "x", Flat::row), targets(y, "y", Flat::column),
      shares(weights, "weights", Flat::column);
  return report_of(in_turn(box.owner->turn,
                           [&] { return box.training.step(inputs.view(), targets.view(), shares.view()); }));
}

py::dict evaluate(TrainerBox& box, py::handle x, py::handle y, py::handle weights) {
  const Matrix inputs(x, "x", Flat::row), targets(y, "y", Flat::column),
      shares(weights, "weights", Flat::column);
  const Evaluation e = in_turn(
      box.owner->turn, [&] { return box.training.evaluate(inputs.view(), targets.view(), shares.view()); });
  py::dict d;
  d["loss"] = e.loss, d["score"] = e.score, d["samples"] = e.summary.samples;
  d["settled"] = e.summary.settled(), d["answered"] = e.summary.answered();
  d["evaluations"] = e.summary.mean_evaluations;
  return d;
}

}  // namespace

void bind_training(py::module_& module) {
  py::class_<TrainerBox>(module, "Trainer")
      .def(py::init(&make_trainer), py::arg("network"), py::arg("optimiser"), py::arg("schedule"),
           py::arg("loss"), py::arg("gradient"), py::arg("solver"), py::arg("tolerance"), py::arg("clip"),
           py::arg("certify"), py::arg("pull"), py::arg("heads"), py::arg("device"))
      .def("step", &step, py::arg("x"), py::arg("y"), py::arg("weights"))
      .def("certify", [](TrainerBox& box) { in_turn(box.owner->turn, [&] { box.training.certify(); }); })
      .def("evaluate", &evaluate, py::arg("x"), py::arg("y"), py::arg("weights"));

  py::class_<OptimiserBox>(module, "Optimiser")
      .def(py::init([](const std::string& text, const NetworkBox& box) {
             return std::unique_ptr<OptimiserBox>(new OptimiserBox{Optimiser(text, box.network)});
           }),
           py::arg("text"), py::arg("network"))
      .def(
          "step",
          [](OptimiserBox& box, NetworkBox& network, py::handle gradient, double rate_factor) {
            const Matrix given(gradient, "gradient", Flat::row);
            return in_turn(network.turn, [&] {
              return box.optimiser.step(network.network, given.view(), rate_factor) == StepOutcome::applied;
            });
          },
          py::arg("network"), py::arg("gradient"), py::arg("rate_factor"));
}

}  // namespace irn::python
