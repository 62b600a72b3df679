#include "irn/kernels/flush_denormals.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace irn::kernels {

#if defined(__SSE__)
FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  constexpr unsigned results_to_zero = 0x8000, operands_to_zero = 0x0040;
  _mm_setcsr(saved_ | results_to_zero | operands_to_zero);
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }
#else
// On other processors denormal numbers stay: at worst this is slower.
FlushDenormals::FlushDenormals() = default;
FlushDenormals::~FlushDenormals() = default;
#endif

}  // namespace irn::kernels
