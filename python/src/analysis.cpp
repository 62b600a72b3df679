// The analysis of a network's equilibria: irn/front/check.h and irn/front/analysis.h as arrays and dicts,
// which irn/_check.py turns into objects with named values.
#include <numeric>

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "python/src/arrays.h"
#include "python/src/boxes.h"
#include "python/src/choices.h"
#include "python/src/parts.h"

namespace irn::python {
namespace {

using Complex = std::complex<double>;

template <class T>
py::array_t<T> array_from(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

// One number for each sample; NaN where there is no equilibrium to examine.
template <class Value>
py::array_t<double> of_states(const std::vector<SampleCheck>& samples, const Value& value) {
  py::array_t<double> out(static_cast<py::ssize_t>(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i)
    out.mutable_data()[i] =
        samples[i].state ? double(value(*samples[i].state)) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

// The verdict of the eigenvalues, in the codes of Stability (irn/equilibrium/outcome.h).
Stability stability_code(const std::optional<StateCheck>& state) {
  if (!state) return Stability::unasked;
  switch (state->stability.attraction()) {
    case Attraction::attracts:
      return Stability::attracts;
    case Attraction::repels:
      return Stability::repels;
    case Attraction::undecided:
      break;
  }
  return Stability::undecided;
}

py::array_t<std::uint8_t> attraction_of(const std::vector<SampleCheck>& samples) {
  py::array_t<std::uint8_t> out(static_cast<py::ssize_t>(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i)
    out.mutable_data()[i] = static_cast<std::uint8_t>(stability_code(samples[i].state));
  return out;
}

// [sample][rightmost first]; NaN where there are fewer.
py::array_t<Complex> eigenvalues_of(const std::vector<SampleCheck>& samples) {
  std::size_t most = 0;
  for (const SampleCheck& s : samples)
    if (s.state) most = std::max(most, s.state->stability.eigenvalues.size());
  py::array_t<Complex> out({samples.size(), most});
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(out.mutable_data(), out.size(), Complex(none, none));
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i].state)
      std::copy(samples[i].state->stability.eigenvalues.begin(),
                samples[i].state->stability.eigenvalues.end(), out.mutable_data() + i * most);
  return out;
}

py::dict samples_dict(const std::vector<SampleCheck>& samples) {
  auto verdicts = std::make_shared<std::vector<Verdict>>();
  for (const SampleCheck& s : samples) verdicts->push_back(s.verdict);
  const std::shared_ptr<const std::vector<Verdict>> kept = verdicts;
  py::dict d;
  d["verdicts"] = verdict_arrays(*kept, keep(kept));
  d["attraction"] = attraction_of(samples), d["eigenvalues"] = eigenvalues_of(samples);
  d["time_constants"] = of_states(samples, [](const StateCheck& s) { return s.stability.time_constant(); });
  d["frequencies"] = of_states(samples, [](const StateCheck& s) { return s.stability.frequency(); });
  d["unstable"] = of_states(samples, [](const StateCheck& s) { return s.unstable; });
  d["distances"] = of_states(samples, [](const StateCheck& s) { return s.distance; });
  d["singular"] = of_states(samples, [](const StateCheck& s) { return s.singular; });
  d["sensitivities"] = of_states(samples, [](const StateCheck& s) { return s.sensitivity; });
  d["amplifications"] = of_states(samples, [](const StateCheck& s) { return s.amplification; });
  d["inputs"] = of_states(samples, [](const StateCheck& s) { return s.input; });
  return d;
}

py::list certificates_list(const Certificates& all) {
  py::list out;
  for (const Certificate& c : all.all)
    out.append(py::make_tuple(std::string(name(c.kind)), c.bound, c.holds, std::string(promise(c.kind)),
                              array_from(c.weights)));
  return out;
}

py::tuple equilibrium_tuple(const FoundEquilibrium& e) {
  return py::make_tuple(array_from(e.state), e.residual, array_from(e.stability.eigenvalues),
                        static_cast<int>(stability_code(StateCheck{.stability = e.stability})),
                        e.stability.time_constant(), e.index, e.starts, e.from_rest);
}

py::object edge_of(const std::optional<EquilibriaOf>& found) {
  if (!found || !found->edge) return py::none();
  const BasinEdge& e = *found->edge;
  return py::make_tuple(e.from_start, e.from_path, e.time, array_from(e.state), array_from(e.beyond),
                        e.towards);
}

py::object fold_of(const std::optional<FoldDistance>& found) {
  if (!found || !found->fold) return py::none();
  const NearestFold& f = *found->fold;
  return py::make_tuple(f.distance, array_from(f.direction), array_from(f.input), array_from(f.state),
                        f.nearest_around);
}

py::dict look_dict(const CloserLook& look) {
  py::dict d;
  py::list equilibria;
  if (look.equilibria)
    for (const FoundEquilibrium& e : look.equilibria->equilibria) equilibria.append(equilibrium_tuple(e));
  d["sample"] = look.sample, d["equilibria"] = equilibria;
  d["misses_some"] = look.equilibria && look.equilibria->misses_some;
  d["edge"] = edge_of(look.equilibria), d["fold"] = fold_of(look.fold);
  d["fold_range"] = look.fold ? py::object(py::float_(look.fold->range)) : py::none();
  return d;
}

// In parts, so that Ctrl-C takes effect; the network's own certificates are computed once.
struct Checked {
  std::vector<SampleCheck> samples;
  Certificates network;
};
Checked check_in_parts(NetworkBox& box, const View& x, const Checking& how) {
  Checked all;
  constexpr std::size_t most = 256;
  Checking rest = how;
  rest.options.certificates.optimised = 0;
  in_parts(x.rows(), most, [&](std::size_t first, std::size_t count) {
    CheckReport part =
        in_turn(box.turn, [&] { return check(box.network, x.rows(first, count), first == 0 ? how : rest); });
    if (first == 0) all.network = std::move(part.network);
    std::move(part.samples.begin(), part.samples.end(), std::back_inserter(all.samples));
  });
  return all;
}

// samples, certificates, closer looks
py::tuple check_network(NetworkBox& box, py::handle x, std::size_t eigenvalues, std::size_t closer,
                        std::size_t starts, double fold_range, const std::string& device) {
  const Matrix given(x, "x", Flat::row);
  Checking how;
  how.options.eigenvalues = eigenvalues, how.device = device;
  if (given.view().rows() == 0) in_turn(box.turn, [&] { check_device(how.device); });
  Checked found = check_in_parts(box, given.view(), how);
  const std::vector<std::uint64_t> worst = worst_samples({found.samples, {}, {}}, closer);
  how.closely.search.starts = starts, how.closely.folds.range = fold_range;
  py::list looks;
  for (const std::uint64_t sample : worst) {
    const std::vector<CloserLook> look =
        in_turn(box.turn, [&] { return look_closer(box.network, given.view(), {&sample, 1}, how.closely); });
    heed_signals();
    looks.append(look_dict(look.front()));
  }
  return py::make_tuple(samples_dict(found.samples), certificates_list(found.network), looks);
}

py::array_t<double> jacobian(NetworkBox& box, py::handle x, py::handle state) {
  const Matrix input(x, "x", Flat::row), at(state, "state", Flat::row);
  const std::vector<double> found =
      in_turn(box.turn, [&] { return flow_jacobian(box.network, input.view(), at.view()); });
  const auto n = static_cast<py::ssize_t>(box.network.neurons());
  return py::array_t<double>({n, n}, found.data());
}

// eigenvalues, whether these are all, the possible error of the rightmost one
py::tuple eigenvalues(NetworkBox& box, py::handle x, py::handle state) {
  const Matrix input(x, "x", Flat::row), at(state, "state", Flat::row);
  const StateStability found =
      in_turn(box.turn, [&] { return stability(box.network, input.view(), at.view()); });
  return py::make_tuple(array_from(found.eigenvalues), found.complete, found.error);
}

// times, states, residuals, whether it settled
py::tuple path(NetworkBox& box, py::handle x, py::handle start, double end, double longest_step) {
  const Matrix input(x, "x", Flat::row), from(start, "start", Flat::row);
  const Trajectory way = in_turn(box.turn, [&] {
    return trajectory(box.network, input.view(), from.view(), {.end = end, .longest_step = longest_step});
  });
  const auto rows = static_cast<py::ssize_t>(way.times.size());
  return py::make_tuple(array_from(way.times),
                        py::array_t<double>({rows, static_cast<py::ssize_t>(way.size)}, way.states.data()),
                        array_from(way.residuals), way.at_rest);
}

py::tuple branch_tuple(const Branch& branch, std::size_t n) {
  const std::size_t count = branch.points.size();
  py::array_t<double> p(static_cast<py::ssize_t>(count)), states({count, n});
  py::array_t<Complex> rightmost(static_cast<py::ssize_t>(count));
  py::array_t<bool> stable(static_cast<py::ssize_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const BranchPoint& point = branch.points[i];
    p.mutable_data()[i] = point.p, stable.mutable_data()[i] = point.stable();
    rightmost.mutable_data()[i] = point.rightmost;
    std::copy(point.state.begin(), point.state.end(), states.mutable_data() + i * n);
  }
  py::list turnings;
  for (const TurningPoint& t : branch.turnings)
    turnings.append(py::make_tuple(std::string(name(t.kind)), t.p, array_from(t.state), t.frequency));
  return py::make_tuple(p, states, stable, rightmost, turnings);
}

// Over an input, or over the strength of the recurrence if `column` is none.
py::list branches_of(NetworkBox& box, py::handle x, std::optional<std::size_t> column, double low,
                     double high, std::size_t at) {
  const Matrix input(x, "x", Flat::row);
  if (!(low < high)) throw Error("branches: give a range, the lower end first");
  const std::vector<Branch> found = in_turn(box.turn, [&] {
    const ParameterProblem problem =
        column ? along_input(box.network, input.view(), *column) : along_gain(box.network, input.view());
    return branches(problem, {.low = low, .high = high}, at);
  });
  py::list all;
  for (const Branch& branch : found) all.append(branch_tuple(branch, box.network.neurons()));
  return all;
}

}  // namespace

void bind_analysis(py::module_& module) {
  module.def("check", &check_network, py::arg("network"), py::arg("x"), py::arg("eigenvalues"),
             py::arg("closer"), py::arg("starts"), py::arg("fold_range"), py::arg("device"));
  module.def("jacobian", &jacobian, py::arg("network"), py::arg("x"), py::arg("state"));
  module.def("eigenvalues", &eigenvalues, py::arg("network"), py::arg("x"), py::arg("state"));
  module.def("trajectory", &path, py::arg("network"), py::arg("x"), py::arg("start"), py::arg("end"),
             py::arg("longest_step"));
  module.def("branches", &branches_of, py::arg("network"), py::arg("x"), py::arg("column"), py::arg("low"),
             py::arg("high"), py::arg("at"));
}

}  // namespace irn::python
