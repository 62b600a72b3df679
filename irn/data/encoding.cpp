#include "irn/data/encoding.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "irn/data/category-inl.h"

namespace irn {
namespace {

constexpr std::size_t most_detected_classes = 20;

std::size_t total_width(const std::vector<EncodedColumn>& columns) {
  std::size_t width = 0;
  for (const EncodedColumn& column : columns) width += column.width();
  return width;
}

std::vector<std::string> unit_names(const std::vector<EncodedColumn>& columns) {
  std::vector<std::string> names;
  for (const EncodedColumn& column : columns) {
    if (column.is_number()) names.push_back(column.name);
    for (const ScaledPart& part : column.parts)
      names.push_back(column.name + "." + std::string(name(part.part)));
    for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
    if (column.others) names.push_back(column.name + "=(others)");
    for (std::size_t k = 0; k < column.buckets; ++k) names.push_back(column.name + "#" + std::to_string(k));
  }
  return names;
}

// The number of different whole numbers; nothing if there are others, or more than most_detected_classes.
std::optional<std::size_t> count_whole_numbers(const Frame& frame, std::size_t column) {
  std::set<double> values;
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    const double value = frame.row(row)[column];
    if (std::isnan(value)) continue;
    if (value != std::floor(value)) return std::nullopt;
    values.insert(value);
    if (values.size() > most_detected_classes) return std::nullopt;
  }
  return values.size();
}

}  // namespace

std::size_t Encoding::input_width() const { return total_width(inputs); }
std::size_t Encoding::target_width() const { return total_width(targets); }
std::vector<std::string> Encoding::input_names() const { return unit_names(inputs); }
std::vector<std::string> Encoding::target_names() const { return unit_names(targets); }

std::vector<std::string> Encoding::text_columns() const {
  std::vector<std::string> names;
  for (const auto* columns : {&inputs, &targets})
    for (const EncodedColumn& column : *columns)
      if (column.reading != Reading::number || column.others || column.buckets > 0 ||
          !std::all_of(column.categories.begin(), column.categories.end(), names_number))
        names.push_back(column.name);
  return names;
}

std::size_t text_bucket(std::string_view text, std::size_t buckets) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::size_t>(hash % buckets);
}

namespace {

// Whether the inputs are exactly the columns of the table's images, in their order.
bool are_images(const Encoding& encoding, const Frame& frame) {
  const std::size_t count = encoding.inputs.size();
  if (!frame.images() || frame.images()->shape.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (encoding.inputs[i].name != frame.columns()[frame.images()->first + i].name) return false;
  return true;
}

}  // namespace

ImageShape image_of(const Encoding& encoding, const Frame& frame, std::string_view images) {
  if (images == "none") return {};
  if (images == "auto") return are_images(encoding, frame) ? frame.images()->shape : ImageShape();
  const auto shape = from_text<ImageShape>(images);
  if (are_images(encoding, frame) && frame.images()->shape != shape)
    throw Error("images of " + to_text(shape) + ", but those of " + frame.source() + " are " +
                to_text(frame.images()->shape));
  if (encoding.input_width() != shape.size())
    throw Error("images of " + to_text(shape) + " have " + std::to_string(shape.size()) + " pixels, and " +
                frame.source() + " has " + std::to_string(encoding.input_width()) +
                " inputs; columns that are no pixels are to be excluded");
  for (const EncodedColumn& column : encoding.inputs)
    if (!column.is_number())
      throw Error("images of " + to_text(shape) + ": column '" + column.name + "' of " + frame.source() +
                  " is no number");
  return shape;
}

void set_date_order(Encoding& encoding, DateOrder order) {
  for (auto* columns : {&encoding.inputs, &encoding.targets})
    for (EncodedColumn& column : *columns)
      if (is_date(column.reading)) column.reading = date_reading(order);
}

DetectedReading reading_in(const Frame& frame, std::size_t column, const EncodingOptions& options) {
  const FrameColumn& of = frame.columns()[column];
  const auto contains = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), of.name) != names.end();
  };
  const bool classes = options.task == Task::classification && contains(options.targets);
  if (of.text && (classes || contains(options.text))) return {};
  return detect_reading(of, options.date_order);
}

DetectedTask detect_task(const Frame& frame, std::span<const std::string> targets) {
  if (targets.size() != 1) return {Task::regression, std::to_string(targets.size()) + " targets"};
  const std::size_t column = frame.find(targets.front());
  const FrameColumn& of = frame.columns()[column];
  const std::string name = "'" + targets.front() + "' holds ";
  if (of.text && of.categories.size() > most_detected_classes) {
    const DetectedReading said = detect_reading(of, DateOrder::day_first);
    if (said.reading) return {Task::regression, name + (is_date(*said.reading) ? "dates" : "numbers")};
  }
  if (of.text) return {Task::classification, name + "text"};
  const std::optional<std::size_t> classes = count_whole_numbers(frame, column);
  if (!classes) return {Task::regression, name + "numbers"};
  const std::string counted = name + std::to_string(*classes) + " different whole numbers";
  if (*classes <= frame.rows() / 2) return {Task::classification, counted};
  return {Task::regression, counted + " in only " + std::to_string(frame.rows()) + " rows"};
}

}  // namespace irn
