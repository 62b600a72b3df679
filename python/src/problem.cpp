// A fixed-point problem whose map is a Python function of rows: each call asks for all rows that wait for an
// answer.
//
// Python gets its own arrays: it may keep them, and changes to them have no effect here.
#include <cstring>

#include <pybind11/stl.h>

#include "irn/gradient/problem_gradient.h"
#include "python/src/arrays.h"
#include "python/src/boxes.h"

namespace irn::python {
namespace {

using Index = std::span<const std::size_t>;
using Numbers = std::span<const double>;

py::array_t<py::ssize_t> index_array(Index index) {
  py::array_t<py::ssize_t> copy(static_cast<py::ssize_t>(index.size()));
  std::copy(index.begin(), index.end(), copy.mutable_data());
  return copy;
}

py::array_t<double> rows_array(Numbers values, std::size_t columns) {
  return py::array_t<double>(
      {static_cast<py::ssize_t>(values.size() / columns), static_cast<py::ssize_t>(columns)}, values.data());
}

// Takes the function's result, which irn/_settle.py has made an array of float64 of the right shape.
void take(const py::object& returned, std::span<double> out) {
  const auto rows = py::array_t<double, py::array::c_style>::ensure(returned);
  if (!rows || static_cast<std::size_t>(rows.size()) != out.size())
    throw Error("the function returned another shape than it was asked for");
  std::copy_n(rows.data(), out.size(), out.begin());
}

BatchProblem problem_of(std::size_t size, const py::function& map, const py::object& jacobian,
                        const py::object& times, const py::object& transposed) {
  BatchProblem problem{.size = size};
  problem.map = [&map, size](Index index, Numbers z, std::span<double> f) {
    const Locked held;
    outlasting([&] { take(map(index_array(index), rows_array(z, size)), f); });
  };
  if (!jacobian.is_none())
    problem.jacobian = [&jacobian, size](Index index, Numbers z, std::span<double> out) {
      const Locked held;
      outlasting([&] { take(jacobian(index_array(index), rows_array(z, size)), out); });
    };
  const auto product = [size](const py::object& function) {
    return [&function, size](Index index, Numbers z, Numbers v, std::span<double> out) {
      const Locked held;
      outlasting([&] { take(function(index_array(index), rows_array(z, size), rows_array(v, size)), out); });
    };
  };
  if (!times.is_none()) problem.jacobian_times = product(times);
  if (!transposed.is_none()) problem.transposed_times = product(transposed);
  return problem;
}

// z0 is row-major [problem][unknown], float64. Returns states and verdicts.
py::tuple settle_problem(const py::array_t<double, py::array::c_style>& z0, const py::function& map,
                         const py::object& jacobian, const py::object& times, const std::string& solver,
                         double tolerance, double floor, bool confirm) {
  const auto count = static_cast<std::size_t>(z0.shape(0)), size = static_cast<std::size_t>(z0.shape(1));
  BatchProblem problem = problem_of(size, map, jacobian, times, py::none());
  problem.start = [&](Index, std::span<double> z) { std::copy_n(z0.data(), z.size(), z.begin()); };
  const SettleOptions options{
      .solver = from_text<Solver>(solver), .tolerance = tolerance, .floor = floor, .confirm = confirm};
  auto found = std::make_shared<Equilibria<double>>();
  {
    const Unlocked free;
    *found = settle(problem, count, options, shared_threads());
  }
  const py::capsule base = keep(std::shared_ptr<const Equilibria<double>>(found));
  return py::make_tuple(array_of(View(found->states.data(), count, size), base, true),
                        verdict_arrays(found->verdicts, base));
}

Equilibria<double> equilibria_of(const py::array_t<double, py::array::c_style>& states,
                                 const py::array_t<std::uint8_t, py::array::c_style>& outcomes) {
  Equilibria<double> at{static_cast<std::size_t>(states.shape(1)), {}, {}};
  at.states.assign(states.data(), states.data() + states.size());
  at.verdicts.resize(static_cast<std::size_t>(outcomes.size()));
  for (std::size_t i = 0; i < at.verdicts.size(); ++i) {
    if (outcomes.data()[i] >= outcome_names.size())
      throw Error("outcomes: " + std::to_string(outcomes.data()[i]) + " is none");
    at.verdicts[i].outcome = static_cast<Outcome>(outcomes.data()[i]);
  }
  return at;
}

// u = g + J^T u at states that settle_problem found. Returns u, outcomes, amplification, residuals.
py::tuple adjoint_problem(const py::array_t<double, py::array::c_style>& states,
                          const py::array_t<std::uint8_t, py::array::c_style>& outcomes,
                          const py::array_t<double, py::array::c_style>& slopes, const py::function& map,
                          const py::object& jacobian, const py::object& transposed,
                          double amplification_limit, std::size_t memory, std::size_t products) {
  const Equilibria<double> at = equilibria_of(states, outcomes);
  if (slopes.size() != states.size() || at.size() * at.neurons != at.states.size())
    throw Error("states, outcomes and slopes are not of the same problems");
  const BatchProblem problem = problem_of(at.neurons, map, jacobian, py::none(), transposed);
  auto found = std::make_shared<ProblemGradient>();
  {
    const Unlocked free;
    *found = differentiate(problem, at, {slopes.data(), static_cast<std::size_t>(slopes.size())},
                           {amplification_limit, memory, products}, shared_threads());
  }
  const py::capsule base = keep(std::shared_ptr<const ProblemGradient>(found));
  return py::make_tuple(
      array_of(View(found->adjoints.data(), at.size(), at.neurons), base, true),
      member_array(reinterpret_cast<const std::uint8_t*>(found->outcomes.data()), at.size(), 1, base),
      member_array(found->amplification.data(), at.size(), sizeof(double), base),
      member_array(found->residuals.data(), at.size(), sizeof(double), base));
}

}  // namespace

void bind_problem(py::module_& module) {
  module.def("settle_problem", &settle_problem, py::arg("z0"), py::arg("map"), py::arg("jacobian"),
             py::arg("times"), py::arg("solver"), py::arg("tolerance"), py::arg("floor"), py::arg("confirm"));
  module.def("adjoint_problem", &adjoint_problem, py::arg("states"), py::arg("outcomes"), py::arg("slopes"),
             py::arg("map"), py::arg("jacobian"), py::arg("transposed"), py::arg("amplification_limit"),
             py::arg("memory"), py::arg("products"));
}

}  // namespace irn::python
