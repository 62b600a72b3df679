// NPY: whatever the header claims.
#include "irn/data/npy.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn;
  std::string refusal;
  MemorySource source("f", fuzz::text(data, size));
  const auto frame = fuzz::attempt([&] { return read_npy(source); }, refusal);
  if (frame) fuzz::require_sound(*frame);
  return 0;
}
