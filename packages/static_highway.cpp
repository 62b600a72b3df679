// The two functions that kernels ask of libhwy, for the program that is linked to no library: Debian has libhwy as a shared one
// only. tests/packages holds what this chooses beside what libhwy chooses, on processors of several ages.
#include "hwy/targets.h"

namespace hwy {
namespace {

#if HWY_ARCH_X86_64
// Highway's targets are all of these together; the compiler's own detection also asks whether the system keeps the registers.
std::int64_t detected() {
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("sse4.1") &&
                    __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("avx") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("lzcnt");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return HWY_SCALAR | HWY_EMU128 | (sse4 ? HWY_SSE4 : 0) | (avx2 ? HWY_AVX2 : 0) | (avx3 ? HWY_AVX3 : 0);
}
#else
std::int64_t detected() { return HWY_ENABLED_BASELINE; }  // one set of kernels, which every machine runs
#endif

}  // namespace

std::int64_t SupportedTargets() { return detected(); }

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
