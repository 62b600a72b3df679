// A network with one number p, on which A and c depend linearly:
//   F(p, z) = f((A + p A') z + c + p c'),    dF/dp = D (A' z + c')
#include <memory>
#include <string>

#include "irn/analysis/branches.h"
#include "irn/analysis/dynamics-inl.h"
#include "irn/base/error.h"

namespace irn {
namespace {

struct Shared {
  Dynamics dynamics;
  Matrix a, a_slope;  // the second is empty if A does not depend on p
  Vector c, c_slope;

  Vector input(double p, const Vector& z) const {
    Vector u = a * z + c + p * c_slope;
    if (a_slope.size() > 0) u += p * (a_slope * z);
    return u;
  }
  Vector value(double p, std::span<const double> z) const {
    return dynamics.activated(input(p, vector_of(z)));
  }
};

ParameterProblem problem_of(std::shared_ptr<const Shared> s) {
  const auto copy = [](const Vector& v, std::span<double> out) {
    std::copy(v.begin(), v.end(), out.begin());
  };
  ParameterProblem problem{.size = s->dynamics.neurons(), .box = state_box(s->dynamics.architecture())};
  problem.map = [=](double p, std::span<const double> z, std::span<double> f) { copy(s->value(p, z), f); };
  problem.jacobian = [=](double p, std::span<const double> z, std::span<double> jacobian) {
    const Eigen::Index n = index_of(z.size());
    const Vector slopes = s->dynamics.slopes(s->value(p, z));
    Eigen::Map<Matrix> j(jacobian.data(), n, n);
    j = slopes.asDiagonal() * s->a;
    if (s->a_slope.size() > 0) j += p * (slopes.asDiagonal() * s->a_slope);
  };
  problem.slope = [=](double p, std::span<const double> z, std::span<double> out) {
    Vector inner = s->c_slope;
    if (s->a_slope.size() > 0) inner += s->a_slope * vector_of(z);
    copy(s->dynamics.slopes(s->value(p, z)).cwiseProduct(inner), out);
  };
  return problem;
}

template <class T>
Dynamics checked(const NetworkOf<T>& network, std::span<const T> x) {
  Dynamics dynamics(network);
  check_dense(dynamics, "a branch of equilibria");
  check_state(dynamics, x.size(), dynamics.neurons());
  return dynamics;
}

// The network with one number replaced.
template <class T>
Dynamics with(const NetworkOf<T>& network, std::size_t parameter, double value) {
  NetworkOf<T> changed = network;
  changed.parameters()[parameter] = static_cast<T>(value);
  return Dynamics(changed);
}

void check_parameter(const Architecture& architecture, std::size_t parameter) {
  if (parameter >= architecture.parameters())
    throw Error("there is no parameter " + std::to_string(parameter) + ": network " + to_text(architecture) +
                " has " + std::to_string(architecture.parameters()) + ", counted from 0");
  for (const Block& b : architecture.blocks())
    if (std::holds_alternative<Own>(b.op) && parameter >= b.weights && parameter < b.weights + b.parameters)
      throw Error("parameter " + std::to_string(parameter) +
                  " belongs to an operator of the program's own; how the network depends on it is not known");
}

}  // namespace

Problem ParameterProblem::at(double p) const {
  return {
      .size = size,
      .map = [p, f = map](std::size_t, std::span<const double> z, std::span<double> out) { f(p, z, out); },
      .jacobian = [p, f = jacobian](std::size_t, std::span<const double> z,
                                    std::span<double> out) { f(p, z, out); }};
}

template <class T>
ParameterProblem along_direction(const NetworkOf<T>& network, std::span<const T> x,
                                 std::span<const double> direction) {
  Dynamics dynamics = checked(network, x);
  check_state(dynamics, direction.size(), dynamics.neurons());
  Shared s{dynamics, dynamics.a(), {}, dynamics.drive(vector_of(x)), dynamics.b_times(vector_of(direction))};
  return problem_of(std::make_shared<const Shared>(std::move(s)));
}

template <class T>
ParameterProblem along_input(const NetworkOf<T>& network, std::span<const T> x, std::size_t input) {
  if (input >= x.size())
    throw Error("there is no input " + std::to_string(input) + ": there are " + std::to_string(x.size()) +
                ", counted from 0");
  std::vector<T> others(x.begin(), x.end());
  others[input] = 0;
  std::vector<double> direction(x.size());
  direction[input] = 1;
  return along_direction<T>(network, others, direction);
}

template <class T>
ParameterProblem along_parameter(const NetworkOf<T>& network, std::span<const T> x, std::size_t parameter) {
  checked(network, x);
  check_parameter(network.architecture(), parameter);
  const Dynamics zero = with(network, parameter, 0), one = with(network, parameter, 1);
  const Vector c = zero.drive(vector_of(x));
  Shared s{zero, zero.a(), one.a() - zero.a(), c, one.drive(vector_of(x)) - c};
  if (s.a_slope.isZero(0)) s.a_slope.resize(0, 0);
  return problem_of(std::make_shared<const Shared>(std::move(s)));
}

template <class T>
ParameterProblem along_gain(const NetworkOf<T>& network, std::span<const T> x) {
  const Dynamics dynamics = checked(network, x);
  const Architecture& architecture = network.architecture();
  Matrix on_loops = Matrix::Zero(dynamics.a().rows(), dynamics.a().cols());
  for (const Loop& loop : loops(architecture))
    for (const std::size_t k : loop.blocks) {
      const Block& b = architecture.blocks()[k];
      const auto place = [&](auto&& matrix) {
        return matrix.block(index_of(b.row), index_of(b.col), index_of(b.rows), index_of(b.cols));
      };
      place(on_loops) = place(dynamics.a());
    }
  Shared s{dynamics, dynamics.a() - on_loops, on_loops, dynamics.drive(vector_of(x)),
           Vector::Zero(on_loops.rows())};
  return problem_of(std::make_shared<const Shared>(std::move(s)));
}

template ParameterProblem along_direction(const NetworkOf<float>&, std::span<const float>,
                                          std::span<const double>);
template ParameterProblem along_direction(const NetworkOf<double>&, std::span<const double>,
                                          std::span<const double>);
template ParameterProblem along_input(const NetworkOf<float>&, std::span<const float>, std::size_t);
template ParameterProblem along_input(const NetworkOf<double>&, std::span<const double>, std::size_t);
template ParameterProblem along_parameter(const NetworkOf<float>&, std::span<const float>, std::size_t);
template ParameterProblem along_parameter(const NetworkOf<double>&, std::span<const double>, std::size_t);
template ParameterProblem along_gain(const NetworkOf<float>&, std::span<const float>);
template ParameterProblem along_gain(const NetworkOf<double>&, std::span<const double>);

}  // namespace irn
