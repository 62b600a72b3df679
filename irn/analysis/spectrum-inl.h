// Eigenvalues of a real matrix, and the mode of the rightmost one. A matrix that is not finite has a single
// eigenvalue, infinite with an infinite error.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "irn/analysis/dynamics-inl.h"

namespace irn {

struct Spectrum {
  std::vector<std::complex<double>> values;  // in no order
  double error = 0;                          // of the rightmost, estimated
  bool complete = true;                      // whether these are all eigenvalues
  std::vector<std::complex<double>> mode;    // of the rightmost; empty unless asked for
};

// All eigenvalues, by Hessenberg form and QR steps: about 8 n^3.
Spectrum dense_spectrum(const Matrix& matrix, bool mode);

// The outermost eigenvalues of a matrix given by its products, by Arnoldi's method with up to `vectors`
// vectors. It stops once the residual of the rightmost is within `accuracy` times the largest.
using Times = std::function<Vector(const Vector&)>;
Spectrum arnoldi_spectrum(Eigen::Index n, const Times& times, std::size_t vectors, double accuracy,
                          bool mode);

// Rightmost first; of a pair the one above the axis first.
bool lies_right_of(const std::complex<double>& a, const std::complex<double>& b);

}  // namespace irn
