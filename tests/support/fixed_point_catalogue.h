// Fixed-point problems z = F(z) with known answers, easy and hard, for every solver.
//
// The answer is the state that dz/dt = F(z) - z reaches from the start. A solver that does not follow the
// flow may find another of the listed attracting equilibria, or report that it found none or one that repels.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "irn/base/random.h"
#include "irn/equilibrium/problem.h"

namespace irn {

struct FixedPointCase {
  std::string name;
  Problem problem;
  // All of them; if the flow has an answer, it comes first.
  std::vector<std::vector<double>> equilibria;
  bool flow_settles = true;
  // Solvers that cannot be expected to find the flow's answer, even with enough steps; the reason is given at
  // the case.
  std::vector<std::string_view> too_hard_for = {};
};

namespace catalogue_detail {

using Values = std::vector<double>;

// F(z) = M z + c with the given answer:  c = answer - M answer.
inline Problem linear(Values m, const Values& answer) {
  const std::size_t n = answer.size();
  Values c = answer;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) c[i] -= m[i * n + j] * answer[j];
  return {.size = n,
          .map =
              [m, c, n](std::size_t, std::span<const double> z, std::span<double> f) {
                for (std::size_t i = 0; i < n; ++i) {
                  f[i] = c[i];
                  for (std::size_t j = 0; j < n; ++j) f[i] += m[i * n + j] * z[j];
                }
              },
          .jacobian = [m](std::size_t, std::span<const double>,
                          std::span<double> jacobian) { std::copy(m.begin(), m.end(), jacobian.begin()); }};
}

// F(z) = s (rotation by 90 degrees) (z - answer) + answer: eigenvalues +- i s.
inline Problem rotation(double s, const Values& answer) { return linear({0, -s, s, 0}, answer); }

// One unknown, F and its slope.
inline Problem scalar(std::function<double(double)> f, std::function<double(double)> slope,
                      double start = 0) {
  return {.size = 1,
          .map = [f](std::size_t, std::span<const double> z, std::span<double> out) { out[0] = f(z[0]); },
          .jacobian = [slope](std::size_t, std::span<const double> z,
                              std::span<double> out) { out[0] = slope(z[0]); },
          .start = [start](std::size_t, std::span<double> z) { z[0] = start; }};
}
inline double logistic(double u) { return 1 / (1 + std::exp(-u)); }
// sigmoid(w z + b)
inline Problem logistic_neuron(double w, double b) {
  return scalar([=](double z) { return logistic(w * z + b); },
                [=](double z) {
                  const double s = logistic(w * z + b);
                  return w * s * (1 - s);
                });
}
inline Problem tanh_neuron(double w, double start) {
  return scalar([=](double z) { return std::tanh(w * z); },
                [=](double z) {
                  const double s = std::tanh(w * z);
                  return w * (1 - s * s);
                },
                start);
}

// The zero of a function between two arguments at which its signs differ.
inline double bisect(const std::function<double(double)>& g, double low, double high) {
  const bool rises = g(high) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    ((g(middle) > 0) == rises ? high : low) = middle;
  }
  return 0.5 * (low + high);
}
inline double logistic_equilibrium(double w, double b, double low, double high) {
  return bisect([=](double z) { return logistic(w * z + b) - z; }, low, high);
}
inline double tanh_equilibrium(double w) {
  return bisect([=](double z) { return std::tanh(w * z) - z; }, 0.1, 1.0);
}

// tanh(3 z_0), and a coordinate that relaxes to 1: the flow passes the saddle (0, 1) on its way to a node.
inline Problem passed_saddle(double start) {
  return {.size = 2,
          .map =
              [](std::size_t, std::span<const double> z, std::span<double> f) {
                f[0] = std::tanh(3 * z[0]);
                f[1] = 0.5 * z[1] + 0.5;
              },
          .jacobian =
              [](std::size_t, std::span<const double> z, std::span<double> j) {
                const double s = std::tanh(3 * z[0]);
                j[0] = 3 * (1 - s * s), j[1] = 0, j[2] = 0, j[3] = 0.5;
              },
          .start = [start](std::size_t, std::span<double> z) { z[0] = start, z[1] = 0; }};
}

// dz/dt = z (1 - |z|^2) + rotation: all states except the origin end on the unit circle and move along it.
inline Problem limit_cycle() {
  return {.size = 2,
          .map =
              [](std::size_t, std::span<const double> z, std::span<double> f) {
                const double grow = 1 - z[0] * z[0] - z[1] * z[1];
                f[0] = z[0] + grow * z[0] - z[1];
                f[1] = z[1] + grow * z[1] + z[0];
              },
          .jacobian =
              [](std::size_t, std::span<const double> z, std::span<double> j) {
                const double x = z[0], y = z[1];
                j[0] = 2 - 3 * x * x - y * y, j[1] = -1 - 2 * x * y;
                j[2] = 1 - 2 * x * y, j[3] = 2 - x * x - 3 * y * y;
              },
          .start = [](std::size_t, std::span<double> z) { z[0] = 0.3, z[1] = 0; }};
}

// z0 = s(-k (z1 - 1/2)), z1 = s(k (z0 - 1/2)): the eigenvalues of J at (1/2, 1/2) are +- i k / 4; it attracts
// for every k.
inline Problem logistic_pair(double k) {
  return {.size = 2,
          .map =
              [k](std::size_t, std::span<const double> z, std::span<double> f) {
                f[0] = logistic(-k * (z[1] - 0.5));
                f[1] = logistic(k * (z[0] - 0.5));
              },
          .jacobian =
              [k](std::size_t, std::span<const double> z, std::span<double> j) {
                const double a = logistic(-k * (z[1] - 0.5)), b = logistic(k * (z[0] - 0.5));
                j[0] = 0, j[1] = -k * a * (1 - a);
                j[2] = k * b * (1 - b), j[3] = 0;
              }};
}

// One step of length 1 of backward Euler for Robertson's reactions from (1, 0, 0), with their true constants:
// concentrations of order 1 next to one of order 1e-5. The other solutions have a negative concentration.
inline Problem robertson() {
  constexpr double a = 0.04, b = 1e4, c = 3e7;
  return {.size = 3,
          .map =
              [](std::size_t, std::span<const double> z, std::span<double> f) {
                const double made = a * z[0], used = b * z[1] * z[2], turned = c * z[1] * z[1];
                f[0] = 1 - made + used;
                f[1] = made - used - turned;
                f[2] = turned;
              },
          .jacobian =
              [](std::size_t, std::span<const double> z, std::span<double> j) {
                const double by_1 = b * z[2], by_2 = b * z[1], by_square = 2 * c * z[1];
                j[0] = -a, j[1] = by_1, j[2] = by_2;
                j[3] = a, j[4] = -by_1 - by_square, j[5] = -by_2;
                j[6] = 0, j[7] = by_square, j[8] = 0;
              },
          .start = [](std::size_t, std::span<double> z) { z[0] = 1, z[1] = 0, z[2] = 0; }};
}
// z1 = t determines the others, z2 = c t^2 and z0 = (1 + b t z2) / (1 + a); the equation for t is solved by
// bisection.
inline Values robertson_solution(double low, double high) {
  constexpr double a = 0.04, b = 1e4, c = 3e7;
  const auto z0 = [&](double t) { return (1 + b * t * c * t * t) / (1 + a); };
  const auto excess = [&](double t) { return a * z0(t) - b * t * c * t * t - c * t * t - t; };
  const bool rises = excess(high) > 0;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    ((excess(middle) > 0) == rises ? high : low) = middle;
  }
  return {z0(low), low, c * low * low};
}

// F(z) = tanh(M z) + c with 60 unknowns and a random M with row sums 0.9.
inline FixedPointCase wide() {
  constexpr std::size_t n = 60;
  const Stream stream(3);
  Values m(n * n), answer(n), c(n);
  for (std::size_t k = 0; k < n * n; ++k) m[k] = stream.uniform(k, -1.0, 1.0) * 1.8 / double(n);
  for (std::size_t i = 0; i < n; ++i) answer[i] = stream.uniform(n * n + i, -1.0, 1.0);
  const auto inner = [m](std::span<const double> z, std::size_t i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += m[i * n + j] * z[j];
    return std::tanh(sum);
  };
  for (std::size_t i = 0; i < n; ++i) c[i] = answer[i] - inner(answer, i);
  return {"sixty unknowns",
          {.size = n,
           .map =
               [=](std::size_t, std::span<const double> z, std::span<double> f) {
                 for (std::size_t i = 0; i < n; ++i) f[i] = inner(z, i) + c[i];
               },
           .jacobian =
               [=](std::size_t, std::span<const double> z, std::span<double> j) {
                 for (std::size_t i = 0; i < n; ++i)
                   for (std::size_t k = 0; k < n; ++k)
                     j[i * n + k] = (1 - std::pow(inner(z, i), 2)) * m[i * n + k];
               }},
          {answer}};
}

}  // namespace catalogue_detail

inline std::vector<FixedPointCase> fixed_point_catalogue() {
  using namespace catalogue_detail;
  const double upper = tanh_equilibrium(3), steep = logistic_equilibrium(-20, 3, 0, 1);
  // sigmoid(10 z - 5): 1/2 is unstable; the two others are symmetric about it.
  const double lower = logistic_equilibrium(10, -5, 0, 0.3);
  return {
      {"the only unknown of a contraction", linear({0.5}, {2}), {{2}}},
      {"a contraction",
       linear({0.3, -0.2, 0.1, 0.1, 0.4, -0.3, -0.2, 0.1, 0.2}, {1, -2, 0.5}),
       {{1, -2, 0.5}}},
      // With errors of 0.02 a step whatever the size of z, this takes more than the 200 steps of auto.
      {"large numbers", linear({0.5, 0.1, -0.2, 0.3}, {1e6, -3e5}), {{1e6, -3e5}}, true, {"auto"}},
      {"the start is the answer", linear({0.5, 0.1, -0.2, 0.3}, {0, 0}), {{0, 0}}},
      {"a rotation that barely contracts", rotation(0.95, {1, 2}), {{1, 2}}},
      // Plain iteration rotates the error by 90 degrees for ever, or lets it grow.
      {"a rotation", rotation(1, {1, 2}), {{1, 2}}, true, {"fixed-point", "iterate"}},
      {"a rotation that expands", rotation(1.5, {1, 2}), {{1, 2}}, true, {"fixed-point", "iterate"}},
      {"a fast rotation",
       rotation(5, {1, 2}),
       {{1, 2}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4"}},
      // The fast mode limits the length of explicit steps.
      {"a slow mode", linear({0.999, 0, 0, 0.2}, {1, 1}), {{1, 1}}},
      // Steps of 0.1 and 1 are unstable where the flow decays fifty times as fast.
      {"a stiff mode",
       linear({-50, 0, 0, 0.5}, {1, 1}),
       {{1, 1}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4"}},
      {"a logistic neuron", logistic_neuron(2, -1), {{0.5}}},
      // Plain iteration jumps between two values, and so do Runge-Kutta steps of length 1.
      {"a neuron that inhibits itself",
       logistic_neuron(-20, 3),
       {{steep}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4"}},
      {"the lower of three equilibria", logistic_neuron(10, -5), {{lower}, {0.5}, {1 - lower}}},
      {"the upper equilibrium from just above the unstable one",
       tanh_neuron(3, 0.1),
       {{upper}, {0}, {-upper}}},
      {"the lower equilibrium from just below the unstable one",
       tanh_neuron(3, -0.01),
       {{-upper}, {0}, {upper}}},
      {"a saddle passed at some distance", passed_saddle(0.05), {{upper, 1}, {0, 1}, {-upper, 1}}},
      // A step of rosenbrock may have an error of 0.02, two hundred times the distance between the path and
      // the border of the two basins.
      {"a saddle passed closely",
       passed_saddle(1e-4),
       {{upper, 1}, {0, 1}, {-upper, 1}},
       true,
       {"auto", "rosenbrock"}},
      {"a saddle that the flow leaves for good", linear({1.5, 0, 0, 0.5}, {1, 1}), {{1, 1}}, false},
      // At such rates explicit steps of fixed length are unstable, and plain iterations grow.
      {"sixteen radians a unit of time",
       rotation(16, {1, 2}),
       {{1, 2}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4"}},
      {"sixty radians a unit of time",
       rotation(60, {1, 2}),
       {{1, 2}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4"}},
      {"eighty-seven radians a unit of time",
       rotation(87, {1, 2}),
       {{1, 2}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4"}},
      {"a steep pair of neurons that turns",
       logistic_pair(250),
       {{0.5, 0.5}},
       true,
       {"fixed-point", "iterate", "reversible", "rk4", "anderson", "broyden", "newton", "pseudo-transient",
        "newton-krylov", "rosenbrock", "rosenbrock-krylov"}},
      // The state stays positive only if unknowns are measured against their own size. auto does that after
      // it has ended on the negative side.
      {"Robertson's reactions",
       robertson(),
       {robertson_solution(0, 1e-3), robertson_solution(-6e-5, 0), robertson_solution(-1e-4, -6e-5)},
       true,
       {"fixed-point", "iterate", "reversible", "rk4", "anderson", "broyden", "newton", "pseudo-transient",
        "newton-krylov", "rosenbrock", "rosenbrock-krylov"}},
      {"a limit cycle", limit_cycle(), {{0, 0}}, false},
      {"exponential growth", linear({2}, {-1}), {{-1}}, false},
      {"growth to infinity in finite time",
       scalar([](double z) { return z * z + 1; }, [](double z) { return 2 * z; }),
       {},
       false},
      {"a map that is nowhere a number",
       scalar([](double) { return std::nan(""); }, [](double) { return 0.0; }),
       {},
       false},
      wide(),
  };
}

}  // namespace irn
