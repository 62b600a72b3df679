// What this library was built with, and what of it this machine runs.
#pragma once

#include <string>
#include <vector>

namespace irn {

struct BuildFacts {
  std::string compiler;   // "g++ 12.2.0"
  std::string processor;  // "x86-64"
  // Instruction sets of the kernels, as Highway calls them, the widest first: "AVX3" (AVX-512), "AVX2", "SSE4", "NEON", and "SCALAR"
  // or "EMU128" for none at all.
  std::vector<std::string> compiled;
  std::string in_use;  // the one of them that this machine runs
  bool openblas = false;
};

BuildFacts build_facts();

// Whether kernels of that name use vectors at all.
bool is_simd(const std::string& instruction_set);

}  // namespace irn
