#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "irn/base/text.h"
#include "irn/data/category-inl.h"
#include "irn/data/encoding.h"
#include "irn/data/frequent_texts-inl.h"
#include "irn/data/moments-inl.h"
#include "irn/data/reading.h"
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

// The rows to fit to: those given, without those that will be dropped.
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

void check_storable(const std::string& source, const std::string& column, const std::string& text) {
  if (!is_utf8(text))
    throw DataError(place(source, column) + "holds text that is not UTF-8; save the file as UTF-8");
}

[[noreturn]] void fail_many(const Frame& frame, const FrameColumn& column, std::size_t most, bool target) {
  const std::string what = place(frame.source(), column.name) + "more than " + std::to_string(most) +
                           " different values to tell apart; ";
  if (const auto slip = first_that_is_no_date(column))
    throw DataError(what + "most are dates, but '" + column.categories[*slip] + "' is none: correct it");
  if (!target) throw DataError(what + "leave the column out, or put its rare values together", "categories");
  if (!column.text) throw DataError(what + "predict the number instead, by regression", "task");
  throw DataError(what + "put rare ones together, or predict another column", "target");
}

// Numbers in numerical and texts in alphabetical order, so that the order of rows does not matter.
std::vector<std::string> categories_of(const Frame& frame, std::size_t column,
                                       std::span<const std::uint64_t> rows, std::size_t most, bool target) {
  const FrameColumn& of = frame.columns()[column];
  std::set<double> values;
  for (const std::uint64_t row : rows) {
    const double value = frame.row(row)[column];
    if (!std::isnan(value)) values.insert(value);
    if (values.size() > most) fail_many(frame, of, most, target);
  }
  std::vector<std::string> names;
  for (const double value : values)
    names.push_back(of.text ? of.categories[static_cast<std::size_t>(value)] : in_words(value));
  if (of.text) std::sort(names.begin(), names.end());
  for (const std::string& name : names) check_storable(frame.source(), of.name, name);
  return names;
}

// The share of each category among the rows that have a value.
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
        all_(moments_of_columns(frame, rows_)) {}

  EncodedColumn encode(std::size_t column, bool target, bool as_classes) const {
    const FrameColumn& of = frame_.columns()[column];
    check_storable(frame_.source(), of.name, of.name);
    if (all_[column].count == 0)
      throw DataError(place(frame_.source(), of.name) + "all values are missing; leave the column out");
    const std::optional<Reading> reading =
        as_classes ? std::nullopt : reading_in(frame_, column, options_).reading;
    if (reading) return as_numbers(column, *reading, !target);
    EncodedColumn result{of.name};
    if (as_classes && !options_.classes.empty())
      result.categories = options_.classes;
    else if (as_classes || !limit_texts(column, result))
      result.categories = categories_of(frame_, column, rows_, options_.most_categories, as_classes);
    return result;
  }

  EncodedColumn encode_target(std::size_t column, Task task) const {
    const FrameColumn& of = frame_.columns()[column];
    if (task == Task::regression && !reading_in(frame_, column, options_).reading)
      throw DataError(place(frame_.source(), of.name) + "holds text ('" + of.categories.front() +
                      "'), but regression needs numbers; correct it or choose classification");
    EncodedColumn result = encode(column, true, task == Task::classification);
    if (task == Task::classification && result.categories.size() < 2)
      throw DataError(place(frame_.source(), of.name) + "only one class, '" + result.categories.front() +
                      "'; there is nothing to tell apart");
    return result;
  }

  // The entries of Encoding::fallback for this target.
  std::vector<double> fallback(std::size_t column, const EncodedColumn& target) const {
    return target.is_number() ? std::vector{target.mean}
                              : shares_of(frame_, column, rows_, target.categories);
  }

 private:
  void check_moments(const std::string& column, double mean, double scale) const {
    if (std::isfinite(mean) && std::isnormal(scale)) return;
    throw DataError(place(frame_.source(), column) + "values so " +
                    (std::isfinite(scale) ? "close to each other" : "large") +
                    " that their deviation cannot be computed; give them in another unit");
  }

  // Only inputs have parts: a target is the date itself.
  EncodedColumn as_numbers(std::size_t column, Reading reading, bool with_parts) const {
    const FrameColumn& of = frame_.columns()[column];
    EncodedColumn result{.name = of.name, .reading = reading};
    const ColumnNumbers numbers(frame_, column, reading);
    if (is_date(reading) && with_parts)
      for (const DatePart part : options_.date_parts) {
        const Moments m = moments_of(
            frame_, rows_, [&](std::span<const double> row) { return date_part(numbers(row), part); });
        result.parts.push_back({part, m.mean, m.scale});
      }
    if (!result.parts.empty()) return result;
    const Moments whole = of.text ? moments_of(frame_, rows_, numbers) : all_[column];
    check_moments(of.name, whole.mean, whole.scale);
    result.mean = whole.mean, result.scale = whole.scale;
    return result;
  }

  // Puts texts together if the column has too many. Returns whether it did.
  bool limit_texts(std::size_t column, EncodedColumn& result) const {
    const ManyTexts& many = options_.many_texts;
    const FrameColumn& of = frame_.columns()[column];
    if (many.kind == ManyTexts::Kind::refuse) return false;
    const std::map<double, std::size_t> counts = count_texts(frame_, column, rows_);
    if (counts.size() <= many.most) return false;
    if (many.kind == ManyTexts::Kind::hashed) {
      result.buckets = many.most;
      return true;
    }
    result.categories = frequent_texts(of, counts, many.most);
    for (const std::string& name : result.categories) check_storable(frame_.source(), of.name, name);
    result.others = true;
    return true;
  }

  const Frame& frame_;
  const EncodingOptions& options_;
  const std::vector<std::uint64_t> rows_;
  const std::vector<Moments> all_;
};

}  // namespace

Encoding fit_encoding(const Frame& frame, const EncodingOptions& asked, Rows rows) {
  check_targets(asked, Task::regression);
  EncodingOptions options = asked;
  if (!options.task) options.task = detect_task(frame, std::span(options.targets)).task;
  check_targets(options, *options.task);
  Encoding encoding{.task = *options.task,
                    .missing = options.missing,
                    .unknown = options.unknown,
                    .decimal = frame.format().decimal,
                    .thousands = frame.format().thousands};
  const std::vector<std::size_t> inputs = input_columns(frame, options);
  std::vector<std::size_t> columns = inputs;
  for (const std::string& target : options.targets) columns.push_back(frame.find(target));
  const ColumnFitter fitter(frame, options, rows, columns);
  for (const std::size_t column : inputs) encoding.inputs.push_back(fitter.encode(column, false, false));
  for (const std::string& target : options.targets) {
    const std::size_t column = frame.find(target);
    encoding.targets.push_back(fitter.encode_target(column, encoding.task));
    const std::vector<double> known = fitter.fallback(column, encoding.targets.back());
    encoding.fallback.insert(encoding.fallback.end(), known.begin(), known.end());
  }
  return encoding;
}

}  // namespace irn
