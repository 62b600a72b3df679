#include "experiments/settings_difference.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace irn::experiments {
namespace {

using Words = std::vector<std::string>;
using Settings = std::vector<std::pair<std::string, Words>>;  // names and values

const Words* find(const Settings& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Settings::value_type::first);
  return found == settings.end() ? nullptr : &found->second;
}

void add(Settings& settings, const std::string& name, const std::string& value) {
  if (!find(settings, name)) settings.push_back({name, {}});
  Words& values = std::ranges::find(settings, name, &Settings::value_type::first)->second;
  if (std::ranges::count(values, value) == 0) values.push_back(value);
}

bool is_toml(const Json& json) { return json.is_string() && json.get<std::string>().ends_with('\n'); }

bool is_tried(const Json& json) {
  return json.is_array() && !json.empty() && std::ranges::all_of(json, is_toml);
}

// TOML as irn writes it, one line for each setting.
void add_toml(Settings& settings, const Json& toml) {
  std::istringstream lines(toml.get<std::string>());
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t equals = line.find(" = "); !line.starts_with('#') && equals != line.npos)
      add(settings, line.substr(0, equals), line.substr(equals + 3));
}

Settings settings_in(const std::string& name, const Json& json) {
  Settings settings;
  if (is_toml(json))
    add_toml(settings, json);
  else if (is_tried(json))
    for (const Json& toml : json) add_toml(settings, toml);
  else if (!json.is_null())
    add(settings, name, json.is_string() ? "'" + json.get<std::string>() + "'" : json.dump());
  return settings;
}

std::string shown(const Words* values) {
  constexpr std::size_t most = 4;
  if (!values) return "none";
  if (values->size() == 1) return values->front();
  std::string text;
  for (std::size_t k = 0; k < std::min(most, values->size()); ++k)
    text += (k > 0 ? ", " : "[") + (*values)[k];
  return text + (values->size() > most ? ", ... " + std::to_string(values->size()) + " values]" : "]");
}

// Never empty.
Words differences(const std::string& name, const Json& stored, const Json& wanted) {
  if (name == "data") return {"the data has changed"};
  const Settings was = settings_in(name, stored), now = settings_in(name, wanted);
  Settings all = now;
  for (const auto& [key, values] : was)
    if (!find(all, key)) all.push_back({key, values});
  Words found;
  for (const auto& [key, values] : all) {
    const Words *before = find(was, key), *after = find(now, key);
    if (!before || !after || *before != *after)
      found.push_back(key + " was " + shown(before) + ", now " + shown(after));
  }
  return found.empty() ? Words{name + " has changed"} : found;
}

// More of the same trials, or fewer.
bool begins_alike(const Json& a, const Json& b) {
  const auto both = std::ptrdiff_t(std::min(a.size(), b.size()));
  return a.is_array() && b.is_array() && std::equal(a.begin(), a.begin() + both, b.begin());
}

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

}  // namespace

std::string settings_difference(const Json& stored, const Json& wanted) {
  Words found, tried;
  bool only_how_many = true, same_ones = false;
  for (const auto& [name, value] : wanted.items()) {
    const Json before = stored.is_object() && stored.contains(name) ? stored[name] : Json();
    if (before == value) continue;
    const Words here = differences(name, before, value);
    if (is_tried(value)) {
      append(tried, here);
      same_ones = begins_alike(before, value);
    } else {
      append(found, here);
      only_how_many = only_how_many && name == "trials";
    }
  }
  if (found.empty() || (only_how_many && !same_ones)) append(found, tried);
  std::string text;
  for (const std::string& each : found) text += (text.empty() ? "" : "; ") + each;
  return text;
}

}  // namespace irn::experiments
