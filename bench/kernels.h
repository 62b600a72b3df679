// Loops that need the machine's vectors: its peak, and single kernels of the library.
#pragma once

#include <cstddef>

#include "irn/kernels/convolution.h"
#include "irn/kernels/panels.h"

namespace irn::bench {

// Multiply-adds a second of one core, in full vectors of the best instruction set, from registers: no program
// does better. Measured at the first call (a tenth of a second), so that clock and load are those of the same
// run.
template <class T>
double multiply_add_peak();

// out = M v for `groups` groups of lanes: v is [group][column][lane], out [group][row][lane].
void lane_product(const Panels<float>& m, const float* v, std::size_t groups, float* out);
std::size_t lane_product_width();
// out += C v, or C^T v, for one group of lanes: v is [entry][lane].
void lane_convolution(const PackedConvolution<float>& c, const float* v, float* out);

}  // namespace irn::bench
