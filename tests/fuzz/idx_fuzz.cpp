// IDX, plain and in gzip: through gzip nothing is known about the size before the end.
#include "irn/data/gzip.h"
#include "irn/data/idx.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn;
  std::string refusal;
  const auto frame = fuzz::attempt(
      [&] {
        std::unique_ptr<ByteSource> source = std::make_unique<MemorySource>("f", fuzz::text(data, size));
        if (is_gzip(*source)) source = unpack_gzip(std::move(source));
        return read_idx(*source);
      },
      refusal);
  if (frame) fuzz::require_sound(*frame);
  return 0;
}
