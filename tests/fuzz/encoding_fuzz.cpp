// The encoding of a table as JSON: what is accepted is stored as itself.
#include "irn/data/encoding.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn;
  std::string refusal;
  const auto encoding =
      fuzz::attempt([&] { return encoding_from_json_text(fuzz::text(data, size)); }, refusal);
  if (encoding)
    fuzz::require(encoding_from_json_text(to_json_text(*encoding)) == *encoding, "JSON gives the same back");
  return 0;
}
