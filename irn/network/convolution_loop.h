// Certificates of loops between images (certificate.h): lambda_max(X) < 1 without the matrix X, which may
// have tens of thousands of rows.
//
// A convolution of a layer with itself, on an image with zeros around it, is a part of the same convolution
// on the whole plane. At each frequency, the latter is a matrix of channels x channels, its symbol. So, with
// S_d = s (W_d + W_-d^T) / 2 for the offsets d of the kernel's taps,
//   lambda_max(X) <= sup over t of lambda_max(H(t)),   H(t) = sum over d of S_d exp(i d.t)
// Blocks between two layers of a loop are bounded by the largest singular value of their symbol in the same
// way. If blocks lead both ways between two layers with kernels of the same stride, one kernel and the
// transpose of the other are added first, so that layers may rotate around each other with any strength. The
// bounds of the parts of X make a small matrix whose largest eigenvalue bounds that of X.
//
// The supremum is taken over a grid of frequencies, plus the possible rise between them. v* H(t) v, less its
// constant v* S_0 v, is a trigonometric polynomial p of degree m, with |d/dt arccos(p / R)| <= m if |p| <= R.
// The nearest grid point to its maximum is at most pi / N away along each axis, with N_y x N_x points in the
// grid, so from there p rises by at most
//   R (1 - cos(pi m_y / N_y + pi m_x / N_x))
// Where this rise cannot exceed the largest eigenvalue found so far by more than a tolerance, as Cholesky's
// method tells, the search ends; elsewhere the grid is made finer.
#pragma once

#include <memory>

#include "irn/network/loops.h"

namespace irn {

class ConvolutionLoop {
 public:
  // Whether all blocks of the loop are convolutions, plain or transposed.
  static bool fits(const Architecture& architecture, const Loop& loop);
  ConvolutionLoop(const Architecture& architecture, const Loop& loop);
  ~ConvolutionLoop();
  ConvolutionLoop(ConvolutionLoop&&) noexcept;

  // An upper bound of lambda_max(X), rounding included. It is refined until it is clear whether it is below
  // `limit`.
  template <class T>
  double bound(const T* parameters, double limit = 1) const;

  // Changes the kernels so that a share, 0 to 1, of the excess over `bound` goes away. In blocks of a layer
  // with itself, the eigenvalues above are reduced at each frequency, as far as the taps allow. In blocks
  // between layers, the common part is scaled down. `fineness` is that of the grid of frequencies; excess
  // between them remains.
  template <class T>
  void reduce(T* parameters, double bound, double share, std::size_t fineness = 8) const;
  // Multiplies all kernels of the loop by a factor.
  template <class T>
  void scale(T* parameters, double factor) const;

  std::size_t channels() const;  // of the widest layer

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace irn
