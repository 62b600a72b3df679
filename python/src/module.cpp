// irn._core: the front door (irn/irn.h) for Python. The package's own classes are built on this module; their
// documentation is there.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/base/version.h"
#include "irn/train/metrics.h"
#include "python/src/boxes.h"

namespace irn::python {
namespace {

namespace py = pybind11;

// With its public name: irn.Error.
py::object new_exception(py::module_& module, const char* name, py::handle bases, const char* doc) {
  const std::string full = std::string("irn.") + name;
  const py::object made =
      py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr));
  if (!made) throw py::error_already_set();
  module.attr(name) = made;
  return made;
}

// They live as long as the interpreter: exceptions may occur after modules are gone.
struct Exceptions {
  py::object error, data, file;
};
Exceptions* exceptions = nullptr;

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const FileError& error) {
    PyErr_SetString(exceptions->file.ptr(), error.what());
  } catch (const DataError& error) {
    PyErr_SetString(exceptions->data.ptr(), error.what());
  } catch (const Error& error) {
    PyErr_SetString(exceptions->error.ptr(), error.what());
  }
}

void bind_exceptions(py::module_& module) {
  const py::object value_error = py::reinterpret_borrow<py::object>(PyExc_ValueError),
                   os_error = py::reinterpret_borrow<py::object>(PyExc_OSError);
  const py::object error = new_exception(module, "Error", value_error,
                                         "What irn refuses: one line, what is wrong, where, and what to do.");
  exceptions = new Exceptions{
      error,
      new_exception(module, "DataError", error, "The mistake is in the data; the line names the place."),
      new_exception(module, "FileError", py::make_tuple(error, os_error),
                    "The file system refuses: no such file, no permission, no room.")};
  py::register_exception_translator(translate);
}

template <class Names>
py::tuple texts(const Names& names) {
  py::tuple all(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) all[i] = py::str(std::string(names[i]));
  return all;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.attr("version") = IRN_VERSION;
  module.attr("outcome_names") = texts(outcome_names);
  module.attr("stability_names") = texts(stability_names);
  module.attr("gradient_outcome_names") = texts(gradient_outcome_names);
  module.attr("basis_names") = texts(basis_names);
  module.attr("solver_names") = texts(names<Solver>());
  module.attr("gradient_names") = texts(names<Gradient>());
  module.attr("optimiser_names") = texts(names<OptimiserOptions>());
  module.attr("schedule_names") = texts(names<Schedule>());
  module.attr("loss_names") = texts(names<NamedLoss>());
  module.attr("metric_names") = texts(metric_names);
  module.attr("activation_names") = texts(activation_names);
  module.attr("certificate_names") = texts(certificate_names);
  module.attr("turning_names") = texts(turning_names);
  bind_exceptions(module);
  bind_devices(module);
  bind_network(module);
  bind_training(module);
  bind_problem(module);
  bind_analysis(module);
  bind_model(module);
  bind_table(module);
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_threads));
}

}  // namespace irn::python
