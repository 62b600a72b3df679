#include "apps/irn/sweep_space.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "irn/base/error.h"
#include "irn/base/random.h"

namespace irn::app {
namespace {

constexpr std::uint64_t sweep_stream = (std::uint64_t{1} << 48) + 2;

std::string toml_text(const toml::node& node, const std::string& place) {
  if (!node.is_value()) throw Error(place + ": choices are texts, numbers, true or false");
  std::ostringstream out;
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  node.visit([&](const auto& value) {
    if constexpr (!toml::is_table<decltype(value)> && !toml::is_array<decltype(value)>) out << value;
  });
  return out.str();
}

double number_of(const toml::table& range, std::string_view key, const std::string& place) {
  if (const auto value = range[key].value<double>(); value && std::isfinite(*value)) return *value;
  throw Error(
      fmt::format("{}: a range has numbers as {{ low = 0.001, high = 0.1 }}, and {} is none", place, key));
}

bool switch_of(const toml::table& range, std::string_view key, const std::string& place) {
  const toml::node* node = range.get(key);
  if (!node) return false;
  if (const auto* value = node->as_boolean()) return value->get();
  throw Error(fmt::format("{}: {} is true or false, without quotes", place, key));
}

// 0: no steps given.
std::int64_t steps_of(const toml::table& range, const std::string& place) {
  constexpr std::int64_t most = 10000;  // the most trials of a grid
  const toml::node* node = range.get("steps");
  if (!node) return 0;
  const auto* value = node->as_integer();
  if (value && value->get() >= 2 && value->get() <= most) return value->get();
  throw Error(fmt::format("{}: steps are a whole number, 2 to {}", place, most));
}

// A range of whole numbers goes from its first to its last whole number.
void make_whole(SpaceOption& option, const std::string& place) {
  constexpr double most = 9007199254740992;  // 2^53: beyond, a double does not tell them apart
  option.low = std::ceil(option.low), option.high = std::floor(option.high);
  if (!(option.low < option.high)) throw Error(place + ": there are no two whole numbers in this range");
  if (option.low < -most || option.high > most)
    throw Error(place + ": whole numbers of a range are at most 2^53");
}

// The value at a share 0 to 1 of the range. Four digits: no option needs more, and people can read them.
std::string value_at(const SpaceOption& option, double share) {
  const double value = option.log ? option.low * std::pow(option.high / option.low, share)
                                  : option.low + (option.high - option.low) * share;
  return option.whole ? fmt::format("{}", std::llround(value)) : fmt::format("{:.4g}", value);
}

// The value for a uniform number 0 to 1. Whole numbers of a range are equally likely (with log, uniform in
// the logarithm).
std::string drawn(const SpaceOption& option, double share) {
  if (!option.range) {
    const auto place = static_cast<std::size_t>(share * double(option.choices.size()));
    return option.choices[std::min(place, option.choices.size() - 1)];
  }
  if (!option.whole) return value_at(option, share);
  SpaceOption wider = option;
  wider.low -= 0.5, wider.high += 0.5;
  const std::string text = value_at(wider, share);
  const double value = std::clamp(std::stod(text), option.low, option.high);
  return fmt::format("{}", std::llround(value));
}

SpaceOption range_of(std::string key, const toml::table& range, const std::string& place) {
  for (const auto& [name, node] : range)
    if (name != "low" && name != "high" && name != "log" && name != "whole" && name != "steps")
      throw Error(fmt::format("{}: unknown key \"{}\"; a range has low, high, log, whole and steps", place,
                              name.str()));
  SpaceOption option{.key = std::move(key),
                     .range = true,
                     .log = switch_of(range, "log", place),
                     .whole = switch_of(range, "whole", place),
                     .low = number_of(range, "low", place),
                     .high = number_of(range, "high", place)};
  if (!(option.low < option.high)) throw Error(place + ": low must be below high");
  if (option.whole) make_whole(option, place);
  if (option.log && !(option.low > 0)) throw Error(place + ": a log-uniform range begins above 0");
  const std::int64_t steps = steps_of(range, place);
  for (std::int64_t k = 0; k < steps; ++k) {
    std::string value = value_at(option, double(k) / double(steps - 1));
    if (option.choices.empty() || option.choices.back() != value) option.choices.push_back(std::move(value));
  }
  return option;
}

SpaceOption option_of(std::string key, const toml::node& node, const std::string& place) {
  if (const toml::table* range = node.as_table()) return range_of(std::move(key), *range, place);
  SpaceOption option{.key = std::move(key)};
  const toml::array* list = node.as_array();
  if (!list) {
    option.choices = {toml_text(node, place)};
    return option;
  }
  for (const toml::node& choice : *list)
    if (std::string text = toml_text(choice, place); std::ranges::count(option.choices, text) == 0)
      option.choices.push_back(std::move(text));
  if (option.choices.empty()) throw Error(place + ": there is nothing to choose from");
  return option;
}

std::vector<std::string> whole_values(const SpaceOption& range) {
  std::vector<std::string> values;
  for (double value = range.low; value <= range.high; ++value)
    values.push_back(fmt::format("{}", std::llround(value)));
  return values;
}

// The space as lists of all values, if it has at most `most` combinations; a range of numbers that are not
// whole has more.
std::optional<std::vector<SpaceOption>> in_lists(std::vector<SpaceOption> space, std::size_t most) {
  std::size_t count = 1;
  for (SpaceOption& option : space) {
    if (option.range && (!option.whole || option.high - option.low >= double(most))) return {};
    if (option.range) option.choices = whole_values(option);
    count *= option.choices.size();
    if (count > most) return {};
  }
  return space;
}

}  // namespace

std::string Trial::toml(const std::vector<SpaceOption>& space) const {
  std::string text;
  for (std::size_t k = 0; k < space.size(); ++k) text += space[k].key + " = " + values[k] + "\n";
  return text;
}

std::vector<SpaceOption> parse_space(const std::string& text, const std::string& source) {
  toml::table table;
  try {
    table = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    throw Error(fmt::format("{}, line {}, column {}: {}", source, at.line, at.column, error.description()));
  }
  std::vector<std::pair<std::size_t, SpaceOption>> found;  // in the order of the file
  for (const auto& [key, node] : table) {
    const std::size_t line = key.source().begin.line;
    const std::string place = fmt::format("{}, line {}", source, line);
    found.emplace_back(line,
                       option_of(std::string(key.str()), node, fmt::format("{}, {}", place, key.str())));
    found.back().second.place = place;
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first, a.second.key) < std::pair(b.first, b.second.key);
  });
  std::vector<SpaceOption> space;
  for (auto& [line, option] : found) space.push_back(std::move(option));
  return space;
}

std::vector<Trial> grid_trials(const std::vector<SpaceOption>& space, std::size_t most) {
  std::size_t count = 1;
  for (const SpaceOption& option : space) {
    if (option.choices.empty())
      throw Error(
          option.key +
          ": a grid needs the number of steps in its range, as in { low = 0.001, high = 0.1, steps = 5 }");
    count *= option.choices.size();
    if (count > most)
      throw Error(fmt::format("the grid has more than {} combinations; take --method random", most));
  }
  std::vector<Trial> trials;
  for (std::size_t n = 0; n < count; ++n) {
    Trial trial{.number = n + 1, .values = std::vector<std::string>(space.size())};
    std::size_t rest = n;
    for (std::size_t k = space.size(); k-- > 0; rest /= space[k].choices.size())
      trial.values[k] = space[k].choices[rest % space[k].choices.size()];
    trials.push_back(std::move(trial));
  }
  return trials;
}

std::vector<Trial> random_trials(const std::vector<SpaceOption>& space, std::size_t count,
                                 std::uint64_t seed) {
  if (const auto lists = in_lists(space, count)) return grid_trials(*lists, count);
  constexpr std::size_t most_repeats = 10000;  // in a row
  const Stream stream(seed, sweep_stream);
  std::vector<Trial> trials;
  std::set<std::vector<std::string>> seen;
  for (std::size_t n = 0, repeats = 0; trials.size() < count && repeats < most_repeats; ++n) {
    Trial trial{.number = trials.size() + 1};
    for (std::size_t k = 0; k < space.size(); ++k)
      trial.values.push_back(drawn(space[k], stream.uniform(n * space.size() + k)));
    const bool is_new = seen.insert(trial.values).second;
    repeats = is_new ? 0 : repeats + 1;
    if (is_new) trials.push_back(std::move(trial));
  }
  return trials;
}

std::string plain_value(const std::string& toml) {
  const bool quoted =
      toml.size() >= 2 && (toml.front() == '\'' || toml.front() == '"') && toml.back() == toml.front();
  return quoted ? toml.substr(1, toml.size() - 2) : toml;
}

}  // namespace irn::app
