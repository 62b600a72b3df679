// How far an equilibrium is from a fold, where it meets another one and both vanish: there the answer jumps, and the exact gradient has no
// bound.
//
// In numbers: the smallest singular value of I - D A, 0 at a fold, by how much the equation must at least be changed to have one.
// In inputs: the smallest change of x that leads to a fold along the branch of this equilibrium. From x one goes along a direction v until the
// branch folds, at x + r v; there the left null vector w of I - D A gives the normal B^T D w of the surface of folds. Turned towards that normal
// the way to the surface is shorter; where v is the normal, the fold is the nearest in its surroundings (Dobson, J. Nonlinear Sci. 3 (1993) 307; he
// takes the normal whole, here it is taken in part where the whole does not lead nearer). First directions are B^T D w, both ways, of the smallest
// singular values of I - D A at x, and B^T w of random w.
//
// What is found is a fold at that distance, so an upper bound of the smallest; that a nearer one was not found does not mean there is none.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "irn/network/network.h"

namespace irn {

struct SmallestSingular {
  double value = 0;                 // of I - J
  std::vector<double> left, right;  // (I - J) right = value left, both of length 1
};

struct FoldOptions {
  double range = 10;           // of |change of x|, the Euclidean norm: farther is not looked
  std::size_t directions = 8;  // singular vectors to start from, each both ways
  std::size_t random = 12;     // vectors drawn, each both ways
  std::size_t turns = 20;      // times that a direction is improved, at most
};

struct NearestFold {
  double distance = 0;            // |change of x|
  std::vector<double> direction;  // of it, length 1
  std::vector<double> input;      // where the fold is
  std::vector<double> state;      // there
  // The direction is normal to the surface of folds: no nearer one close by. Not so where the surface ends, in a cusp, or steps ran out.
  bool nearest_around = false;
};

struct FoldDistance {
  SmallestSingular singular;
  double range = 0;                 // within which was looked
  std::optional<NearestFold> fold;  // none: not found within the range
};

// At equilibrium z of a network with input x. Both throw irn::Error beyond dense_analysis_limit neurons, and fold_distance() for a z that is no equilibrium.
template <class T>
SmallestSingular smallest_singular(const NetworkOf<T>& network, std::span<const T> x,
                                   std::span<const double> z);
template <class T>
FoldDistance fold_distance(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z,
                           const FoldOptions& options = {});

}  // namespace irn
