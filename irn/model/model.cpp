#include "irn/model/model.h"

#include <algorithm>
#include <optional>

#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/model/model_metadata-inl.h"
#include "irn/model/safetensors.h"
#include "irn/network/certificate.h"
#include "irn/network/parameter_parts.h"

namespace irn {
namespace {

std::string to_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

using TensorsByName = std::map<std::string_view, const Tensor*>;

// Checks that all parts exist, and nothing else, before memory is taken for them.
void check_tensors(const TensorsByName& tensors, const std::vector<ParameterPart>& parts) {
  for (const ParameterPart& part : parts) {
    const auto found = tensors.find(part.name);
    if (found == tensors.end())
      throw Error("tensor '" + part.name + "' is missing, " + to_text(part.shape) + " by 'irn.network'");
    if (found->second->shape != part.shape)
      throw Error("tensor '" + part.name + "' has shape " + to_text(found->second->shape) +
                  ", by 'irn.network' it is " + to_text(part.shape));
  }
  if (tensors.size() == parts.size()) return;
  for (const auto& [name, tensor] : tensors)
    if (std::none_of(parts.begin(), parts.end(),
                     [&](const ParameterPart& part) { return part.name == name; }))
      throw Error("tensor '" + std::string(name.substr(0, 60)) +
                  "' belongs to nothing in 'irn.network'; remove it");
}

template <class T>
void check_settle(const SettleOptions& settle) {
  check(settle.solver);
  if (settle.tolerance != 0 && !(settle.tolerance >= least_tolerance<T>()))
    throw Error("its tolerance is " + write_value(settle.tolerance) +
                ", below what its precision can reach: " + write_value(least_tolerance<T>()));
}

template <class T>
ModelOf<T> assemble(ModelDescription&& description, const TensorsByName& tensors,
                    const std::vector<ParameterPart>& parts) {
  check_settle<T>(description.settle);
  std::vector<T> parameters(description.architecture.parameters());
  for (const ParameterPart& part : parts) {
    const std::vector<T> values = values_of<T>(*tensors.at(part.name));
    std::copy(values.begin(), values.end(), parameters.begin() + static_cast<std::ptrdiff_t>(part.first));
  }
  NetworkOf<T> network(std::move(description.architecture), std::move(parameters));
  if (description.settle.certified && !is_certified(network))
    throw Error(
        "its weights do not keep to its certificate ('irn.certificate'): they were changed, or damaged; "
        "without that entry it can be read");
  return {std::move(network),
          std::move(description.encoding),
          description.settle,
          std::move(description.configuration),
          description.seed,
          std::move(description.metrics),
          std::move(description.loss),
          description.augmentation};
}

AnyModel model_from(const Safetensors& file) {
  ModelDescription description = description_from(file.metadata);
  TensorsByName tensors;
  for (const Tensor& tensor : file.tensors) tensors[tensor.name] = &tensor;
  const std::vector<ParameterPart> parts = parameter_parts(description.architecture);
  check_tensors(tensors, parts);
  const TensorType type = tensors.at(parts.front().name)->type;
  if (type == TensorType::F32) return assemble<float>(std::move(description), tensors, parts);
  if (type == TensorType::F64) return assemble<double>(std::move(description), tensors, parts);
  throw Error("tensor '" + parts.front().name + "' holds " + std::string(name(type)) +
              "; a model holds F32 or F64");
}

}  // namespace

void check_fits(const Encoding& encoding, const Architecture& architecture) {
  const std::size_t inputs = encoding.input_width(), targets = encoding.target_width();
  if (inputs != architecture.inputs())
    throw Error("its columns make " + std::to_string(inputs) + " inputs, its network takes " +
                std::to_string(architecture.inputs()));
  if (targets > architecture.outputs())
    throw Error("its targets take " + std::to_string(targets) + " outputs, its network has " +
                std::to_string(architecture.outputs()));
}

template <class T>
std::string to_bytes(const ModelOf<T>& model) {
  const Architecture& architecture = model.network.architecture();
  Safetensors file{to_metadata({architecture, model.encoding, model.settle, model.configuration, model.seed,
                                model.metrics, model.loss, model.augmentation})};
  if (model.settle.certified && architecture.recurrent() && is_certified(model.network))
    file.metadata["irn.certificate"] = write_value(certificate_bound(model.network));
  description_from(file.metadata);  // refuses what could not be read back
  check_settle<T>(model.settle);
  const std::span<const T> parameters = model.network.parameters();
  NetworkOf<T>(architecture,
               std::vector<T>(parameters.begin(), parameters.end()));  // refuses what is not finite
  for (const ParameterPart& part : parameter_parts(architecture))
    file.tensors.push_back(make_tensor<T>(part.name, part.shape, parameters.subspan(part.first, part.count)));
  return to_bytes(file);
}

AnyModel model_from_bytes(std::string_view bytes, std::string_view source) {
  if (!begins_as_safetensors(bytes))
    throw DataError(std::string(source) +
                    ": no model file of irn; name the model.safetensors that training writes, or its folder");
  const Safetensors file = safetensors_from_bytes(bytes, source);
  try {
    return model_from(file);
  } catch (const Error& error) {
    throw DataError(std::string(source) + ": " + error.what());
  }
}

template <class T>
void write_model(const std::filesystem::path& path, const ModelOf<T>& model) {
  write_file_atomically(path, to_bytes(model));
}

AnyModel read_model(const std::filesystem::path& path) {
  return model_from_bytes(read_file(path), path.string());
}

Encoding plain_encoding(std::size_t inputs, std::size_t targets) {
  Encoding encoding;
  for (std::size_t i = 0; i < inputs; ++i) encoding.inputs.push_back({"x" + std::to_string(i)});
  for (std::size_t i = 0; i < targets; ++i) encoding.targets.push_back({"y" + std::to_string(i)});
  return encoding;
}

template std::string to_bytes(const ModelOf<float>&);
template std::string to_bytes(const ModelOf<double>&);
template void write_model(const std::filesystem::path&, const ModelOf<float>&);
template void write_model(const std::filesystem::path&, const ModelOf<double>&);

}  // namespace irn
