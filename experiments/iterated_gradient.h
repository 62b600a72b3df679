// The gradient of n plain iterations compared with the exact one, for random networks of one layer.
#pragma once

#include <array>

#include "experiments/part.h"
#include "experiments/random_network.h"

namespace irn::experiments {

inline constexpr std::array<std::size_t, 24> unrolled_iterations = {
    1, 2, 3, 4, 6, 8, 10, 14, 18, 22, 26, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 180, 200};

// Networks of `size` neurons with recurrent weights uniform in `weights`.
struct Ensemble {
  std::size_t size;
  Interval weights;
};
inline constexpr std::size_t networks_an_ensemble = 12;

// A list with one entry for each network: whether the plain iteration settles, the spectral radius of D A at
// the equilibrium, and the relative difference of the two gradients for every number of iterations.
Json compare_gradients(const Protocol& protocol, const Ensemble& ensemble, const Watch& watch);

}  // namespace irn::experiments
