#include "apps/irn/check_vary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

// Where a column's units begin among the inputs.
std::size_t first_unit(const Encoding& encoding, std::size_t column) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < column; ++k) first += encoding.inputs[k].width();
  return first;
}

Vary column_vary(const Encoding& encoding, std::size_t column) {
  const EncodedColumn& c = encoding.inputs[column];
  return {Vary::Kind::column, first_unit(encoding, column), "column " + c.name, c.mean, c.scale,
          is_date(c.reading)};
}

// "layer1.layer1:3:2" is {"layer1.layer1", 3, 2}.
struct WeightName {
  std::string part;
  std::vector<std::size_t> places;
};

std::optional<WeightName> split(const std::string& text) {
  WeightName name{text.substr(0, text.find(':')), {}};
  for (std::size_t at = text.find(':'); at != std::string::npos;) {
    const std::size_t next = text.find(':', at + 1);
    std::size_t place = 0;
    if (!read_value(text.substr(at + 1, next - at - 1), place) || place == 0) return {};
    name.places.push_back(place);
    at = next;
  }
  return name.places.empty() ? std::nullopt : std::optional(name);
}

[[noreturn]] void refuse_place(const std::string& text, const std::string& has) {
  throw Error(fmt::format("--vary: there is no weight \"{}\"; {}", text, has));
}

std::size_t weight_index(const std::string& text, const WeightName& name, const Block& b) {
  const std::string block = Architecture::block_name(b);
  if (!b.dense()) {
    if (name.places.size() != 1 || name.places[0] > b.parameters)
      refuse_place(text, fmt::format("{0} is {1}, with the numbers {0}:1 to {0}:{2}", block, to_text(b.op),
                                     b.parameters));
    return b.weights + name.places[0] - 1;
  }
  if (name.places.size() != 2 || name.places[0] > b.rows || name.places[1] > b.cols)
    refuse_place(text, fmt::format("{0} goes from {0}:1:1 to {0}:{1}:{2}", block, b.rows, b.cols));
  return b.weights + (name.places[0] - 1) * b.cols + name.places[1] - 1;
}

std::optional<std::size_t> parameter_index(const std::string& text, const Architecture& architecture) {
  const std::optional<WeightName> name = split(text);
  if (!name) return {};
  for (const Block& b : architecture.blocks())
    if (Architecture::block_name(b) == name->part) return weight_index(text, *name, b);
  for (std::size_t l = 1; l <= architecture.layers().size(); ++l) {
    if (fmt::format("layer{}.bias", l) != name->part) continue;
    const std::size_t count = architecture.layers()[l - 1].biases();
    if (name->places.size() != 1 || name->places[0] > count)
      refuse_place(text, fmt::format("{0} goes from {0}:1 to {0}:{1}", name->part, count));
    return architecture.first_bias(l) + name->places[0] - 1;
  }
  return {};
}

[[noreturn]] void refuse(const std::string& text, const Encoding& encoding,
                         const Architecture& architecture) {
  std::vector<std::string> known = {"gain"};
  for (const EncodedColumn& column : encoding.inputs) known.push_back(column.name);
  for (const Block& b : architecture.blocks()) known.push_back(Architecture::block_name(b) + ":1:1");
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string_view meant = closest(text, views);
  throw Error(
      fmt::format("--vary: \"{}\" is neither a column of the model, nor a weight such as "
                  "{}, nor gain{}",
                  text, known.back(), meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant)));
}

template <class T>
ParameterProblem problem_of(const Vary& vary, const NetworkOf<T>& network, std::span<const T> x) {
  if (vary.kind == Vary::Kind::parameter) return along_parameter(network, x, vary.index);
  if (vary.kind == Vary::Kind::gain) return along_gain(network, x);
  std::vector<T> base(x.begin(), x.end());
  base[vary.index] = T(-vary.mean / vary.scale);  // where the column is 0
  std::vector<double> direction(x.size());
  direction[vary.index] = 1 / vary.scale;
  return along_direction<T>(network, base, direction);
}

// The only branch, through the equilibrium at p; empty if that was not found.
std::vector<Branch> only_branch(const ParameterProblem& problem, double p, const BranchOptions& options) {
  const Equilibria<double> here = settle(problem.at(p), 1);
  if (!here.settled(0)) return {};
  return {branch_through(problem, p, here.state(0), options)};
}

// The output that differs most over the branches, so that the picture shows most.
std::size_t widest_output(const std::vector<Branch>& branches, const Architecture& architecture,
                          std::size_t outputs) {
  std::size_t best = 0;
  double widest = -1;
  for (std::size_t k = 0; k < outputs; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (const Branch& branch : branches)
      for (const BranchPoint& point : branch.points) {
        const double z = point.state[architecture.first_output() + k];
        low = std::min(low, z), high = std::max(high, z);
      }
    if (high - low > widest) widest = high - low, best = k;
  }
  return best;
}

void name_shown(VaryStory& story, const Encoding& encoding, const Architecture& architecture) {
  const std::size_t k =
      widest_output(story.branches, architecture, std::min(encoding.target_width(), architecture.outputs()));
  story.neuron = architecture.first_output() + k;
  if (encoding.task == Task::classification) {
    story.shown = "output of class " + encoding.targets.front().categories[k];
  } else {
    story.shown = encoding.targets[k].name;
    story.scale = encoding.targets[k].scale, story.shift = encoding.targets[k].mean;
  }
}

// A number, or the days of a date that can be read in one way only.
bool read_end(const std::string& text, VaryRange& range, double& value) {
  if (read_value(text, value)) return true;
  const std::optional<double> days = parse_date(text, DateOrder::day_first);
  if (!days || days != parse_date(text, DateOrder::month_first)) return false;
  range.dates = true, value = *days;
  return true;
}

}  // namespace

Vary read_vary(const std::string& text, const Encoding& encoding, const Architecture& architecture) {
  for (std::size_t k = 0; k < encoding.inputs.size(); ++k) {
    if (encoding.inputs[k].name != text) continue;
    if (encoding.inputs[k].is_number()) return column_vary(encoding, k);
    throw Error(
        fmt::format("--vary: column '{}' holds text, which cannot be moved in small steps; name a "
                    "column of numbers, a weight, or gain",
                    text));
  }
  if (text == "gain") return {.text = "gain"};
  if (const std::optional<std::size_t> k = parameter_index(text, architecture))
    return {Vary::Kind::parameter, *k, "weight " + text};
  refuse(text, encoding, architecture);
}

Vary vary_of_input(std::size_t input, const Encoding& encoding) {
  for (std::size_t k = 0; k < encoding.inputs.size(); ++k)
    if (encoding.inputs[k].is_number() && first_unit(encoding, k) == input) return column_vary(encoding, k);
  return {.text = "gain"};
}

std::vector<TurningPoint> turnings_in_order(const VaryStory& vary) {
  std::vector<TurningPoint> all;
  for (const Branch& branch : vary.branches)
    all.insert(all.end(), branch.turnings.begin(), branch.turnings.end());
  std::sort(all.begin(), all.end(), [](const TurningPoint& a, const TurningPoint& b) { return a.p < b.p; });
  return all;
}

VaryRange read_range(const std::string& text) {
  VaryRange range;
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || !read_end(text.substr(0, comma), range, range.low) ||
      !read_end(text.substr(comma + 1), range, range.high) || !std::isfinite(range.low) ||
      !std::isfinite(range.high) || !(range.low < range.high))
    throw Error(fmt::format(
        "--range: \"{}\" is no range; give two numbers, or of a column of dates two dates, the smaller one "
        "first: 0,7",
        text));
  return range;
}

template <class T>
double present_value(const Vary& vary, const NetworkOf<T>& network, std::span<const T> x) {
  if (vary.kind == Vary::Kind::gain) return 1;
  if (vary.kind == Vary::Kind::parameter) return double(network.parameters()[vary.index]);
  return double(x[vary.index]) * vary.scale + vary.mean;
}

template <class T>
VaryStory follow(const Vary& vary, const NetworkOf<T>& network, const Encoding& encoding,
                 std::span<const T> x, const VaryRange& range, bool one) {
  VaryStory story{.what = vary.text, .low = range.low, .high = range.high, .date = vary.date};
  story.present = present_value(vary, network, x);
  const ParameterProblem problem = problem_of(vary, network, x);
  const BranchOptions options{.low = range.low, .high = range.high};
  if (one && vary.kind == Vary::Kind::column)
    story.branches = only_branch(problem, std::clamp(story.present, range.low, range.high), options);
  if (story.branches.empty()) story.branches = branches(problem, options);
  name_shown(story, encoding, network.architecture());
  return story;
}

#define IRN_INSTANTIATE(T)                                                                         \
  template double present_value(const Vary&, const NetworkOf<T>&, std::span<const T>);             \
  template VaryStory follow(const Vary&, const NetworkOf<T>&, const Encoding&, std::span<const T>, \
                            const VaryRange&, bool);
IRN_INSTANTIATE(float)
IRN_INSTANTIATE(double)
#undef IRN_INSTANTIATE

}  // namespace irn::app
