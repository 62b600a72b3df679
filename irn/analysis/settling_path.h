// How a state moves to its equilibrium, or does not: the flow dz/dt = F(z) - z over time, dense enough to draw.
//
// Dormand and Prince's Runge-Kutta method of order 5 with an error estimate of order 4, in double (J. Comp. Appl. Math. 6 (1980) 19). Where
// the flow has not come to rest in the time it is given, it is watched for a while longer, and that tells what it does: the residual still
// falls, the state comes back to where it was (Poincare's section: where the neuron that moves most passes the middle of its range upwards),
// it goes on in one direction, or none of these. This is what was seen, not a proof: a cycle of a period longer than it was watched for
// is not seen as one. Whether an equilibrium attracts is not asked here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "irn/network/network.h"

namespace irn {

// value = F(z).
using StateMap = std::function<void(std::span<const double> z, std::span<double> value)>;
// F of a network and an input, in double.
template <class T>
StateMap state_map(const NetworkOf<T>& network, std::span<const double> x);

enum class PathEnd : std::uint8_t {
  settled,    // the residual came down to the tolerance
  slow,       // it still falls
  cycles,     // the state comes back to where it was, again and again
  runs_away,  // it goes on and on in one direction, or left the range of numbers
  wanders     // none of these: chaos, several frequencies, or not watched long enough
};
inline constexpr std::array<std::string_view, 5> path_end_names = {"settled", "slow", "cycles", "runs_away",
                                                                   "wanders"};
constexpr std::string_view name(PathEnd end) { return path_end_names[static_cast<std::size_t>(end)]; }

struct SettlingPath {
  std::size_t neurons = 0;
  std::vector<double> time, residual;  // max_i |F(z) - z|_i at each time
  std::vector<double> states;          // row-major [time][neuron]
  PathEnd end = PathEnd::wanders;
  double rate = 0;         // settled, slow: the residual falls like e^(-rate t) at the end
  double time_left = 0;    // slow: until the tolerance is reached at that rate
  double period = 0;       // cycles
  double amplitude = 0;    // cycles, wanders: half the range of the neuron that moves most
  std::size_t neuron = 0;  // which that is

  std::size_t size() const { return time.size(); }
  std::span<const double> state(std::size_t k) const { return {states.data() + k * neurons, neurons}; }
};

struct PathOptions {
  double tolerance = 1e-8;         // of the residual
  double longest = 500;            // time constants of a lone neuron until the watching begins
  std::size_t most_steps = 20000;  // likewise: a stiff flow takes small ones
  std::size_t watched = 4000;      // steps
  std::size_t most_points = 1000;  // to keep of the path
  double error = 1e-7;             // of a step, against max(1, |z_i|)
};

SettlingPath settling_path(const StateMap& map, std::span<const double> start,
                           const PathOptions& options = {});

}  // namespace irn
