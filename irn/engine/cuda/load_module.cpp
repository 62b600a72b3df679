#include "irn/engine/cuda/load_module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "irn/base/version.h"

namespace irn::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libirn_cuda.so";

// IRN_CUDA_MODULE, if it is set. Otherwise beside the program or shared library that contains this code, or
// in lib/irn of the installation or the build.
std::vector<fs::path> places() {
  if (const char* named = std::getenv("IRN_CUDA_MODULE")) return {named};
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&loaded_module), &here) == 0 || !here.dli_fname) return {};
  std::error_code ignored;
  fs::path file = fs::canonical(here.dli_fname, ignored);
  // For a program, dli_fname is the name it was called by, which may be no path.
  if (ignored) file = fs::canonical("/proc/self/exe", ignored);
  const fs::path folder = file.parent_path();
  return {folder / file_name, folder.parent_path() / "lib" / "irn" / file_name,
          folder.parent_path() / "irn" / file_name};
}

LoadedModule load() {
  for (const fs::path& place : places()) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) continue;
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return {nullptr, "'" + place.string() + "' cannot be loaded: " + dlerror()};
    const auto entry = reinterpret_cast<ModuleEntry>(dlsym(library, module_entry));
    const Module* module = entry ? entry(IRN_VERSION) : nullptr;
    if (!module) return {nullptr, "'" + place.string() + "' is not of irn " IRN_VERSION};
    return {module};
  }
  return {nullptr,
          "this build of irn has no part for CUDA (" + std::string(file_name) +
              "); build it where nvcc is, see docs/install.md",
          false};
}

}  // namespace

const LoadedModule& loaded_module() {
  static const LoadedModule loaded = load();
  return loaded;
}

}  // namespace irn::cuda
