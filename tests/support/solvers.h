// The list of solvers, for tests that go through all of them.
#pragma once

#include <string>
#include <vector>

#include "irn/base/options_text.h"
#include "irn/equilibrium/solver.h"

namespace irn {

inline std::vector<Solver> all_solvers() {
  std::vector<Solver> all;
  for_each_choice<Solver>([&](const auto& options) { all.push_back(options); });
  all.push_back(Rosenbrock{.launch = 0});
  all.push_back(RosenbrockKrylov{.launch = 1});
  return all;
}

// Every solver, with enough steps that it fails only on problems it cannot solve.
inline std::vector<Solver> patient_solvers() {
  std::vector<Solver> all;
  for_each_choice<Solver>([&](auto options) {
    if constexpr (requires { options.steps; }) options.steps = only_iterates(options) ? 50'000 : 200'000;
    all.push_back(options);
  });
  return all;
}

inline std::string_view name_of(const Solver& solver) {
  return std::visit([](const auto& options) { return std::decay_t<decltype(options)>::name; }, solver);
}

}  // namespace irn
