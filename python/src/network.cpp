// Networks: settle, forward, backward, parameters, bytes.
#include <chrono>
#include <cstddef>
#include <cstring>

#include <pybind11/stl.h>

#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/network/certificate.h"
#include "python/src/arrays.h"
#include "python/src/boxes.h"
#include "python/src/choices.h"
#include "python/src/parts.h"

namespace irn::python {
namespace {

using Box = std::shared_ptr<NetworkBox>;

struct PassBox {
  Box owner;
  std::shared_ptr<const Pass> pass;
};

// states, and the members of each verdict, without a copy.
template <class Found>
py::tuple arrays_of(const std::shared_ptr<const Found>& found, bool writable) {
  const py::capsule base = keep(found);
  return py::make_tuple(array_of(found->states(), base, writable), verdict_arrays(found->verdicts(), base));
}

// Room for the answers to many rows, filled in part by part.
struct Gathered {
  Gathered(std::size_t rows, const Network& network)
      : states(network.precision() == Precision::float32 ? py::dtype::of<float>() : py::dtype::of<double>(),
               std::vector<std::size_t>{rows, network.neurons()}),
        verdicts(std::make_shared<std::vector<Verdict>>(rows)),
        row_bytes(network.neurons() * static_cast<std::size_t>(states.itemsize())) {}

  void take(const Answers& found, std::size_t first) {
    const View all = found.states();
    const void* from = all.plain<float>();
    if (!from) from = all.plain<double>();
    std::memcpy(static_cast<char*>(states.mutable_data()) + first * row_bytes, from,
                found.size() * row_bytes);
    std::copy(found.verdicts().begin(), found.verdicts().end(),
              verdicts->begin() + static_cast<std::ptrdiff_t>(first));
  }
  py::tuple tuple() const {
    const std::shared_ptr<const std::vector<Verdict>> kept = verdicts;
    return py::make_tuple(states, verdict_arrays(*kept, keep(kept)));
  }

  py::array states;
  std::shared_ptr<std::vector<Verdict>> verdicts;
  std::size_t row_bytes;
};

py::tuple settle_in_parts(NetworkBox& box, const View& x, const Settling& how, const View& starts) {
  Gathered all(x.rows(), box.network);
  in_parts(x.rows(), x.rows(), [&](std::size_t first, std::size_t count) {
    const View from = starts.rows() > 1 ? starts.rows(first, count) : starts;
    const Answers found = in_turn(box.turn, [&] {
      try {
        return box.network.settle(x.rows(first, count), how, from);
      } catch (const Error&) {
        // Refuses all rows, counted from the first. If it does not, the part's own error remains.
        box.network.settle(x, how, starts);
        throw;
      }
    });
    all.take(found, first);
  });
  return all.tuple();
}

py::tuple settle_at_once(NetworkBox& box, const View& x, const Settling& how, const View& starts) {
  auto found =
      std::make_shared<const Answers>(in_turn(box.turn, [&] { return box.network.settle(x, how, starts); }));
  return arrays_of(found, true);
}

py::tuple settle(NetworkBox& box, py::handle x, const std::string& solver, double tolerance,
                 py::handle starts, double floor, bool confirm, const std::string& device) {
  const Matrix inputs(x, "x", Flat::row), from(starts, "starts", Flat::row);
  const View &rows = inputs.view(), &begin = from.view();
  const Settling how{
      .solver = solver, .tolerance = tolerance, .device = device, .floor = floor, .confirm = confirm};
  if (rows.rows() <= first_part || (begin.rows() > 1 && begin.rows() != rows.rows()))
    return settle_at_once(box, rows, how, begin);
  // The results of parts are copied together: not worth it if the whole call ends before anyone would press
  // Ctrl-C.
  constexpr double patience = 0.3;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const bool quick = box.row_seconds > 0 && box.row_seconds * double(rows.rows()) < patience;
  const py::tuple found =
      quick ? settle_at_once(box, rows, how, begin) : settle_in_parts(box, rows, how, begin);
  box.row_seconds = std::chrono::duration<double>(Clock::now() - start).count() / double(rows.rows());
  return found;
}

OnFold on_fold_of(const std::string& text) {
  return chosen<OnFold>("on_fold", text, {"leave_out", "limit", "keep"});
}

PassBox forward(const Box& box, py::handle x, const std::string& gradient, const std::string& solver,
                double tolerance, py::handle starts, bool inputs, const std::string& on_fold,
                double amplification_limit, const std::vector<std::size_t>& heads,
                const std::string& device) {
  const Matrix rows(x, "x", Flat::row), from(starts, "starts", Flat::row);
  const Differentiating how{.gradient = gradient,
                            .solver = solver,
                            .tolerance = tolerance,
                            .device = device,
                            .on_fold = on_fold_of(on_fold),
                            .amplification_limit = amplification_limit,
                            .inputs = inputs,
                            .heads = heads};
  return {box, std::make_shared<const Pass>(
                   in_turn(box->turn, [&] { return box->network.forward(rows.view(), how, from.view()); }))};
}

// parameters, inputs (or None), outcomes, amplification, used
py::tuple backward(const PassBox& pass, py::handle slopes, py::handle weights) {
  const Matrix given(slopes, "slopes", Flat::column), shares(weights, "weights", Flat::column);
  if (given.view().rows() != pass.pass->size())
    throw Error("slopes have " + std::to_string(given.view().rows()) + " rows for the " +
                std::to_string(pass.pass->size()) + " samples of the pass");
  NetworkBox& box = *pass.owner;
  auto found = std::make_shared<const Gradients>(
      in_turn(box.turn, [&] { return box.network.backward(*pass.pass, given.view(), shares.view()); }));
  const py::capsule base = keep(found);
  const std::vector<GradientOutcome>& o = found->outcomes();
  py::object by_inputs = py::none();
  if (!found->inputs().empty()) by_inputs = array_of(found->inputs(), base, true);
  return py::make_tuple(array_of(found->parameters(), base, true).attr("reshape")(-1), by_inputs,
                        member_array(reinterpret_cast<const std::uint8_t*>(o.data()), o.size(), 1, base),
                        member_array(found->amplification().data(), o.size(), sizeof(double), base),
                        found->used());
}

Box make(const std::string& architecture, const std::string& precision, const std::string& start,
         std::uint64_t seed) {
  const NetworkOptions options{.precision = precision_of_text(precision),
                               .start = chosen<Start>("start", start, {"paper", "scaled"}),
                               .seed = seed};
  const Unlocked free;
  return std::make_shared<NetworkBox>(Network(architecture, options));
}

template <class Body>
decltype(auto) with_core(const Network& network, const Body& body) {
  if (const auto* single = network.core<float>()) return body(*single);
  return body(*network.core<double>());
}

py::bytes bytes_of(NetworkBox& box) {
  const Network& n = box.network;
  return py::bytes(in_turn(box.turn, [&] {
    return with_core(n, [&]<class T>(const NetworkOf<T>& core) {
      return to_bytes(ModelOf<T>{core, plain_encoding(n.inputs(), n.outputs()), n.trained_with()});
    });
  }));
}

Box from_bytes(const std::string& bytes) {
  return std::visit(
      [](auto&& model) {
        Network network(std::move(model.network));
        network.set_trained_with(model.settle);
        return std::make_shared<NetworkBox>(std::move(network));
      },
      model_from_bytes(bytes, "a pickled network"));
}

py::list parts_of(const NetworkBox& box) {
  py::list all;
  for (const ParameterPart& part : box.network.parts())
    all.append(py::make_tuple(part.name, py::tuple(py::cast(part.shape)), part.first, part.count));
  return all;
}

py::list layers(const NetworkBox& box) {
  py::list all;
  for (const Layer& layer : box.network.architecture().layers())
    all.append(py::make_tuple(layer.size, activation_names[static_cast<std::size_t>(layer.activation)]));
  return all;
}

py::object certificate(const NetworkBox& box) {
  if (!can_be_certified(box.network.architecture())) return py::none();
  return with_core(box.network, [](const auto& core) -> py::object {
    return py::make_tuple(certificate_bound(core), is_certified(core));
  });
}

}  // namespace

void bind_network(py::module_& module) {
  py::class_<PassBox>(module, "Pass")
      .def("arrays", [](const PassBox& box) { return arrays_of(box.pass, false); })
      .def("backward", &backward, py::arg("slopes"), py::arg("weights"));

  py::class_<NetworkBox, Box>(module, "Network")
      .def(py::init(&make), py::arg("architecture"), py::arg("precision"), py::arg("start"), py::arg("seed"))
      .def_static("from_bytes", &from_bytes)
      .def_static("load",
                  [](const std::string& path) {
                    const Unlocked free;
                    return std::make_shared<NetworkBox>(Network::load(path));
                  })
      .def("to_bytes", &bytes_of)
      .def("save", [](NetworkBox& box,
                      const std::string& path) { in_turn(box.turn, [&] { box.network.save(path); }); })
      .def("copy",
           [](NetworkBox& box) {
             return in_turn(box.turn, [&] { return std::make_shared<NetworkBox>(box.network); });
           })
      .def_property_readonly("architecture", [](const NetworkBox& box) { return box.network.text(); })
      .def_property_readonly("precision",
                             [](const NetworkBox& box) { return to_text(box.network.precision()); })
      .def_property_readonly("inputs", [](const NetworkBox& box) { return box.network.inputs(); })
      .def_property_readonly("outputs", [](const NetworkBox& box) { return box.network.outputs(); })
      .def_property_readonly("neurons", [](const NetworkBox& box) { return box.network.neurons(); })
      .def_property_readonly("recurrent",
                             [](const NetworkBox& box) { return box.network.architecture().recurrent(); })
      .def_property_readonly("layers", &layers)
      .def_property_readonly("parts", &parts_of)
      .def_property_readonly("trained_with",
                             [](const NetworkBox& box) {
                               const SettleOptions& o = box.network.trained_with();
                               return py::make_tuple(to_text(o.solver), o.tolerance);
                             })
      .def("parameters",
           [](const Box& box) {
             return array_of(box->network.parameters(), py::cast(box)).attr("reshape")(-1);
           })
      .def("set_parameters",
           [](NetworkBox& box, py::handle values) {
             const Matrix given(values, "parameters", Flat::row);
             in_turn(box.turn, [&] { box.network.set_parameters(given.view()); });
           })
      .def("set_parameter",
           [](NetworkBox& box, const std::string& name, py::handle values) {
             const Matrix given(values, name.c_str(), Flat::row);
             in_turn(box.turn, [&] { box.network.set_parameter(name, given.view()); });
           })
      .def("settle", &settle, py::arg("x"), py::arg("solver"), py::arg("tolerance"), py::arg("starts"),
           py::arg("floor"), py::arg("confirm"), py::arg("device"))
      .def("forward", &forward, py::arg("x"), py::arg("gradient"), py::arg("solver"), py::arg("tolerance"),
           py::arg("starts"), py::arg("inputs"), py::arg("on_fold"), py::arg("amplification_limit"),
           py::arg("heads"), py::arg("device"))
      .def("certificate", &certificate);
}

}  // namespace irn::python
