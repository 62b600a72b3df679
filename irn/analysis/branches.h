// How equilibria move as one number of a problem changes: z(p) with z = F(p, z), followed around the folds,
// where it turns back.
//
// Pseudo-arclength continuation (Keller): along a branch (p, z)(s) the tangent t = (dp, dz) solves
// (I - J) dz = F_p dp, |t| = 1. A step goes along the tangent; Newton's method returns to the branch on the
// plane normal to it, where the system is regular at folds, too.
//   fold      dp/ds changes its sign: two equilibria meet and vanish; the number of positive eigenvalues
//             differs by one between the two sides
//   hopf      a pair of eigenvalues crosses the imaginary axis: an equilibrium gives way to a cycle
//   crossing  one eigenvalue crosses the axis although the branch does not turn, or the branch turns although
//             F_p does not push it: another branch crosses here, as in symmetric networks
// All are located by bisection along the branch.
//
// A branch that crosses is not followed from there. branches() starts from all equilibria at several values
// of p, and so finds both.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "irn/analysis/equilibria_of.h"

namespace irn {

// z = F(p, z) with one number p.
struct ParameterProblem {
  std::size_t size = 0;  // of z
  std::function<void(double p, std::span<const double> z, std::span<double> f)> map = {};
  std::function<void(double p, std::span<const double> z, std::span<double> jacobian)> jacobian =
      {};                                                                                      // dF/dz
  std::function<void(double p, std::span<const double> z, std::span<double> out)> slope = {};  // dF/dp
  StateBox box = {};  // that contains the equilibria, if known

  Problem at(double p) const;  // the problem at one value of p
};

// A network with input x, where p is one of: how far x is moved along a direction; the value of one input;
// the value of one parameter (an index into network.parameters()). All throw irn::Error beyond
// dense_analysis_limit neurons, and for parameters of an operator of the caller's.
template <class T>
ParameterProblem along_direction(const NetworkOf<T>& network, std::span<const T> x,
                                 std::span<const double> direction);
template <class T>
ParameterProblem along_input(const NetworkOf<T>& network, std::span<const T> x, std::size_t input);
template <class T>
ParameterProblem along_parameter(const NetworkOf<T>& network, std::span<const T> x, std::size_t parameter);

// p is the strength of the recurrence: it multiplies every block on a loop (irn/network/loops.h). 0 is a
// network without recurrence, which has one equilibrium; 1 is the network itself.
template <class T>
ParameterProblem along_gain(const NetworkOf<T>& network, std::span<const T> x);

struct BranchPoint {
  double p = 0;
  std::vector<double> state;
  std::complex<double> rightmost;  // eigenvalue of J - I
  std::size_t unstable = 0;        // eigenvalues with a positive real part
  bool stable() const { return unstable == 0; }
};

enum class Turning : unsigned char { fold, hopf, crossing };
inline constexpr std::array<std::string_view, 3> turning_names = {"fold", "hopf", "crossing"};
constexpr std::string_view name(Turning turning) { return turning_names[static_cast<std::size_t>(turning)]; }

struct TurningPoint {
  Turning kind = Turning::fold;
  double p = 0;
  std::vector<double> state;
  double frequency = 0;    // of a hopf point, in turns per unit of time
  std::size_t before = 0;  // index of the branch's point before this one
};

// Where a branch ends.
enum class BranchEnd : unsigned char {
  range,   // p left [low, high]
  closed,  // back where the branch began
  steps,   // the steps ran out
  lost     // Newton's method did not return to the branch
};
inline constexpr std::array<std::string_view, 4> branch_end_names = {"range", "closed", "steps", "lost"};

struct Branch {
  std::vector<BranchPoint> points;     // in the order of the branch
  std::vector<TurningPoint> turnings;  // in the same order
  BranchEnd first = BranchEnd::range, last = BranchEnd::range;
};

struct BranchOptions {
  double low = -1, high = 1;  // range of p
  double step = 0.02;         // the longest step, as a share of high - low
  std::size_t points = 2000;  // in each direction, at most
  double accuracy = 1e-10;    // of an equilibrium, |F(z) - z|
  // Whether to find the eigenvalues of each point, and hopf points; otherwise only folds are looked for.
  bool stability = true;
};

// The branch through the equilibrium z at p, in both directions.
Branch branch_through(const ParameterProblem& problem, double p, std::span<const double> z,
                      const BranchOptions& options);

// All branches in the range that pass through an equilibrium at one of `at` evenly spaced values of p.
std::vector<Branch> branches(const ParameterProblem& problem, const BranchOptions& options,
                             std::size_t at = 5, const SearchOptions& search = {.edge = false});

}  // namespace irn
