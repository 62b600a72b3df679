#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "irn/base/text.h"
#include "irn/data/category-inl.h"
#include "irn/data/encoding.h"
#include "irn/data/samples.h"

namespace irn {
namespace {

using Rows = std::optional<std::span<const std::uint64_t>>;

std::string place(const std::string& source, const std::string& column) {
  return source + ", column '" + column + "': ";
}

std::vector<std::size_t> find_all(const Frame& frame, const std::vector<std::string>& names,
                                  const char* what) {
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    found.push_back(frame.find(name));
    if (std::count(found.begin(), found.end(), found.back()) > 1)
      throw Error("the " + std::string(what) + " '" + name + "' is named twice");
  }
  return found;
}

std::vector<std::size_t> input_columns(const Frame& frame, const EncodingOptions& options) {
  const std::vector<std::size_t> targets = find_all(frame, options.targets, "target");
  const std::vector<std::size_t> excluded = find_all(frame, options.excluded, "excluded column");
  std::vector<std::size_t> inputs = find_all(frame, options.inputs, "input");
  if (inputs.empty()) {
    inputs.resize(frame.width());
    std::iota(inputs.begin(), inputs.end(), std::size_t{0});
    std::erase_if(inputs, [&](std::size_t c) { return std::count(targets.begin(), targets.end(), c) > 0; });
  }
  std::erase_if(inputs, [&](std::size_t c) { return std::count(excluded.begin(), excluded.end(), c) > 0; });
  for (const std::size_t c : inputs)
    if (std::count(targets.begin(), targets.end(), c) > 0)
      throw Error("column '" + frame.columns()[c].name + "' is both input and target; take one");
  if (inputs.empty()) throw Error(frame.source() + ": no columns are left as inputs besides the targets");
  return inputs;
}

// The rows to fit to: those asked for, without those that will be dropped.
std::vector<std::uint64_t> fitted_rows(const Frame& frame, Rows rows, Missing missing,
                                       const std::vector<std::size_t>& columns) {
  std::vector<std::uint64_t> chosen(rows ? rows->size() : frame.rows());
  std::iota(chosen.begin(), chosen.end(), std::uint64_t{0});
  if (rows) std::copy(rows->begin(), rows->end(), chosen.begin());
  check_samples(chosen, frame.rows());
  if (missing == Missing::drop)
    std::erase_if(chosen, [&](std::uint64_t row) {
      return std::any_of(columns.begin(), columns.end(),
                         [&](std::size_t c) { return std::isnan(frame.row(row)[c]); });
    });
  if (chosen.empty()) throw DataError(frame.source() + ": no rows without a missing value; fill the gaps");
  return chosen;
}

// Means and deviations of all columns at once, row by row, because that is how the table lies in memory.
struct Statistics {
  std::vector<double> count, mean, scale, low, high;

  Statistics(const Frame& frame, std::span<const std::uint64_t> rows)
      : count(frame.width()),
        mean(frame.width()),
        scale(frame.width()),
        low(frame.width(), std::numeric_limits<double>::infinity()),
        high(frame.width(), -std::numeric_limits<double>::infinity()) {
    for_each_value(frame, rows, [&](std::size_t c, double value) {
      ++count[c];
      mean[c] += value;
      low[c] = std::min(low[c], value);
      high[c] = std::max(high[c], value);
    });
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] /= std::max(count[c], 1.0);
    for_each_value(frame, rows, [&](std::size_t c, double v) { scale[c] += (v - mean[c]) * (v - mean[c]); });
    for (std::size_t c = 0; c < mean.size(); ++c) finish(c);
  }

 private:
  template <class Body>
  static void for_each_value(const Frame& frame, std::span<const std::uint64_t> rows, const Body& body) {
    for (const std::uint64_t row : rows)
      for (std::size_t c = 0; const double value : frame.row(row)) {
        if (!std::isnan(value)) body(c, static_cast<double>(value));
        ++c;
      }
  }
  // Whether a column is constant is asked of its values, not of a sum with rounding errors.
  void finish(std::size_t c) {
    const bool constant = !(low[c] < high[c]);
    if (constant) mean[c] = count[c] > 0 ? low[c] : 0;
    scale[c] = constant ? 1 : std::sqrt(scale[c] / count[c]);
  }
};

void check_storable(const std::string& source, const std::string& column, const std::string& text) {
  if (!is_utf8(text))
    throw DataError(place(source, column) + "holds text that is not UTF-8; save the file as UTF-8");
}

[[noreturn]] void fail_many(const std::string& source, const FrameColumn& column, std::size_t most,
                            bool target) {
  const std::string what =
      place(source, column.name) + "more than " + std::to_string(most) + " different values to tell apart; ";
  if (!target) throw DataError(what + "leave the column out", "exclude");
  if (!column.text) throw DataError(what + "predict the number instead, by regression", "task");
  throw DataError(what + "put rare ones together, or predict another column", "target");
}

// Numbers in the order of their values and texts in that of their letters, so that the order of rows does not matter.
std::vector<std::string> categories_of(const Frame& frame, std::size_t column,
                                       std::span<const std::uint64_t> rows, std::size_t most, bool target) {
  const FrameColumn& of = frame.columns()[column];
  std::set<double> values;
  for (const std::uint64_t row : rows) {
    const double value = frame.row(row)[column];
    if (!std::isnan(value)) values.insert(value);
    if (values.size() > most) fail_many(frame.source(), of, most, target);
  }
  std::vector<std::string> names;
  for (const double value : values)
    names.push_back(of.text ? of.categories[static_cast<std::size_t>(value)] : in_words(value));
  if (of.text) std::sort(names.begin(), names.end());
  for (const std::string& name : names) check_storable(frame.source(), of.name, name);
  return names;
}

// How often each of the categories stands in the column, as shares of the rows that have a value.
std::vector<double> shares_of(const Frame& frame, std::size_t column, std::span<const std::uint64_t> rows,
                              const std::vector<std::string>& categories) {
  std::map<double, double> counts;
  double all = 0;
  for (const std::uint64_t row : rows)
    if (const double value = frame.row(row)[column]; !std::isnan(value)) ++counts[value], ++all;
  const FrameColumn& of = frame.columns()[column];
  std::vector<double> shares(categories.size());
  for (const auto& [value, count] : counts) {
    const std::string name = of.text ? of.categories[static_cast<std::size_t>(value)] : in_words(value);
    const auto found = std::find(categories.begin(), categories.end(), name);
    if (found != categories.end()) shares[static_cast<std::size_t>(found - categories.begin())] = count / all;
  }
  return shares;
}

void check_targets(const EncodingOptions& options, Task task) {
  if (options.targets.empty()) throw Error("no target is named; name the column to predict");
  if (task == Task::classification && options.targets.size() > 1)
    throw Error("classification takes one target, not " + std::to_string(options.targets.size()));
}

class ColumnFitter {
 public:
  ColumnFitter(const Frame& frame, const EncodingOptions& options, Rows rows,
               const std::vector<std::size_t>& columns)
      : frame_(frame),
        options_(options),
        rows_(fitted_rows(frame, rows, options.missing, columns)),
        all_(frame, rows_) {}

  EncodedColumn encode(std::size_t column, bool as_classes) const {
    const FrameColumn& of = frame_.columns()[column];
    check_storable(frame_.source(), of.name, of.name);
    EncodedColumn result{of.name};
    if (all_.count[column] == 0)
      throw DataError(place(frame_.source(), of.name) + "all values are missing; leave the column out");
    if (of.text || as_classes) {
      result.categories = as_classes && !options_.classes.empty()
                              ? options_.classes
                              : categories_of(frame_, column, rows_, options_.most_categories, as_classes);
    } else {
      result.mean = all_.mean[column];
      result.scale = all_.scale[column];
      if (!std::isfinite(result.mean) || !std::isnormal(result.scale))
        throw DataError(place(frame_.source(), of.name) + "values so " +
                        (std::isfinite(result.scale) ? "close to each other" : "large") +
                        " that their deviation cannot be computed; give them in another unit");
    }
    return result;
  }

  EncodedColumn encode_target(std::size_t column, Task task) const {
    const FrameColumn& of = frame_.columns()[column];
    if (task == Task::regression && of.text)
      throw DataError(place(frame_.source(), of.name) + "holds text ('" + of.categories.front() +
                      "'), but regression needs numbers; correct it or choose classification");
    EncodedColumn result = encode(column, task == Task::classification);
    if (task == Task::classification && result.categories.size() < 2)
      throw DataError(place(frame_.source(), of.name) + "only one class, '" + result.categories.front() +
                      "'; there is nothing to tell apart");
    return result;
  }

  // What Encoding::fallback holds of this target.
  std::vector<double> fallback(std::size_t column, const EncodedColumn& target) const {
    return target.is_number() ? std::vector{target.mean}
                              : shares_of(frame_, column, rows_, target.categories);
  }

 private:
  const Frame& frame_;
  const EncodingOptions& options_;
  const std::vector<std::uint64_t> rows_;
  const Statistics all_;
};

}  // namespace

Encoding fit_encoding(const Frame& frame, const EncodingOptions& options, Rows rows) {
  Encoding encoding{.missing = options.missing, .unknown = options.unknown};
  check_targets(options, Task::regression);
  encoding.task = options.task ? *options.task : detect_task(frame, std::span(options.targets)).task;
  check_targets(options, encoding.task);
  const std::vector<std::size_t> inputs = input_columns(frame, options);
  std::vector<std::size_t> columns = inputs;
  for (const std::string& target : options.targets) columns.push_back(frame.find(target));
  const ColumnFitter fitter(frame, options, rows, columns);
  for (const std::size_t column : inputs) encoding.inputs.push_back(fitter.encode(column, false));
  for (const std::string& target : options.targets) {
    const std::size_t column = frame.find(target);
    encoding.targets.push_back(fitter.encode_target(column, encoding.task));
    const std::vector<double> known = fitter.fallback(column, encoding.targets.back());
    encoding.fallback.insert(encoding.fallback.end(), known.begin(), known.end());
  }
  return encoding;
}

}  // namespace irn
