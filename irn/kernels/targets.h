// The instruction sets for which kernels are compiled: SSE4, AVX2 and AVX3 (AVX-512), besides the baseline
// that Highway always adds: single numbers on x86-64, NEON on arm64. Include it before hwy/foreach_target.h.
//
// Others are left out to save compile time, as files are compiled once for each target. AVX3_DL adds only dot
// products, AES and bit permutations that no kernel uses. No processor in use stops at SSSE3. SVE's vectors
// have no size at compile time, so they cannot be members of a struct, as those of a factorisation are.
//
// IRN_FEW_TARGETS leaves AVX2 and the baseline: enough for sanitizers, whose code takes long to compile.
#pragma once

#define IRN_SCALABLE_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#ifndef HWY_DISABLED_TARGETS
#ifdef IRN_FEW_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | IRN_SCALABLE_TARGETS)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | IRN_SCALABLE_TARGETS)
#endif
#endif
