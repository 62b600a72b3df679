// How the equilibria of a family z = F(z, p) move with its parameter, where they turn back, and where they lose their hold.
//
// Each equilibrium is followed in both directions along the curve it lies on, by steps of pseudo-arclength: from a point u = (z, p) with the
// tangent t, the next solves
//   F(z, p) - z = 0,   <t, u_next - u> = s
// which goes around a fold, where p turns back, as easily as along a straight piece. Lengths are measured with p as a share of its range and z as
// the mean square over neurons, each against its own size. An equilibrium is stable if every eigenvalue of dF/dz has a real part below 1 (of
// the flow dz/dt = F - z: below 0). Special points are located by halving the step in which something changed:
//   fold    p turns back: two equilibria meet and vanish
//   hopf    a complex pair crosses: the equilibrium hands over to a cycle, of angular frequency |Im|
//   branch  another eigenvalue crosses while p goes on: another curve of equilibria crosses here (a pitchfork's stem)
// Finds no equilibria by itself: what no start lies on a curve with is not in the picture.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "irn/analysis/family.h"

namespace irn {

struct BranchPoint {
  double p = 0;
  std::vector<double> z = {};
  std::size_t unstable = 0;  // eigenvalues beyond the edge
  bool stable() const { return unstable == 0; }
};

enum class Special : std::uint8_t { fold, hopf, branch };
inline constexpr std::array<std::string_view, 3> special_names = {"fold", "Hopf", "branch"};
constexpr std::string_view name(Special special) { return special_names[static_cast<std::size_t>(special)]; }

struct SpecialPoint {
  Special kind = Special::fold;
  double p = 0;
  std::vector<double> z = {};
  double frequency = 0;   // of the flow, in radians a unit of time; Hopf points only
  std::size_t after = 0;  // it lies between points `after` and `after` + 1 of its branch
};

// Why a curve was followed no further.
enum class BranchEnd : std::uint8_t {
  range,   // p came to the end of its range
  closed,  // it came back to where it began: an isola
  length,  // as many points as were asked for
  lost     // no step however small was a success: a kink, or numbers without end
};

struct Branch {
  std::vector<BranchPoint> points;
  std::vector<SpecialPoint> specials;  // in the order of the points
  BranchEnd first = BranchEnd::range, last = BranchEnd::range;
};

struct BifurcationOptions {
  double low = 0, high = 1;  // of p
  double longest_step = 0.02;
  std::size_t most_points = 2000;  // of a branch, in each direction
};

struct EquilibriumAt {
  double p = 0;
  std::vector<double> z = {};
};

// Starts are polished first; one that is no equilibrium within the range, or lies on a curve that is known already, adds nothing.
std::vector<Branch> bifurcation(const Family& family, const std::vector<EquilibriumAt>& starts,
                                const BifurcationOptions& options);

}  // namespace irn
