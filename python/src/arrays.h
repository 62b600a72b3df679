// NumPy arrays as irn's views, and irn's results as arrays.
//
// In: float32 and float64 are read where they lie, whatever their strides; what else holds numbers is copied to float64; all else is
// refused by irn/_arrays.py, in one line that names the argument. Out: an array that owns what it shows.
#pragma once

#include <memory>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "irn/equilibrium/outcome.h"
#include "irn/front/view.h"

namespace irn::python {

namespace py = pybind11;

// What one axis stands for where two are meant.
enum class Flat : unsigned char { row, column };

// Numbers that the caller gave, kept alive; None is nothing.
class Matrix {
 public:
  Matrix(py::handle given, const char* what, Flat flat);
  const View& view() const { return view_; }

 private:
  py::array array_;
  View view_;
};

// Strides count numbers.
struct Layout {
  py::ssize_t rows = 0, columns = 0, row_stride = 0;
};

// Lets `owner` go when the last array on it does.
template <class Owner>
py::capsule keep(std::shared_ptr<const Owner> owner) {
  return py::capsule(new std::shared_ptr<const Owner>(std::move(owner)),
                     [](void* held) { delete static_cast<std::shared_ptr<const Owner>*>(held); });
}

// The numbers of a view where they lie, kept alive by `base`.
py::array array_of(const View& view, py::handle base, bool writable = false);

// One member of an array of structs.
template <class T>
py::array member_array(const T* first, std::size_t count, std::size_t stride, py::handle base) {
  return py::array(py::dtype::of<T>(), {count}, {stride}, first, base);
}

void make_read_only(py::array& array);

// outcomes, residuals, evaluations, stabilities, rates, turns, more_steps: views of the verdicts, which `base` keeps.
py::tuple verdict_arrays(const std::vector<Verdict>& verdicts, py::handle base);

}  // namespace irn::python
