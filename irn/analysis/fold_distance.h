// How far an equilibrium is from a fold, where it meets another one and both vanish: there the answer jumps,
// and the exact gradient has no bound.
//
// As a change of the equations: the smallest singular value of I - D A, which is 0 at a fold. It is the least
// change of that matrix that leads to a fold.
//
// As a change of the input: the smallest change of x that leads to a fold along the branch of this
// equilibrium. The search goes from x along a direction v until the branch folds, at x + r v. There the left
// null vector w of I - D A gives the normal B^T D w of the surface of folds. Turning v towards that normal
// shortens the way to the surface; if v is the normal, the fold is the nearest in its surroundings (Dobson,
// J. Nonlinear Sci. 3 (1993) 307; he takes the whole normal, here part of it is taken where the whole does
// not lead nearer). The first directions are B^T D w, both ways, of the smallest singular values of I - D A
// at x, and B^T w of random w.
//
// A fold is found at that distance, so it is an upper bound of the smallest one. A nearer fold that was not
// found may exist.
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
  double range = 10;           // the largest |change of x| that is searched, Euclidean norm
  std::size_t directions = 8;  // singular vectors to start from, each both ways
  std::size_t random = 12;     // random vectors to start from, each both ways
  std::size_t turns = 20;      // how often a direction is improved, at most
};

struct NearestFold {
  double distance = 0;            // |change of x|
  std::vector<double> direction;  // of that change, length 1
  std::vector<double> input;      // where the fold is
  std::vector<double> state;      // the state at the fold
  // Whether the direction is normal to the surface of folds, so that there is no nearer fold close by. False
  // if the surface ends, in a cusp, or steps ran out.
  bool nearest_around = false;
};

struct FoldDistance {
  SmallestSingular singular;
  double range = 0;                 // the range that was searched
  std::optional<NearestFold> fold;  // none was found within the range
};

// At equilibrium z of a network with input x. Both throw irn::Error beyond dense_analysis_limit neurons;
// fold_distance() also for a z that is no equilibrium.
template <class T>
SmallestSingular smallest_singular(const NetworkOf<T>& network, std::span<const T> x,
                                   std::span<const double> z);
template <class T>
FoldDistance fold_distance(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z,
                           const FoldOptions& options = {});

}  // namespace irn
