// Version 1:
// {"version": 1, "task": "classification", "missing": "refuse", "unknown": "refuse",
//  "inputs": [{"name": "age", "mean": 41.5, "scale": 12.25},
//             {"name": "colour", "categories": ["blue", "red"]}],
//  "targets": [...], "fallback": [0.25, 0.75]}
// Version 2 adds "decimal": ",", "thousands": ".", "image": "3x32x32" and these columns:
//  {..., "reading": "date"} with mean and scale, or with
//      "parts": [{"part": "month", "mean": 6.5, "scale": 3.4}],
//  {"name", "categories", "others": true} and {"name", "buckets": 64}.
// It is written only if something in it is needed. An earlier irn says that it cannot read it.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "irn/base/text.h"
#include "irn/data/encoding.h"

namespace irn {
namespace {

using nlohmann::json;

constexpr int version = 2;
constexpr std::size_t most_buckets = 1u << 16;  // for one column in a file
constexpr std::array<std::string_view, 2> task_names = {"regression", "classification"};
constexpr std::array<std::string_view, 3> missing_names = {"refuse", "mean", "drop"};
constexpr std::array<std::string_view, 2> unknown_names = {"refuse", "zeros"};

[[noreturn]] void fail(const std::string& what) { throw DataError("the encoding of the columns: " + what); }

const json& at(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) fail("\"" + std::string(key) + "\" is missing");
  return object.at(key);
}

template <class Enum, std::size_t n>
Enum from_name(const json& from, const char* key, const std::array<std::string_view, n>& names) {
  const auto name = at(from, key).get<std::string>();
  for (std::size_t i = 0; i < n; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  fail(unknown_name(key, name, names));
}

json part_to_json(const ScaledPart& part) {
  return {{"part", name(part.part)}, {"mean", part.mean}, {"scale", part.scale}};
}

json column_to_json(const EncodedColumn& column) {
  json object = {{"name", column.name}};
  if (column.reading != Reading::number) object["reading"] = name(column.reading);
  for (const ScaledPart& part : column.parts) object["parts"].push_back(part_to_json(part));
  if (!column.categories.empty()) object["categories"] = column.categories;
  if (column.others) object["others"] = true;
  if (column.buckets > 0) object["buckets"] = column.buckets;
  if (column.is_number()) object["mean"] = column.mean, object["scale"] = column.scale;
  return object;
}

bool needs_version_2(const Encoding& encoding) {
  const auto column = [](const EncodedColumn& c) {
    return c.reading != Reading::number || c.others || c.buckets > 0;
  };
  return encoding.decimal != '.' || encoding.thousands != '\0' || !encoding.image.none() ||
         std::any_of(encoding.inputs.begin(), encoding.inputs.end(), column) ||
         std::any_of(encoding.targets.begin(), encoding.targets.end(), column);
}

json columns_to_json(const std::vector<EncodedColumn>& columns) {
  json list = json::array();
  for (const EncodedColumn& column : columns) list.push_back(column_to_json(column));
  return list;
}

void check_keys(const json& object, std::initializer_list<std::string_view> known) {
  if (!object.is_object()) fail("an object is needed");
  for (const auto& [key, value] : object.items())
    if (std::find(known.begin(), known.end(), key) == known.end()) fail("unknown key \"" + key + "\"");
}

void read_scale(const json& from, const std::string& column, double& mean, double& scale) {
  mean = at(from, "mean").get<double>();
  scale = at(from, "scale").get<double>();
  if (!std::isfinite(mean) || !std::isfinite(scale) || !(scale > 0))
    fail("mean and scale of \"" + column + "\" must be finite, and the scale positive");
}

std::vector<ScaledPart> parts_from_json(const json& from, const EncodedColumn& column) {
  std::vector<ScaledPart> parts;
  if (!from.is_array() || from.empty() || !is_date(column.reading))
    fail("the parts of \"" + column.name + "\" are no list of parts of a date");
  for (const json& each : from) {
    check_keys(each, {"part", "mean", "scale"});
    ScaledPart part{.part = from_name<DatePart>(each, "part", date_part_names)};
    read_scale(each, column.name, part.mean, part.scale);
    for (const ScaledPart& other : parts)
      if (other.part == part.part) fail("a part of \"" + column.name + "\" occurs twice");
    parts.push_back(part);
  }
  return parts;
}

std::size_t buckets_from_json(const json& from, const std::string& column) {
  if (!from.is_number_unsigned() || from.get<std::uint64_t>() < 1 || from.get<std::uint64_t>() > most_buckets)
    fail("the buckets of \"" + column + "\" are no number from 1 to " + std::to_string(most_buckets));
  return from.get<std::size_t>();
}

EncodedColumn column_from_json(const json& from) {
  EncodedColumn column{at(from, "name").get<std::string>()};
  if (from.contains("reading")) column.reading = from_name<Reading>(from, "reading", reading_names);
  if (from.contains("parts")) {
    check_keys(from, {"name", "reading", "parts"});
    column.parts = parts_from_json(from.at("parts"), column);
  } else if (from.contains("buckets")) {
    check_keys(from, {"name", "buckets"});
    column.buckets = buckets_from_json(from.at("buckets"), column.name);
  } else if (from.contains("categories")) {
    check_keys(from, {"name", "categories", "others"});
    column.others = from.contains("others") && from.at("others").get<bool>();
    column.categories = from.at("categories").get<std::vector<std::string>>();
    const std::set<std::string_view> distinct(column.categories.begin(), column.categories.end());
    if (distinct.empty() || distinct.size() != column.categories.size())
      fail("the categories of \"" + column.name + "\" are none or occur twice");
  } else {
    check_keys(from, {"name", "reading", "mean", "scale"});
    read_scale(from, column.name, column.mean, column.scale);
  }
  return column;
}

std::vector<EncodedColumn> columns_from_json(const json& from, std::set<std::string>& names) {
  if (!from.is_array()) fail("lists of inputs and targets are needed");
  std::vector<EncodedColumn> columns;
  for (const json& column : from) {
    columns.push_back(column_from_json(column));
    if (!names.insert(columns.back().name).second) fail("\"" + columns.back().name + "\" occurs twice");
  }
  if (columns.empty()) fail("at least one input and one target are needed");
  return columns;
}

// Checks what is true of every encoding made by fit_encoding.
void check_task(const Encoding& encoding) {
  const bool classes = encoding.task == Task::classification;
  if (classes && encoding.targets.size() != 1) fail("classification has one target");
  for (const EncodedColumn& target : encoding.targets)
    if (target.is_number() == classes || target.others || target.buckets > 0 || !target.parts.empty())
      fail("the targets do not fit the task");
}

// Shares are written with all their digits, so they add up to 1 up to the rounding of some thousands of
// shares.
void check_fallback(const Encoding& encoding) {
  const std::vector<double>& values = encoding.fallback;
  if (values.size() != encoding.target_width()) fail("\"fallback\" does not fit the targets");
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
    fail("\"fallback\" holds what is no number");
  if (encoding.task != Task::classification) return;
  const bool shares = std::all_of(values.begin(), values.end(), [](double v) { return v >= 0 && v <= 1; });
  if (!shares || !(std::abs(std::accumulate(values.begin(), values.end(), -1.0)) < 1e-9))
    fail("\"fallback\" holds no shares of the classes");
}

char mark_from_json(const json& from, std::string_view known) {
  const auto mark = from.get<std::string>();
  if (mark.size() != 1 || known.find(mark[0]) == known.npos)
    fail("a mark in numbers is none of " + std::string(known));
  return mark[0];
}

ImageShape image_from_json(const json& from, const Encoding& encoding) try {
  const auto shape = from_text<ImageShape>(from.get<std::string>());
  const bool numbers = std::all_of(encoding.inputs.begin(), encoding.inputs.end(),
                                   [](const EncodedColumn& c) { return c.is_number(); });
  if (!numbers || shape.size() != encoding.input_width())
    fail("images of " + to_text(shape) + " do not fit its " + std::to_string(encoding.input_width()) +
         " inputs");
  return shape;
} catch (const DataError&) {
  throw;
} catch (const Error& error) {
  fail(error.what());
}

Encoding from_json(const json& from) {
  check_keys(from, {"version", "task", "missing", "unknown", "inputs", "targets", "fallback", "threshold",
                    "decimal", "thousands", "image"});
  // Compared, not converted: a number beyond int would be undefined behaviour.
  const json& found = at(from, "version");
  if (found != json(1) && found != json(version))
    fail("version " + found.dump().substr(0, 20) + " is not known; this is version " +
         std::to_string(version));
  Encoding encoding;
  encoding.task = from_name<Task>(from, "task", task_names);
  encoding.missing = from_name<Missing>(from, "missing", missing_names);
  encoding.unknown = from_name<Unknown>(from, "unknown", unknown_names);
  std::set<std::string> names;
  encoding.inputs = columns_from_json(at(from, "inputs"), names);
  encoding.targets = columns_from_json(at(from, "targets"), names);
  check_task(encoding);
  if (from.contains("fallback")) {  // an earlier irn wrote none
    encoding.fallback = from.at("fallback").get<std::vector<double>>();
    check_fallback(encoding);
  }
  if (from.contains("threshold")) {
    encoding.threshold = from.at("threshold").get<double>();
    if (encoding.target_width() != 2 || !(encoding.threshold >= 0 && encoding.threshold <= 1))
      fail("\"threshold\" is a probability, and for two classes");
  }
  if (from.contains("decimal")) encoding.decimal = mark_from_json(from.at("decimal"), ".,");
  if (from.contains("thousands")) encoding.thousands = mark_from_json(from.at("thousands"), ",.'_ ");
  if (encoding.decimal == encoding.thousands) fail("one mark stands for decimals and thousands");
  if (from.contains("image")) encoding.image = image_from_json(from.at("image"), encoding);
  if (found == json(1) && needs_version_2(encoding)) fail("version 1 has no such columns or marks");
  return encoding;
}

}  // namespace

std::string to_json_text(const Encoding& encoding) {
  json object = {{"version", needs_version_2(encoding) ? version : 1},
                 {"task", task_names[static_cast<std::size_t>(encoding.task)]},
                 {"missing", missing_names[static_cast<std::size_t>(encoding.missing)]},
                 {"unknown", unknown_names[static_cast<std::size_t>(encoding.unknown)]},
                 {"inputs", columns_to_json(encoding.inputs)},
                 {"targets", columns_to_json(encoding.targets)}};
  if (!encoding.fallback.empty()) object["fallback"] = encoding.fallback;
  if (encoding.threshold != Encoding{}.threshold) object["threshold"] = encoding.threshold;
  if (encoding.decimal != '.') object["decimal"] = std::string(1, encoding.decimal);
  if (encoding.thousands != '\0') object["thousands"] = std::string(1, encoding.thousands);
  if (!encoding.image.none()) object["image"] = to_text(encoding.image);
  return object.dump();
}

Encoding encoding_from_json_text(std::string_view text) {
  try {
    return from_json(json::parse(text));
  } catch (const json::exception& error) {
    fail(error.what());
  }
}

}  // namespace irn
