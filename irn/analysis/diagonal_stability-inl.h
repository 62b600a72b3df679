// The best diagonal P of a certificate (certificates.h), for one loop:
//   minimise t  over t and p > 0  such that  P M + M^T P <= 2 t P,   P = diag(p),  M = S A
// This is quasi-convex: unless t is the least, some step lowers it. Boyd and El Ghaoui's method of centres
// (Linear Algebra Appl. 188 (1993) 63) alternates two steps. For a t that leaves room to spare at the last p,
// Newton's method goes to the centre of the feasible set, the p that maximises
//   log det (2 t P - P M - M^T P) + sum_i log p_i + log (1 - p_i)
// There t is lowered until little room is left.
#pragma once

#include "irn/analysis/dynamics-inl.h"

namespace irn {

struct DiagonalStability {
  double bound = 0;  // lambda_max((D M D^-1 + its transpose) / 2), D = P^1/2
  Vector p;          // its largest entry is 1
};

DiagonalStability best_diagonal(const Matrix& m, double accuracy);
// The bound for a given p.
double diagonal_bound(const Matrix& m, const Vector& p);

// p rounded to so few digits that its square roots and their squares are exact.
Vector rounded_weights(const Vector& p);

// The proofs, all roundings included. `errors` says how far each entry of M may be from the true one.
// Whether P M + M^T P < 2 P.
bool proves_stability(const Matrix& m, const Matrix& errors, const Vector& p);
// Whether |M|, the Euclidean norm, is below 1.
bool proves_contraction(const Matrix& m, const Matrix& errors);

}  // namespace irn
