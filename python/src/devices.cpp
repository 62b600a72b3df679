// The devices that irn can compute on.
#include <pybind11/stl.h>

#include "python/src/boxes.h"
#include "python/src/gil.h"

namespace irn::python {
namespace {

namespace py = pybind11;

// (name, usable, text) of each.
py::list devices() {
  std::vector<DeviceFinding> all;
  {
    const Unlocked free;
    all = find_devices();
  }
  py::list found;
  for (const DeviceFinding& one : all)
    found.append(py::make_tuple(to_text(one.device), one.usable, one.text));
  return found;
}

// The canonical name of the device: cuda for cuda:0.
std::string check(const std::string& device) {
  const Unlocked free;
  const Device found = from_text<Device>(device);
  check_device(found);
  return to_text(found);
}

}  // namespace

void bind_devices(py::module_& module) {
  module.def("devices", &devices);
  module.def("check_device", &check, py::arg("device"));
}

}  // namespace irn::python
