// The result of a backward pass.
#pragma once

#include <vector>

#include "irn/gradient/gradient.h"

namespace irn {

template <class T>
struct GradientResult {
  std::vector<T> parameters;  // mean over the samples used; zero if there are none
  // [sample][input], of each sample's own loss, not weighted; empty unless asked for.
  std::vector<T> inputs;
  std::vector<GradientOutcome> outcomes;  // one a sample
  std::vector<double> amplification;      // |u| / |g| in the maximum norm
  // Products with A^T D spent on finding u in a Krylov space; zero where factors or a sweep gave it.
  std::vector<double> products;
  std::size_t used = 0;
};

}  // namespace irn
