// The certificate with weights of the neurons (Forti and Tesi, IEEE Trans. Circuits Syst. I 42 (1995) 354),
// kept while a network is trained:
//   P A + A^T P < 2 P S^-1,  P > 0 diagonal,
// which says that lambda_max of the symmetric part of  B = P^1/2 S^1/2 A S^1/2 P^-1/2  is below 1. P = I is
// the library's certificate (network/certificate.h). For a chain of neurons, each feeding the next, some
// weights prove it however strong the chain is; P = I does not. For relu, weights add nothing that a
// rescaling of the neurons would not.
#pragma once

#include <cstdint>
#include <memory>

#include "irn/network/network.h"

namespace irn::experiments {

enum class Weights : unsigned char {
  ones,       // P = I
  optimised,  // from the last P, descend in log P on the excess over the bound, then remove the rest
  balanced    // rows of B as large as its columns, off the diagonal (Osborne 1960): a function of A
};

// For dense blocks.
template <class T>
class WeightedCertifier {
 public:
  WeightedCertifier(const Architecture& architecture, double bound, Weights weights);
  ~WeightedCertifier();
  WeightedCertifier(WeightedCertifier&&) noexcept;

  // As in Certifier (optim/certifier.h). They return whether they changed the network.
  bool after_step(NetworkOf<T>& network, std::uint64_t steps);
  bool hold(NetworkOf<T>& network);

  // Proven with the present weights, rounding included.
  bool is_certified(const NetworkOf<T>& network) const;

 private:
  struct HeldLoop;
  double bound_;
  std::vector<HeldLoop> loops_;
};

extern template class WeightedCertifier<float>;
extern template class WeightedCertifier<double>;

}  // namespace irn::experiments
