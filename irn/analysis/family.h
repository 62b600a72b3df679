// A family of maps with one parameter p, z -> F(z, p): a network of which one input, one weight or the strength of all its loops is moved.
// Its equilibria z = F(z, p) form curves over p; bifurcation.h follows them. In double and dense: for looking at networks, not for training them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "irn/network/network.h"

namespace irn {

class Family {
 public:
  virtual ~Family() = default;
  virtual std::size_t size() const = 0;
  // value = F(z, p), jacobian = dF/dz (row-major), slope = dF/dp.
  virtual void evaluate(std::span<const double> z, double p, std::span<double> value,
                        std::span<double> jacobian, std::span<double> slope) const = 0;
  // Unknowns that reach each other. Ordered by who reaches whom, dF/dz is block triangular: its eigenvalues are those of the groups, and 0
  // for every unknown that is in none.
  virtual std::vector<std::vector<std::size_t>> groups() const = 0;
};

// In all of these x has one number an input, and what does not fit throws irn::Error.

// Over the input x + p direction.
template <class T>
std::unique_ptr<Family> family_over_input(const NetworkOf<T>& network, std::span<const double> x,
                                          std::span<const double> direction);

// Over parameter k of the network, which takes the value p. Blocks of a caller's own operator have none to be moved.
template <class T>
std::unique_ptr<Family> family_over_parameter(const NetworkOf<T>& network, std::span<const double> x,
                                              std::size_t k);

// Over the strength of the recurrence: every block on a loop (network/loops.h) times p. 0 is a network without recurrence, which has
// one equilibrium; 1 the network itself.
template <class T>
std::unique_ptr<Family> family_over_gain(const NetworkOf<T>& network, std::span<const double> x);

}  // namespace irn
