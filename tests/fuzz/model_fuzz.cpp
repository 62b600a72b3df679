// Model files: whatever the header claims. What is accepted is consistent, and is written as what it was read as. The checksum
// would turn almost every mutation away at the door, so each input is also tried as a file that has none.
#include "irn/model/model.h"
#include "irn/model/safetensors.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/unchecked.h"

namespace irn::fuzz {
namespace {

template <class T>
void require_sound(const ModelOf<T>& model) {
  const Architecture& architecture = model.network.architecture();
  require(model.encoding.input_width() == architecture.inputs(), "columns fit the inputs");
  require(model.encoding.target_width() <= architecture.outputs(), "targets fit the outputs");
  for (const T parameter : model.network.parameters())
    require(std::isfinite(parameter), "parameters are finite");
  const std::string bytes = to_bytes(model);
  const AnyModel again = model_from_bytes(bytes, "again");
  require(to_bytes(std::get<ModelOf<T>>(again)) == bytes, "a model is written as what it was read as");
}

void try_model(std::string_view bytes) {
  std::string refusal;
  const auto model = attempt([&] { return model_from_bytes(bytes, "f"); }, refusal);
  if (model) std::visit([](const auto& of) { require_sound(of); }, *model);
}

}  // namespace
}  // namespace irn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace irn;
  std::string refusal;
  const auto file =
      fuzz::attempt([&] { return safetensors_from_bytes(fuzz::text(data, size), "f"); }, refusal);
  if (file)
    fuzz::require(to_bytes(safetensors_from_bytes(to_bytes(*file), "again")) == to_bytes(*file),
                  "a container is written as what it was read as");
  fuzz::try_model(fuzz::text(data, size));
  fuzz::try_model(fuzz::unchecked(fuzz::text(data, size)));
  return 0;
}
