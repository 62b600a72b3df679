// Certificates of loops between images (certificate.h): lambda_max(X) < 1 without the matrix X, which may have tens of thousands of rows.
//
// A convolution of a layer with itself, on an image with zeros around it, is a part of the same convolution on the whole plane, and that is a matrix
// of channels x channels at every frequency, its symbol. So, with S_d = s (W_d + W_-d^T) / 2 over the offsets d of the kernel's taps,
//   lambda_max(X) <= sup over t of lambda_max(H(t)),   H(t) = sum over d of S_d exp(i d.t)
// Blocks between two layers of a loop are bounded by the largest singular value of their symbol in the same way; where a block leads back by the
// transpose of the way it came, the two kernels are added first, so that layers may turn around each other as strongly as they like. The
// bounds of the parts of X make a small matrix whose largest eigenvalue bounds X's.
//
// The supremum is taken over a grid of frequencies and what can lie between them: v* H(t) v, less its constant v* S_0 v, is a trigonometric polynomial of degree m, of
// which |d/dt arccos(p / R)| <= m where |p| <= R. So from the grid point next to where it is largest, pi / N away or less both ways, it rises by at most
// R (1 - cos(pi m_y / N + pi m_x / N)). Where that cannot lead beyond the largest eigenvalue found so far, as Cholesky's method tells, nothing more is asked; elsewhere the grid is made finer.
#pragma once

#include <memory>

#include "irn/network/loops.h"

namespace irn {

class ConvolutionLoop {
 public:
  // Whether all blocks of the loop are convolutions, transposed ones among them.
  static bool fits(const Architecture& architecture, const Loop& loop);
  ConvolutionLoop(const Architecture& architecture, const Loop& loop);
  ~ConvolutionLoop();
  ConvolutionLoop(ConvolutionLoop&&) noexcept;

  // An upper bound of lambda_max(X), rounding included, refined as long as it matters whether it is below `limit`.
  template <class T>
  double bound(const T* parameters, double limit = 1) const;

  // Takes a share, 0 to 1, of what exceeds `bound` out of the kernels: of a layer with itself, frequency by frequency, what its taps can take of
  // the eigenvalues above; of blocks between layers, by making their common part smaller. fineness: of the grid of frequencies; what rises between them stays.
  template <class T>
  void reduce(T* parameters, double bound, double share, std::size_t fineness = 8) const;
  // All kernels of the loop times a factor.
  template <class T>
  void scale(T* parameters, double factor) const;

  std::size_t channels() const;  // of the widest layer

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace irn
