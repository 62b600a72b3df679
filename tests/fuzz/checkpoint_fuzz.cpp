// Checkpoints: whatever the file claims. What is accepted fits together, and is written as what it was read as. Each input
// is also tried without its checksum, which would turn almost every mutation away at the door.
#include "irn/model/checkpoint.h"
#include "irn/model/safetensors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/unchecked.h"

namespace irn::fuzz {
namespace {

template <class T>
void try_checkpoint(std::string_view bytes) {
  std::string refusal;
  const auto read = attempt([&] { return checkpoint_from_bytes<T>(bytes, "f"); }, refusal);
  if (!read) return;
  const std::size_t parameters = from_text<Architecture>(read->architecture).parameters();
  require(read->fit.parameters.size() == parameters, "parameters fit the network");
  const std::size_t best = read->fit.best.parameters().size();
  require(best == 0 || best == parameters, "so do the best");
  const std::string again = to_bytes(*read);
  require(to_bytes(checkpoint_from_bytes<T>(again, "again")) == again,
          "it is written as what it was read as");
}

}  // namespace
}  // namespace irn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn::fuzz;
  const std::string spoilt = unchecked(text(data, size));
  for (const std::string_view bytes : {text(data, size), std::string_view(spoilt)}) {
    try_checkpoint<float>(bytes);
    try_checkpoint<double>(bytes);
  }
  return 0;
}
