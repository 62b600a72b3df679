// How this library was built, and which of its instruction sets this machine runs.
#pragma once

#include <string>
#include <vector>

namespace irn {

struct BuildFacts {
  std::string compiler;   // "g++ 12.2.0"
  std::string processor;  // "x86-64"
  // Instruction sets of the kernels by Highway's names, the widest first: "AVX3" (AVX-512), "AVX2", "SSE4",
  // "NEON", and "SCALAR" or "EMU128" for code without vectors.
  std::vector<std::string> compiled;
  std::string in_use;  // the one that this machine runs
  bool openblas = false;
};

BuildFacts build_facts();

// Whether kernels of this name use vectors.
bool is_simd(const std::string& instruction_set);

}  // namespace irn
