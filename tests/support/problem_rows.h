// Makes a problem for many rows out of one for single states, as a caller would write it.
#pragma once

#include <vector>

#include "irn/equilibrium/problem.h"

namespace irn {

inline BatchProblem by_rows(const Problem& p) {
  const std::size_t n = p.size;
  BatchProblem batch{.size = n, .map = [p, n](auto index, auto z, auto f) {
                       for (std::size_t k = 0; k < index.size(); ++k)
                         p.map(index[k], z.subspan(k * n, n), f.subspan(k * n, n));
                     }};
  if (p.jacobian)
    batch.jacobian = [p, n](auto index, auto z, auto jacobian) {
      for (std::size_t k = 0; k < index.size(); ++k)
        p.jacobian(index[k], z.subspan(k * n, n), jacobian.subspan(k * n * n, n * n));
    };
  if (p.start)
    batch.start = [p, n](auto index, auto z) {
      for (std::size_t k = 0; k < index.size(); ++k) p.start(index[k], z.subspan(k * n, n));
    };
  batch.parameters = p.parameters;
  if (p.parameter_product)
    batch.parameter_product = [p, n](auto index, auto z, auto u, auto out) {
      for (std::size_t k = 0; k < index.size(); ++k)
        p.parameter_product(index[k], z.subspan(k * n, n), u.subspan(k * n, n), out);
    };
  return batch;
}

// J v, or J^T v, with the Jacobian of p.
inline BatchProblem::Product products_by_rows(const Problem& p, bool transposed = false) {
  return [p, transposed](auto index, auto z, auto v, auto out) {
    const std::size_t n = p.size;
    std::vector<double> jacobian(n * n);
    for (std::size_t k = 0; k < index.size(); ++k) {
      p.jacobian(index[k], z.subspan(k * n, n), jacobian);
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j)
          sum += jacobian[transposed ? j * n + i : i * n + j] * v[k * n + j];
        out[k * n + i] = sum;
      }
    }
  };
}

}  // namespace irn
