#include "python/src/arrays.h"

#include <string>

#include "irn/base/error.h"

namespace irn::python {
namespace {

// Exactly an ndarray: subclasses (masked arrays, matrices) may mean more than their numbers.
bool is_plain(py::handle given) { return Py_TYPE(given.ptr()) == py::detail::npy_api::get().PyArray_Type_; }

bool readable_in_place(const py::array& array) {
  constexpr int aligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  if (!(array.flags() & aligned)) return false;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis)
    if (array.strides(axis) % array.itemsize() != 0) return false;
  return true;
}

template <class T>
View view_as(const py::array& array, Flat flat) {
  const auto* data = static_cast<const T*>(array.data());
  const auto stride = [&](py::ssize_t axis) { return array.strides(axis) / py::ssize_t(sizeof(T)); };
  const auto size = [&](py::ssize_t axis) { return static_cast<std::size_t>(array.shape(axis)); };
  if (array.ndim() == 2) return View(data, size(0), size(1), stride(0), stride(1));
  return flat == Flat::row ? View(data, 1, size(0), 0, stride(0)) : View(data, size(0), 1, stride(0), 1);
}

}  // namespace

Matrix::Matrix(py::handle given, const char* what, Flat flat) {
  if (given.is_none()) return;
  const bool numbers = is_plain(given) && (py::isinstance<py::array_t<float>>(given) ||
                                           py::isinstance<py::array_t<double>>(given));
  if (numbers) array_ = py::reinterpret_borrow<py::array>(given);
  if (!numbers || !readable_in_place(array_))
    array_ = py::array(py::module_::import("irn._arrays").attr("numbers")(given, what));
  if (array_.ndim() < 1 || array_.ndim() > 2)
    throw Error(std::string(what) + " has " + std::to_string(array_.ndim()) + " axes; give one or two");
  view_ = py::isinstance<py::array_t<float>>(array_) ? view_as<float>(array_, flat)
                                                     : view_as<double>(array_, flat);
}

py::array array_of(const View& view, py::handle base, bool writable) {
  const std::vector<py::ssize_t> shape = {py::ssize_t(view.rows()), py::ssize_t(view.columns())};
  py::array array;
  if (view.empty())
    array = view.precision() == Precision::float32 ? py::array(py::array_t<float>(shape))
                                                   : py::array(py::array_t<double>(shape));
  else if (const float* numbers = view.plain<float>())
    array = py::array_t<float>(shape, numbers, base);
  else if (const double* wide = view.plain<double>())
    array = py::array_t<double>(shape, wide, base);
  else
    throw Error("a view with gaps cannot be shown as an array");
  if (!writable) make_read_only(array);
  return array;
}

void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

py::tuple verdict_arrays(const std::vector<Verdict>& verdicts, py::handle base) {
  static const Verdict none;  // stands in where there are no verdicts
  const Verdict& first = verdicts.empty() ? none : verdicts.front();
  const auto column = [&]<class T>(const T& member) {
    return member_array(&member, verdicts.size(), sizeof(Verdict), base);
  };
  const auto codes = [&](const auto& member) {
    return column(reinterpret_cast<const std::uint8_t&>(member));
  };
  return py::make_tuple(codes(first.outcome), column(first.residual), column(first.evaluations),
                        codes(first.stability), column(first.rate), column(first.turn),
                        column(first.more_steps));
}

}  // namespace irn::python
