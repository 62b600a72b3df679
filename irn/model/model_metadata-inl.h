// The metadata of a model file: converts everything but the weights to texts, one for each key, and back.
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
// Throws irn::Error for entries that are missing, unknown or make no sense; the caller adds the name of the
// file.
ModelDescription description_from(const Metadata& metadata);

}  // namespace irn
