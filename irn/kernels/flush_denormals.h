// While one lives, numbers too small for the full precision of their type (in float below 1e-38) count as zero on this thread.
//
// Saturated neurons make them: a sigmoid of -80 has a slope of 1e-35, and what is multiplied with it once more has no place among
// the normal numbers. Some processors, Intel's above all, take a hundred cycles and more for an operation on such a number.
// No answer needs them: a residual is measured against 1.
#pragma once

namespace irn::kernels {

class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_ = 0;
};

}  // namespace irn::kernels
