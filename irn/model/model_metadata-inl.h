// The metadata of a model file: a description of everything but the weights, as text a key, and back.
#pragma once

#include <map>
#include <string>

#include "irn/model/model.h"

namespace irn {

using Metadata = std::map<std::string, std::string>;

struct ModelDescription {
  Architecture architecture;
  Encoding encoding;
  SettleOptions settle = {};
  std::string configuration = {};
  std::uint64_t seed = 0;
  std::map<std::string, double> metrics = {};
  std::optional<Loss> loss = {};
  Augmentation augmentation = {};
};

Metadata to_metadata(const ModelDescription& model);
// irn::Error for what is missing, unknown or makes no sense; the caller says in which file.
ModelDescription description_from(const Metadata& metadata);

}  // namespace irn
