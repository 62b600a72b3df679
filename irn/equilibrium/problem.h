// A fixed-point problem of the caller's: z = F(z) for any F, one or many at once.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "irn/equilibrium/equilibria.h"

namespace irn {

struct Problem {
  std::size_t size = 0;  // of z

  // f = F_i(z); `i` is the number of the problem in the batch, 0 if there is only one.
  std::function<void(std::size_t i, std::span<const double> z, std::span<double> f)> map = {};

  // Optional: jacobian[r * size + c] = dF_r / dz_c. Without it the solvers that need one take differences.
  std::function<void(std::size_t i, std::span<const double> z, std::span<double> jacobian)> jacobian = {};

  // Optional: where problem i starts; zero if absent.
  std::function<void(std::size_t i, std::span<double> z)> start = {};
};

// The same solvers as for networks: `count` problems at once.
Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options = {});

}  // namespace irn
