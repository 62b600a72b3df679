// What can be proven about a network for every input: certificates, the one that covers most networks first.
// Each is an inequality bound < 1 over the loops of A (irn/network/loops.h), where S are the largest slopes
// of f:
//
//   diagonal stability    min over diagonal P > 0 of the largest lambda with P S A + (S A)^T P <= 2 lambda P.
//                         One equilibrium for every input, which the flow reaches from everywhere (Forti and
//                         Tesi, IEEE Trans. Circuits Syst. I 42 (1995) 354)
//   weighted maximum norm min over weights w > 0 of max_i (N w)_i / w_i, N = S A with its off-diagonal
//                         entries made positive: Perron's eigenvalue of N. The same promise, and any two
//                         solutions approach each other like e^-(1 - bound) t in that norm
//   maximum norm          the same with w = 1 (contraction.h)
//   Euclidean norm        |S A|, the largest singular value. The same promise in the Euclidean norm, and
//                         plain iteration z <- F(z) converges like bound^k
//   iteration             Perron's eigenvalue of S |A|: plain iteration converges like bound^k in a weighted
//                         maximum norm
//
// Each of the others implies the first and promises more. `bound` also tells how far the network is from the
// certificate: if its recurrent weights were divided by more than `bound`, the certificate would hold.
// `holds` is a proof, rounding included; false may also mean too close to tell.
//
// A network without loops settles in one sweep: all bounds are minus infinity, and all certificates hold.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "irn/analysis/contraction.h"
#include "irn/analysis/stability.h"
#include "irn/network/network.h"

namespace irn {

enum class CertificateKind : unsigned char {
  diagonal_stability,
  weighted_maximum_norm,
  maximum_norm,
  euclidean_norm,
  iteration
};
inline constexpr std::array<std::string_view, 5> certificate_names = {
    "diagonal stability", "weighted maximum norm", "maximum norm", "Euclidean norm", "iteration"};
constexpr std::string_view name(CertificateKind kind) {
  return certificate_names[static_cast<std::size_t>(kind)];
}
// What the certificate promises, as a sentence.
std::string_view promise(CertificateKind kind);

struct Certificate {
  CertificateKind kind = CertificateKind::diagonal_stability;
  double bound = 0;    // below 1 the certificate holds
  bool holds = false;  // proven
  std::vector<double>
      weights;  // one for each neuron, if there are any: the diagonal of P, or w; 1 for neurons on no loop
};

struct CertificateOptions {
  // The best P is searched for in loops of up to this many neurons (some hundred steps of about 10 n^3 each).
  // Beyond, P is that of irn/network/certificate.h.
  std::size_t optimised = 128;
  double accuracy = 1e-4;  // relative accuracy of the bound of the best P
};

struct Certificates {
  std::vector<Certificate> all;  // in the order of CertificateKind
  double plain_bound =
      0;  // of diagonal stability with P = S^-1, which training can keep (irn/network/certificate.h)
  StateStability at_rest;  // of the linearisation at z = 0, x = 0, which is usually no equilibrium
  bool recurrent = false;

  const Certificate& operator[](CertificateKind kind) const { return all[static_cast<std::size_t>(kind)]; }
  // The first certificate that holds; null if none does.
  const Certificate* strongest() const;
};

// Larger loops are not analysed: their bounds are infinite and nothing holds (irn/network/certificate.h takes
// larger ones). Loops of convolutions have the bound of diagonal stability with P = S^-1 at any size
// (irn/network/convolution_loop.h).
inline constexpr std::size_t largest_analysed_loop = 1024;

template <class T>
Certificates certificates(const NetworkOf<T>& network, const CertificateOptions& options = {});

}  // namespace irn
