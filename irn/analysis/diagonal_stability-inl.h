// The best diagonal P of a certificate (certificates.h), for one loop:
//   minimise t  over t and p > 0  such that  P M + M^T P <= 2 t P,   P = diag(p),  M = S A
// quasi-convex: where t is not the least, some step lowers it. Boyd and El Ghaoui's method of centres (Linear Algebra Appl. 188 (1993) 63): for
// a t that the last p reaches with room to spare, Newton's method goes to the centre of what is feasible, the p that maximises
//   log det (2 t P - P M - M^T P) + sum_i log p_i + log (1 - p_i)
// and there the room is taken away again.
#pragma once

#include "irn/analysis/dynamics-inl.h"

namespace irn {

struct DiagonalStability {
  double bound = 0;  // lambda_max((D M D^-1 + transposed) / 2), D = P^1/2
  Vector p;          // largest entry 1
};

DiagonalStability best_diagonal(const Matrix& m, double accuracy);
// The bound of a given p.
double diagonal_bound(const Matrix& m, const Vector& p);

// p rounded to so few digits that its square roots and their squares are exact.
Vector rounded_weights(const Vector& p);

// The proofs, all roundings included. `errors` says how far each entry of M may be from the true one.
// Whether P M + M^T P < 2 P.
bool proves_stability(const Matrix& m, const Matrix& errors, const Vector& p);
// Whether |M|, the Euclidean norm, is below 1.
bool proves_contraction(const Matrix& m, const Matrix& errors);

}  // namespace irn
