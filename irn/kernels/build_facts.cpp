#include "irn/kernels/build_facts.h"

#include "irn/kernels/targets.h"
// targets.h disables targets, so it must come before Highway.
#include "hwy/targets.h"

namespace irn {
namespace {

std::string compiler_text() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string processor_text() {
#if HWY_ARCH_X86_64
  return "x86-64";
#elif HWY_ARCH_ARM_A64
  return "arm64";
#else
  return "another";
#endif
}

}  // namespace

BuildFacts build_facts() {
  BuildFacts facts{.compiler = compiler_text(), .processor = processor_text()};
  const std::int64_t runs = HWY_SUPPORTED_TARGETS;
  for (std::int64_t left = HWY_TARGETS; left != 0; left &= left - 1) {  // the lowest bit is the widest set
    const std::int64_t target = left & -left;
    facts.compiled.emplace_back(hwy::TargetName(target));
    if (facts.in_use.empty() && (target & runs) != 0) facts.in_use = facts.compiled.back();
  }
#ifdef IRN_WITH_OPENBLAS
  facts.openblas = true;
#endif
  return facts;
}

bool is_simd(const std::string& instruction_set) {
  return instruction_set != "SCALAR" && instruction_set != "EMU128";
}

}  // namespace irn
