#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/base/version.h"
#include "irn/model/model_metadata-inl.h"

namespace irn {
namespace {

using nlohmann::json;

constexpr std::string_view prefix = "irn.";
constexpr std::array<std::string_view, 12> keys = {
    "irn.version", "irn.network", "irn.encoding", "irn.solver",  "irn.tolerance",   "irn.configuration",
    "irn.seed",    "irn.metrics", "irn.loss",     "irn.program", "irn.certificate", "irn.augmentation"};

// The longest text of a network that is read: some thousands of layers. The time to build one grows with the
// square of their number, so a hostile file could cost hours.
constexpr std::size_t longest_network = 16384;

std::string shortened(const std::string& text) {
  return text.size() <= 60 ? text : text.substr(0, 60) + "...";
}

const std::string* find(const Metadata& metadata, std::string_view key) {
  const auto found = metadata.find(std::string(key));
  return found == metadata.end() ? nullptr : &found->second;
}

const std::string& needed(const Metadata& metadata, std::string_view key) {
  if (const std::string* value = find(metadata, key)) return *value;
  throw Error("its metadata has no '" + std::string(key) + "', which every model needs");
}

void check_version(const Metadata& metadata) {
  const std::string* stated = find(metadata, "irn.version");
  if (!stated) throw Error("this is no irn model: its metadata has no 'irn.version'");
  std::size_t version = 0;
  if (*stated == std::to_string(model_version)) return;
  if (!read_value(*stated, version) || version < 1)
    throw Error("'irn.version' is '" + shortened(*stated) + "', which is no version of the format");
  throw Error("its format has version " + std::to_string(version) + ", irn " IRN_VERSION " reads version " +
              std::to_string(model_version) + "; use a newer irn");
}

void check_keys(const Metadata& metadata) {
  for (const auto& [key, value] : metadata)
    if (key.starts_with(prefix) && std::find(keys.begin(), keys.end(), key) == keys.end())
      throw Error(unknown_name("metadata", shortened(key), keys));
}

Architecture architecture_from(const std::string& text) {
  if (text.size() > longest_network)
    throw Error("'irn.network' has " + std::to_string(text.size()) + " characters; at most " +
                std::to_string(longest_network) + " are read");
  return from_text<Architecture>(text);
}

template <class Value>
Value value_from(const Metadata& metadata, std::string_view key, Value standard) {
  const std::string* text = find(metadata, key);
  if (!text) return standard;
  Value value{};
  if (!read_value(*text, value))
    throw Error("'" + std::string(key) + "' is '" + shortened(*text) + "', which is no number it can have");
  return value;
}

std::string metrics_text(const std::map<std::string, double>& metrics) {
  json object = json::object();
  for (const auto& [name, value] : metrics) object[name] = std::isfinite(value) ? json(value) : json();
  return object.dump();
}

std::map<std::string, double> metrics_from(const std::string& text) {
  const json object = json::parse(text);
  if (!object.is_object()) throw Error("'irn.metrics' is no JSON object");
  std::map<std::string, double> metrics;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_number() && !value.is_null())
      throw Error("'irn.metrics': '" + shortened(name) + "' is no number");
    metrics[name] = value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  }
  return metrics;
}

Loss loss_from(const std::string& text, Task task) {
  Loss loss = from_text<Loss>(text);
  if (of_classes(loss) != (task == Task::classification))
    throw Error("'irn.loss' is '" + shortened(text) + "', which does not fit the task in 'irn.encoding'");
  return loss;
}

Augmentation augmentation_from(const std::string& text, const Encoding& encoding) {
  const auto augmentation = from_text<Augmentation>(text);
  if (encoding.image.none())
    throw Error("'irn.augmentation' is '" + shortened(text) + "', and its inputs are no images");
  check_augmentation(augmentation, encoding.image);
  return augmentation;
}

ModelDescription read(const Metadata& metadata) {
  check_version(metadata);
  check_keys(metadata);
  ModelDescription model{architecture_from(needed(metadata, "irn.network")),
                         encoding_from_json_text(needed(metadata, "irn.encoding"))};
  if (const std::string* solver = find(metadata, "irn.solver"))
    model.settle.solver = from_text<Solver>(*solver);
  model.settle.tolerance = value_from(metadata, "irn.tolerance", 0.0);
  model.settle.certified = value_from(metadata, "irn.certificate", 2.0) < 1;
  if (find(metadata, "irn.certificate") && !model.settle.certified)
    throw Error("'irn.certificate' is " + shortened(*find(metadata, "irn.certificate")) +
                ", which certifies nothing: it lies below 1");
  if (const std::string* text = find(metadata, "irn.configuration")) model.configuration = *text;
  model.seed = value_from(metadata, "irn.seed", std::size_t{0});
  if (const std::string* metrics = find(metadata, "irn.metrics")) model.metrics = metrics_from(*metrics);
  if (const std::string* loss = find(metadata, "irn.loss"))
    model.loss = loss_from(*loss, model.encoding.task);
  if (const std::string* text = find(metadata, "irn.augmentation"))
    model.augmentation = augmentation_from(*text, model.encoding);
  check_fits(model.encoding, model.architecture);
  return model;
}

}  // namespace

Metadata to_metadata(const ModelDescription& model) try {
  Metadata all = {
      {"irn.version", std::to_string(model_version)},
      {"irn.network", to_text(model.architecture)},
      {"irn.encoding", to_json_text(model.encoding)},
      {"irn.solver", to_full_text(model.settle.solver)},  // in full: it outlives changes of the defaults
      {"irn.tolerance", write_value(model.settle.tolerance)},
      {"irn.configuration", model.configuration},
      {"irn.seed", std::to_string(model.seed)},
      {"irn.metrics", metrics_text(model.metrics)},
      {"irn.program", IRN_VERSION}};
  if (model.loss) all["irn.loss"] = to_full_text(*model.loss);
  if (!model.augmentation.none()) all["irn.augmentation"] = to_text(model.augmentation);
  return all;
} catch (const json::exception&) {
  throw Error("a model holds names as UTF-8; that of a column, a category or a metric is none");
}

ModelDescription description_from(const Metadata& metadata) try {
  return read(metadata);
} catch (const json::exception&) {
  throw Error("'irn.metrics' is no JSON object");
}

}  // namespace irn
