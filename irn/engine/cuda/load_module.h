// Finds and loads the part for CUDA (module.h).
#pragma once

#include <string>

#include "irn/engine/cuda/module.h"

namespace irn::cuda {

// The part for CUDA, or why there is none. Loaded once; the answer does not change.
struct LoadedModule {
  const Module* module = nullptr;
  std::string trouble = {};
  bool built = true;  // false: this build has no such part, not even one that cannot be loaded
};
const LoadedModule& loaded_module();

}  // namespace irn::cuda
