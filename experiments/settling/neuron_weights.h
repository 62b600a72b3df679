// The certificate with weights of the neurons (Forti and Tesi, IEEE Trans. Circuits Syst. I 42 (1995) 354), kept while a network is trained:
//   P A + A^T P < 2 P S^-1,  P > 0 diagonal,   which is   lambda_max of the symmetric part of  B = P^1/2 S^1/2 A S^1/2 P^-1/2  below 1
// P = I is the library's certificate (network/certificate.h). A chain of neurons, each feeding the next, has weights that prove it
// however strong it is, and P = I does not. For relu weights add nothing that a rescaling of the neurons would not.
#pragma once

#include <cstdint>
#include <memory>

#include "irn/network/network.h"

namespace irn::experiments {

enum class Weights : unsigned char {
  ones,       // P = I
  optimised,  // steps down what exceeds the bound, in log P, from the last P, before it is taken out
  balanced    // rows of B as large as columns, off its diagonal (Osborne 1960): a function of A alone
};

// For dense blocks.
template <class T>
class WeightedCertifier {
 public:
  WeightedCertifier(const Architecture& architecture, double bound, Weights weights);
  ~WeightedCertifier();
  WeightedCertifier(WeightedCertifier&&) noexcept;

  // As Certifier's (optim/certifier.h). They say whether they changed the network.
  bool after_step(NetworkOf<T>& network, std::uint64_t steps);
  bool hold(NetworkOf<T>& network);

  // Proven with the weights as they are, rounding included.
  bool is_certified(const NetworkOf<T>& network) const;

 private:
  struct HeldLoop;
  double bound_;
  std::vector<HeldLoop> loops_;
};

extern template class WeightedCertifier<float>;
extern template class WeightedCertifier<double>;

}  // namespace irn::experiments
