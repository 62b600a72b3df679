// Stability of a network that is already linearised.
#pragma once

#include "irn/analysis/dynamics-inl.h"
#include "irn/analysis/stability.h"

namespace irn {

// `slopes`: D.
StateStability stability_of(const Dynamics& dynamics, const Vector& slopes,
                            const StabilityOptions& options = {});
// Of a given Jacobian J.
StateStability stability_of(const Matrix& jacobian, const StabilityOptions& options = {});

// J of problem i at z: the problem's own, or from its products, or by central differences.
Matrix jacobian_of(const Problem& problem, std::size_t i, std::span<const double> z);

}  // namespace irn
