// NumPy arrays as irn's views, and irn's results as arrays.
//
// In: float32 and float64 are read in place, with any strides; other numbers are copied to float64;
// everything else is refused by irn/_arrays.py, in one line that names the argument. Out: an array that keeps
// its data alive.
#pragma once

#include <memory>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "irn/equilibrium/outcome.h"
#include "irn/front/view.h"

namespace irn::python {

namespace py = pybind11;

// What a one-dimensional array means where two dimensions are expected.
enum class Flat : unsigned char { row, column };

// The caller's numbers, kept alive; None is an empty view.
class Matrix {
 public:
  Matrix(py::handle given, const char* what, Flat flat);
  const View& view() const { return view_; }

 private:
  py::array array_;
  View view_;
};

// Strides are in numbers, not bytes.
struct Layout {
  py::ssize_t rows = 0, columns = 0, row_stride = 0;
};

// Releases `owner` together with the last array that refers to it.
template <class Owner>
py::capsule keep(std::shared_ptr<const Owner> owner) {
  return py::capsule(new std::shared_ptr<const Owner>(std::move(owner)),
                     [](void* held) { delete static_cast<std::shared_ptr<const Owner>*>(held); });
}

// The numbers of a view in place, kept alive by `base`.
py::array array_of(const View& view, py::handle base, bool writable = false);

// One member of an array of structs.
template <class T>
py::array member_array(const T* first, std::size_t count, std::size_t stride, py::handle base) {
  return py::array(py::dtype::of<T>(), {count}, {stride}, first, base);
}

void make_read_only(py::array& array);

// outcomes, residuals, evaluations, stabilities, rates, turns, more_steps: views of the verdicts, which
// `base` keeps alive.
py::tuple verdict_arrays(const std::vector<Verdict>& verdicts, py::handle base);

}  // namespace irn::python
