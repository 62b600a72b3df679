#include "irn/analysis/sensitivity.h"

#include "irn/analysis/linearised-inl.h"

namespace irn {

template <class T>
Sensitivity sensitivity(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z) {
  const Dynamics dynamics(network);
  check_state(dynamics, x.size(), z.size());
  check_dense(dynamics, "the sensitivity");
  return Linearised(dynamics, dynamics.slopes_at(vector_of(z), dynamics.drive(vector_of(x)))).sensitivity();
}
template Sensitivity sensitivity(const NetworkOf<float>&, std::span<const float>, std::span<const double>);
template Sensitivity sensitivity(const NetworkOf<double>&, std::span<const double>, std::span<const double>);

}  // namespace irn
