// From the columns of a table to the numbers a network works with, and back.
//   a number       (value - mean) / scale, with the mean and the standard deviation of the table it was fitted to
//   a text         one unit for each text it was fitted to: 1 where it stands, else 0
//   a class        likewise; the labels are the texts, or the numbers in words
// Plain and complete: what is stored with a model, so that other tables are encoded the same way. The values themselves
// are encoded when they are asked for (EncodedSamples).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/data/frame.h"

namespace irn {

enum class Task { regression, classification };

enum class Missing {
  refuse,  // an error that names the place
  mean,    // a number takes the mean of its column, a text none of its units; missing targets are refused
  drop     // rows with a missing value are left out
};

enum class Unknown {
  refuse,  // an error that names the text and the place
  zeros    // none of the units
};

struct EncodedColumn {
  std::string name;
  std::vector<std::string> categories = {};  // a unit each; empty: a number
  double mean = 0, scale = 1;                // of a number

  bool is_number() const { return categories.empty(); }
  std::size_t width() const { return is_number() ? 1 : categories.size(); }
  double decoded(double value) const { return value * scale + mean; }
  bool operator==(const EncodedColumn&) const = default;
};

struct Encoding {
  Task task = Task::regression;
  Missing missing = Missing::refuse;
  Unknown unknown = Unknown::refuse;
  std::vector<EncodedColumn> inputs = {}, targets = {};
  // The best answer to a row of which nothing is known: the means of the targets, or the shares of the classes, in the rows it was
  // fitted to. One a unit of the targets; empty if it is not known (an encoding of an earlier irn, or one fitted to nothing).
  std::vector<double> fallback = {};
  // Of two classes: the probability of the second from which on it is the answer.
  double threshold = 0.5;

  std::size_t input_width() const;
  std::size_t target_width() const;
  // "age", "colour=red": one a unit.
  std::vector<std::string> input_names() const;
  std::vector<std::string> target_names() const;
  // Columns that hold text: for CsvOptions::text, so that another file's (postal codes) are not taken for numbers.
  std::vector<std::string> text_columns() const;
  bool operator==(const Encoding&) const = default;
};

struct DetectedTask {
  Task task;
  std::string reason;  // "'quality' holds 6 different whole numbers"
};

// Classification if there is one target and it holds text, or at most 20 different whole numbers (at least two rows for
// each, on average); else regression.
DetectedTask detect_task(const Frame& frame, std::span<const std::string> targets);

struct EncodingOptions {
  std::vector<std::string> targets = {};
  std::vector<std::string> inputs = {};  // empty: all columns but the targets and the excluded
  std::vector<std::string> excluded = {};
  std::optional<Task> task = {};  // empty: detect_task
  Missing missing = Missing::refuse;
  Unknown unknown = Unknown::refuse;
  std::size_t most_categories = 1000;  // of one column: more are rather names or numbers of things
  // Of a classification, if they are known beforehand; else those that stand in the rows it is fitted to.
  std::vector<std::string> classes = {};
};

// Fits to `rows` of the table (the training rows), or to all. A column of one value only has scale 1 and so becomes 0.
Encoding fit_encoding(const Frame& frame, const EncodingOptions& options,
                      std::optional<std::span<const std::uint64_t>> rows = {});

// As JSON, and back; what was changed or damaged is refused.
std::string to_json_text(const Encoding& encoding);
Encoding encoding_from_json_text(std::string_view text);

}  // namespace irn
