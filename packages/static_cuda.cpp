// The program that is linked to no library loads none either: it has no CUDA devices. The package for Debian has them.
#include "irn/engine/cuda/load_module.h"

namespace irn::cuda {

const LoadedModule& loaded_module() {
  static const LoadedModule nothing{nullptr,
                                    "the program of this tarball is linked to no library and cannot load the part for CUDA; take the package "
                                    "for Debian, or build it (docs/install.md)",
                                    false};
  return nothing;
}

}  // namespace irn::cuda
