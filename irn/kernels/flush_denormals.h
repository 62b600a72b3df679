// While an object lives, denormal numbers (in float, below 1e-38) count as zero on this thread.
//
// They come from saturated neurons: a sigmoid of -80 has a slope of 1e-35, and a further product with it is
// denormal. Some processors, especially Intel's, take a hundred cycles and more for an operation on such a
// number. No answer needs them: residuals are measured against 1.
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
