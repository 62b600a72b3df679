// Options as text, and back:
//   "name:key=value,key=value"   <->   one alternative of a std::variant of option aggregates
// An aggregate has a name and lists its fields once. Parsing, printing and the documentation use that list:
//   struct RungeKutta4 {
//     static constexpr std::string_view name = "rk4";
//     double step = 1.0;
//     std::size_t steps = 30;
//     template <class Visit> void fields(Visit&& visit) { visit("step", step); visit("steps", steps); }
//   };
// Printing is canonical: fields at their default are left out, and numbers are the shortest text that reads
// back as the same bits. So parse_choice<V>(to_text(v)) is v, and equal options give equal text.
// Values are not checked (for example, a negative step size): the code that uses the options knows their
// ranges.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace irn {

// The parts of "name:key=value,..."; views into the text.
struct OptionsText {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> settings;
};

// `what` names the kind of thing in messages ("solver", "optimiser").
OptionsText split_options(std::string_view text, std::string_view what);

// Reads the whole text as one value; false if that is not possible. A new type of field needs one more
// overload.
bool read_value(std::string_view text, double& value);
bool read_value(std::string_view text, int& value);
bool read_value(std::string_view text, std::size_t& value);
bool read_value(std::string_view text, bool& value);

// The shortest text from which read_value gets the same value.
std::string write_value(double value);
std::string write_value(float value);
std::string write_value(int value);
std::string write_value(std::size_t value);
std::string write_value(bool value);

// One field of an options aggregate, for help pages.
struct FieldText {
  std::string key;
  std::string value;
};

namespace options_detail {

[[noreturn]] void refuse_name(std::string_view name, std::string_view what,
                              std::span<const std::string_view> known);
[[noreturn]] void refuse_key(std::string_view name, std::string_view key, std::span<const FieldText> known);
[[noreturn]] void refuse_value(std::string_view name, std::string_view key, std::string_view value,
                               const char* kind);
// "is not a whole number", or "is too large a number".
std::string is_not(std::string_view value, const char* kind);
std::string join(std::string_view name, std::span<const FieldText> fields);

template <class T>
constexpr const char* kind_of() {
  if constexpr (std::same_as<T, bool>) return "true or false";
  if constexpr (std::same_as<T, std::size_t>) return "a whole number, zero or more";
  if constexpr (std::integral<T>) return "a whole number";
  if constexpr (std::floating_point<T>) return "a finite number";
  return "a known word";
}

}  // namespace options_detail

// All fields with their present values, in the order the aggregate lists them.
template <class Options>
std::vector<FieldText> fields_of(Options options) {
  std::vector<FieldText> all;
  if constexpr (requires { options.fields([](std::string_view, auto&) {}); }) {
    options.fields([&](std::string_view key, const auto& value) {
      all.push_back({std::string(key), write_value(value)});
    });
  }
  return all;
}

// Sets the one field called `key`.
template <class Options>
void set_field(Options& options, std::string_view key, std::string_view value) {
  bool found = false;
  if constexpr (requires { options.fields([](std::string_view, auto&) {}); }) {
    options.fields([&](std::string_view field, auto& target) {
      if (field != key) return;
      found = true;
      using Value = std::remove_cvref_t<decltype(target)>;
      if (!read_value(value, target))
        options_detail::refuse_value(Options::name, key, value, options_detail::kind_of<Value>());
    });
  }
  if (!found) options_detail::refuse_key(Options::name, key, fields_of(options));
}

// Canonical text of one aggregate: its name and the fields that differ from the default.
template <class Options>
  requires requires { Options::name; }
std::string to_text(const Options& options) {
  const std::vector<FieldText> standard = fields_of(Options{});
  std::vector<FieldText> changed;
  const std::vector<FieldText> present = fields_of(options);
  for (std::size_t i = 0; i < present.size(); ++i)
    if (present[i].value != standard[i].value) changed.push_back(present[i]);
  return options_detail::join(Options::name, changed);
}

// The same with every field written out, for records whose meaning must not change with a default.
template <class Options>
  requires requires { Options::name; }
std::string to_full_text(const Options& options) {
  return options_detail::join(Options::name, fields_of(options));
}

template <class... Options>
std::string to_text(const std::variant<Options...>& choice) {
  return std::visit([](const auto& options) { return to_text(options); }, choice);
}

template <class... Options>
std::string to_full_text(const std::variant<Options...>& choice) {
  return std::visit([](const auto& options) { return to_full_text(options); }, choice);
}

namespace options_detail {

template <class Variant>
struct Alternatives;

template <class... Options>
struct Alternatives<std::variant<Options...>> {
  // Calls visit(Options{}) for each alternative with its defaults.
  template <class Visit>
  static void each(Visit&& visit) {
    (visit(Options{}), ...);
  }
};

}  // namespace options_detail

// Calls visit(options at their defaults) for every alternative; for help pages, tests and benchmarks.
template <class Variant, class Visit>
void for_each_choice(Visit&& visit) {
  options_detail::Alternatives<Variant>::each(visit);
}

template <class Variant>
std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for_each_choice<Variant>(
      [&](const auto& options) { all.push_back(std::remove_cvref_t<decltype(options)>::name); });
  return all;
}

// The alternative named by `text`, at its defaults except for the fields that `text` sets.
template <class Variant>
Variant parse_choice(std::string_view text, std::string_view what) {
  const OptionsText parts = split_options(text, what);
  Variant choice;
  bool found = false;
  for_each_choice<Variant>([&](auto options) {
    if (found || decltype(options)::name != parts.name) return;
    found = true;
    for (const auto& [key, value] : parts.settings) set_field(options, key, value);
    choice = options;
  });
  if (!found) options_detail::refuse_name(parts.name, what, names<Variant>());
  return choice;
}

}  // namespace irn
