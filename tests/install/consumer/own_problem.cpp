// A fixed-point problem of your own, and the derivative of its solution by its parameters: Kepler's equation
//   E = M + e sin E
// for the place E of a planet on its orbit, at the times M, with the eccentricity e. What would e have to be so that the planet is seen
// at given places?
#include <cmath>
#include <cstdio>
#include <vector>

#include "irn/irn.h"

int main() try {
  const std::vector<double> times = {0.5, 1.0, 1.5, 2.0, 2.5};
  const double truth = 0.6;
  double e = 0.1;  // to be found

  irn::Problem kepler{.size = 1, .parameters = 1};
  kepler.map = [&](std::size_t i, std::span<const double> z, std::span<double> f) {
    f[0] = times[i] + e * std::sin(z[0]);
  };
  // out += (dF/de)^T u: what the adjoint u of the solution says about e.
  kepler.parameter_product = [](std::size_t, std::span<const double> z, std::span<const double> u,
                                std::span<double> out) { out[0] += u[0] * std::sin(z[0]); };

  const auto solve = [&](double eccentricity) {
    e = eccentricity;
    return irn::settle(kepler, times.size(), {.solver = irn::Newton{}, .tolerance = 1e-12});
  };
  const std::vector<double> seen = solve(truth).states;

  e = 0.1;
  for (int step = 0; step < 100; ++step) {
    const irn::Equilibria<double> places = solve(e);
    std::vector<double> slopes;  // of the loss, half the sum of squares of what is off
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places.settled(i)) throw irn::Error("no solution at time " + std::to_string(times[i]));
      slopes.push_back(places.states[i] - seen[i]);
    }
    const irn::ProblemGradient gradient = irn::differentiate(kepler, places, slopes);
    e -= 0.1 * gradient.parameters[0];
  }
  std::printf("e = %.12f\n", e);
  return std::abs(e - truth) < 1e-9 ? 0 : 1;
} catch (const irn::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
