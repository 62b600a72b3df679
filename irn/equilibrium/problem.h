// Fixed-point problems of the caller: z = F(z) for any F, one problem or many at once. With a loss on the
// solutions there is also a gradient (irn/gradient/problem_gradient.h).
//
// There are two kinds, with the same solvers and the same answers. A Problem is asked about one state at a
// time; a BatchProblem is asked about all waiting states in one call. A problem that has settled, and whose
// stability has been determined, is not asked again.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "irn/base/threads.h"
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

  // Optional, instead of the whole Jacobian J = dF_i/dz: out = J v, and out = J^T u, needed only for a
  // gradient.
  using Product = std::function<void(std::size_t i, std::span<const double> z, std::span<const double> v,
                                     std::span<double> out)>;
  Product jacobian_times = {}, transposed_times = {};

  // Optional, for the gradient by the parameters p of F, `parameters` of them: out += (dF_i/dp)^T u.
  std::size_t parameters = 0;
  Product parameter_product = {};
};

// The same, with many states in one call. `index` holds the number of the problem that each row belongs to;
// one problem may have several rows. Arrays of states, directions and values are row-major
// [index.size()][size]. The values of a row must depend on that row alone.
struct BatchProblem {
  std::size_t size = 0;  // of each z

  // f_k = F_i(z_k), i = index[k].
  std::function<void(std::span<const std::size_t> index, std::span<const double> z, std::span<double> f)>
      map = {};

  // Optional: jacobian[(k * size + r) * size + c] = dF_r / dz_c at z_k.
  std::function<void(std::span<const std::size_t> index, std::span<const double> z,
                     std::span<double> jacobian)>
      jacobian = {};

  // Optional: where the problems start, zero if absent; called once, for all of them.
  std::function<void(std::span<const std::size_t> index, std::span<double> z)> start = {};

  // Optional: out_k = J(z_k) v_k, and out_k = J(z_k)^T u_k.
  using Product = std::function<void(std::span<const std::size_t> index, std::span<const double> z,
                                     std::span<const double> v, std::span<double> out)>;
  Product jacobian_times = {}, transposed_times = {};

  // Optional, for the gradient by the parameters p of F: out += sum_k (dF_k/dp)^T u_k.
  std::size_t parameters = 0;
  Product parameter_product = {};
};

// The same solvers as for networks: `count` problems at once.
Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options = {});
Equilibria<double> settle(const BatchProblem& problem, std::size_t count, const SettleOptions& options = {});

// The same, with the same bits, on a pool of threads. The functions of a Problem, except `start`, are then
// called by many threads at once. Those of a BatchProblem are called only by the caller's thread; the pool
// does the computations between two calls.
Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options,
                          ThreadPool& threads);
Equilibria<double> settle(const BatchProblem& problem, std::size_t count, const SettleOptions& options,
                          ThreadPool& threads);

}  // namespace irn
