#include "irn/model/checkpoint.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/model/safetensors.h"

namespace irn {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 2;
constexpr const char* version_key = "irn.checkpoint";

// JSON has no NaN: null stands for it.
void put(Json& to, std::string_view key, double value) {
  to[std::string(key)] = std::isfinite(value) ? Json(value) : Json(nullptr);
}
void put(Json& to, std::string_view key, std::size_t value) { to[std::string(key)] = value; }
void put(Json& to, std::string_view key, bool value) { to[std::string(key)] = value; }

void get(const Json& from, double& value) {
  value = from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
}
void get(const Json& from, std::size_t& value) {
  if (!from.is_number_unsigned()) throw DataError("a count is no whole number");
  value = from.get<std::size_t>();
}
void get(const Json& from, bool& value) { value = from.get<bool>(); }

Json to_json(EpochRecord record) {
  Json json = Json::object();
  record.fields([&](std::string_view key, const auto& value) { put(json, key, value); });
  return json;
}

std::string log_name(std::string_view field, bool held_out) {
  constexpr std::string_view validation = "validation_";
  if (held_out || (field != "score" && !field.starts_with(validation))) return std::string(field);
  if (field.starts_with(validation)) field.remove_prefix(validation.size());
  return "training_" + std::string(field);
}

EpochRecord record_from_json(const Json& json) {
  EpochRecord record;
  record.fields([&](std::string_view key, auto& value) { get(json.at(std::string(key)), value); });
  return record;
}

template <class Visit>
void visit_sums(EpochSums& sums, Visit&& visit) {
  visit("steps", sums.steps);
  visit("samples", sums.samples);
  visit("settled", sums.settled);
  visit("counted", sums.counted);
  visit("used", sums.used);
  visit("weight", sums.weight);
  visit("counted_weight", sums.counted_weight);
  visit("loss", sums.loss);
  visit("evaluations", sums.evaluations);
  visit("gradient_norm", sums.gradient_norm);
  visit("rate", sums.rate);
  visit("seconds", sums.seconds);
}

template <class T>
Json fit_to_json(const FitState<T>& fit) {
  Json json = {{"optimiser_steps", fit.optimiser.steps}};
  EpochSums sums = fit.sums;
  visit_sums(sums, [&](const char* key, const auto& value) { put(json["sums"], key, value); });
  put(json, "first_loss", fit.best.first_loss());
  put(json, "cost", fit.best.cost());
  json["records"] = Json::array();
  for (const EpochRecord& record : fit.records) json["records"].push_back(to_json(record));
  return json;
}

template <class T>
std::vector<T> values(const Safetensors& file, std::string_view name) {
  const Tensor* tensor = file.find(name);
  if (!tensor) throw DataError("tensor \"" + std::string(name) + "\" is missing");
  return values_of<T>(*tensor);
}

// Before samples had weights, each counted as one.
Json with_weights(Json sums) {
  if (!sums.contains("weight"))
    sums["weight"] = sums.at("samples"), sums["counted_weight"] = sums.at("counted");
  return sums;
}

template <class T>
FitState<T> fit_from(const Safetensors& file, const Json& json) {
  FitState<T> fit;
  const Json sums = with_weights(json.at("sums"));
  visit_sums(fit.sums, [&](const char* key, auto& value) { get(sums.at(key), value); });
  for (const Json& record : json.at("records")) fit.records.push_back(record_from_json(record));
  fit.parameters = values<T>(file, "parameters");
  fit.optimiser.first = values<T>(file, "optimiser.first");
  fit.optimiser.second = values<T>(file, "optimiser.second");
  if (file.find("average")) fit.average = values<T>(file, "average");
  get(json.at("optimiser_steps"), fit.optimiser.steps);
  if (std::vector<T> best = values<T>(file, "best"); !best.empty()) {
    double first_loss = 0, cost = 0;
    get(json.at("first_loss"), first_loss);
    get(json.at("cost"), cost);
    fit.best = {first_loss, cost, std::move(best)};
  }
  return fit;
}

template <class T>
constexpr const char* precision_name() {
  return sizeof(T) == 4 ? "float" : "double";
}

const std::string& entry(const Safetensors& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  if (found == file.metadata.end()) throw DataError("\"" + key + "\" is missing: not a checkpoint of irn");
  return found->second;
}

template <class T>
void check_header(const Safetensors& file) {
  if (entry(file, version_key) != std::to_string(version))
    throw DataError("a checkpoint of version " + entry(file, version_key) + "; this irn reads version " +
                    std::to_string(version));
  if (entry(file, "precision") != precision_name<T>())
    throw DataError("a checkpoint in " + entry(file, "precision") + ", not in " + precision_name<T>());
}

template <class T>
void check_sizes(const Checkpoint<T>& checkpoint) {
  const std::size_t parameters = from_text<Architecture>(checkpoint.architecture).parameters();
  const FitState<T>& fit = checkpoint.fit;
  const auto fits = [&](std::size_t size, bool may_be_empty) {
    return size == parameters || (may_be_empty && size == 0);
  };
  // The file does not say whether weights are normalised, which affects the optimiser's numbers: the
  // optimiser checks them.
  const auto has_moments = [&](std::size_t size) { return size == 0 || size >= parameters; };
  if (!fits(fit.parameters.size(), false) || !has_moments(fit.optimiser.first.size()) ||
      !has_moments(fit.optimiser.second.size()) || !fits(fit.best.parameters().size(), true) ||
      !fits(fit.average.size(), true))
    throw DataError("its tensors do not fit the network " + checkpoint.architecture);
  for (std::size_t i = 0; i < fit.records.size(); ++i)
    if (fit.records[i].epoch != i + 1) throw DataError("its epochs are out of order");
}

template <class T>
Checkpoint<T> checkpoint_from(const Safetensors& file) {
  check_header<T>(file);
  Checkpoint<T> checkpoint{.architecture = entry(file, "architecture"),
                           .configuration = entry(file, "configuration"),
                           .encoding = encoding_from_json_text(entry(file, "encoding")),
                           .data = entry(file, "data"),
                           .fit = fit_from<T>(file, Json::parse(entry(file, "fit")))};
  check_sizes(checkpoint);
  return checkpoint;
}

}  // namespace

template <class T>
std::string to_bytes(const Checkpoint<T>& checkpoint) {
  const auto vector = [](const char* name, std::span<const T> of) {
    return make_tensor<T>(name, {of.size()}, of);
  };
  const FitState<T>& fit = checkpoint.fit;
  Safetensors file;
  file.metadata = {{version_key, std::to_string(version)},
                   {"precision", precision_name<T>()},
                   {"architecture", checkpoint.architecture},
                   {"configuration", checkpoint.configuration},
                   {"encoding", to_json_text(checkpoint.encoding)},
                   {"data", checkpoint.data},
                   {"fit", fit_to_json(fit).dump()}};
  file.tensors = {vector("parameters", fit.parameters), vector("optimiser.first", fit.optimiser.first),
                  vector("optimiser.second", fit.optimiser.second), vector("best", fit.best.parameters())};
  if (!fit.average.empty()) file.tensors.push_back(vector("average", fit.average));
  return to_bytes(file);
}

template <class T>
void write_checkpoint(const std::filesystem::path& path, const Checkpoint<T>& checkpoint) {
  write_file_atomically(path, to_bytes(checkpoint));
}

template <class T>
Checkpoint<T> read_checkpoint(const std::filesystem::path& path) {
  return checkpoint_from_bytes<T>(read_file(path), path.string());
}

template <class T>
Checkpoint<T> checkpoint_from_bytes(std::string_view bytes, std::string_view source) {
  const Safetensors file = safetensors_from_bytes(bytes, source);
  try {
    return checkpoint_from<T>(file);
  } catch (const nlohmann::json::exception&) {
    throw DataError(std::string(source) + ": damaged: what it says of the training cannot be read");
  } catch (const Error& error) {
    throw DataError(std::string(source) + ": " + error.what());
  }
}

std::string to_json_line(const EpochRecord& record, bool held_out) {
  Json json = Json::object();
  EpochRecord copy = record;
  copy.fields([&](std::string_view key, const auto& value) { put(json, log_name(key, held_out), value); });
  return json.dump() + "\n";
}

std::string csv_header_line(bool held_out) {
  std::string line;
  EpochRecord{}.fields([&](std::string_view key, const auto&) {
    line += (line.empty() ? "" : ",") + log_name(key, held_out);
  });
  return line + "\n";
}

std::string to_csv_line(const EpochRecord& record) {
  std::string line;
  EpochRecord copy = record;
  copy.fields([&](std::string_view key, const auto& value) {
    line += (key == "epoch" ? "" : ",") + write_value(value);
  });
  return line + "\n";
}

template void write_checkpoint(const std::filesystem::path&, const Checkpoint<float>&);
template void write_checkpoint(const std::filesystem::path&, const Checkpoint<double>&);
template std::string to_bytes(const Checkpoint<float>&);
template std::string to_bytes(const Checkpoint<double>&);
template Checkpoint<float> read_checkpoint(const std::filesystem::path&);
template Checkpoint<double> read_checkpoint(const std::filesystem::path&);
template Checkpoint<float> checkpoint_from_bytes(std::string_view, std::string_view);
template Checkpoint<double> checkpoint_from_bytes(std::string_view, std::string_view);

}  // namespace irn
