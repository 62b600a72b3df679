// Which instruction sets the kernels are compiled for: SSE4, AVX2 and AVX3 (AVX-512), besides the baseline that
// Highway always adds. Include before hwy/foreach_target.h.
//
// The others are left out for compile time, which grows by one compilation of the file per target: AVX3_DL adds only
// dot products, AES and bit permutations that no kernel uses, and no processor stops at SSSE3 that still matters.
//
// IRN_FEW_TARGETS leaves AVX2 and the baseline: enough for sanitizers, whose instrumented code takes long to compile.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#ifdef IRN_FEW_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
#endif
