// From the columns of a table to the numbers a network works with (units), and back.
//   a number       (value - mean) / scale, with the mean and the standard deviation of the fitted table
//   a text         one unit for each text that was fitted: 1 for this text, 0 for the others
//   a class        likewise; the labels are the texts, or the numbers as text
//   yes or no      a number, 1 or 0 (reading.h)
//   a date         a number, days since 1970-01-01; or some of its parts, each a number
// On request, a column with very many texts has a unit for each of the most frequent and one for all others,
// or a fixed number of units that texts share by their hash.
// An Encoding is plain data and complete. It is stored with a model, so that other tables are encoded the
// same way. Values are encoded when they are asked for (EncodedSamples).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/data/date.h"
#include "irn/data/frame.h"
#include "irn/data/image.h"
#include "irn/data/reading.h"

namespace irn {

enum class Task { regression, classification };

enum class Missing {
  refuse,  // an error that names the place
  mean,    // a number becomes the mean of its column, a text sets no unit; missing targets are refused
  drop     // rows with a missing value are left out
};

enum class Unknown {
  refuse,  // an error that names the text and the place
  zeros    // all units are 0
};

// A part of a date as a unit: (part - mean) / scale.
struct ScaledPart {
  DatePart part = DatePart::days;
  double mean = 0, scale = 1;
  bool operator==(const ScaledPart&) const = default;
};

struct EncodedColumn {
  std::string name;
  std::vector<std::string> categories = {};  // one unit each
  double mean = 0, scale = 1;                // of a number
  Reading reading = Reading::number;         // of a number or a date in parts: how its texts are read
  std::vector<ScaledPart> parts = {};        // of a date, one unit each; empty: a number
  bool others = false;                       // one more unit, for all texts outside the categories
  std::size_t buckets = 0;                   // units that texts share by their hash (text_bucket); 0: no hash

  bool is_number() const { return categories.empty() && parts.empty() && buckets == 0; }
  std::size_t width() const {
    return is_number() ? 1 : buckets > 0 ? buckets : parts.size() + categories.size() + (others ? 1 : 0);
  }
  double decoded(double value) const { return value * scale + mean; }
  bool operator==(const EncodedColumn&) const = default;
};

struct Encoding {
  Task task = Task::regression;
  Missing missing = Missing::refuse;
  Unknown unknown = Unknown::refuse;
  std::vector<EncodedColumn> inputs = {}, targets = {};
  // The best answer to a row of which nothing is known: the means of the targets, or the shares of the
  // classes, in the fitted rows. One for each unit of the targets; empty if unknown (an encoding of an
  // earlier irn, or one fitted to nothing).
  std::vector<double> fallback = {};
  // Of two classes: the least probability of the second at which it is the answer.
  double threshold = 0.5;
  // How the fitted CSV file writes numbers (CsvOptions); other files are read in the same way.
  char decimal = '.', thousands = '\0';
  // If the inputs are images; each number of the shape is one unit.
  ImageShape image = {};

  std::size_t input_width() const;
  std::size_t target_width() const;
  // One for each unit: "age", "colour=red", "sold.month", "city=(others)", "city#7".
  std::vector<std::string> input_names() const;
  std::vector<std::string> target_names() const;
  // Columns that hold text, including dates. For CsvOptions::text, so that text in another file (postal
  // codes) is not taken for numbers.
  std::vector<std::string> text_columns() const;
  bool operator==(const Encoding&) const = default;
};

struct DetectedTask {
  Task task;
  std::string reason;  // "'quality' holds 6 different whole numbers"
};

// Classification if there is one target that holds text, or at most 20 different whole numbers with on
// average at least two rows each; else regression. More than 20 different texts that are all dates or numbers
// (reading.h) count as numbers.
DetectedTask detect_task(const Frame& frame, std::span<const std::string> targets);

// What becomes of columns with very many texts.
struct ManyTexts {
  enum class Kind { refuse, frequent, hashed } kind = Kind::refuse;
  // frequent: a unit for each of the `most` most frequent texts, one for all others. hashed: `most` units.
  // Columns with at most `most` texts have a unit for each text, as without this option.
  std::size_t most = 0;
};

// The unit of a text in a hashed column: FNV-1a in 64 bits (offset 14695981039346656037, prime 1099511628211)
// over its bytes, modulo `buckets`.
std::size_t text_bucket(std::string_view text, std::size_t buckets);

struct EncodingOptions {
  std::vector<std::string> targets = {};
  std::vector<std::string> inputs = {};  // empty: all columns but the targets and the excluded ones
  std::vector<std::string> excluded = {};
  std::optional<Task> task = {};  // empty: detect_task
  Missing missing = Missing::refuse;
  Unknown unknown = Unknown::refuse;
  std::size_t most_categories = 1000;  // of one column: more are probably names or numbers of things
  ManyTexts many_texts = {};           // of inputs with more texts than ManyTexts::most
  std::vector<std::string> text = {};  // columns whose texts are only texts, whatever they say
  // What dates become; empty: the days as a number.
  std::vector<DatePart> date_parts = {};
  std::optional<DateOrder> date_order = {};  // of 05/03/2024, if no date in the column tells
  // Of a classification, if known beforehand; empty: those in the fitted rows.
  std::vector<std::string> classes = {};
};

// Dates like 05/03/2024 in other tables are read in this order, whatever the fitted table told about it.
void set_date_order(Encoding& encoding, DateOrder order);

// How the texts of a column are read under these options. For example, a target of classes is never read as
// numbers.
DetectedReading reading_in(const Frame& frame, std::size_t column, const EncodingOptions& options);

// Fits to `rows` of the table (the training rows), or to all. A column with only one value gets scale 1, so
// that it becomes 0.
Encoding fit_encoding(const Frame& frame, const EncodingOptions& options,
                      std::optional<std::span<const std::uint64_t>> rows = {});

// The shape of an encoding's inputs if they are images. `images` is "auto": the shape given by the table's
// file, if the inputs are exactly its images; "none"; or a shape as text (image.h). irn::Error if it does not
// fit the inputs.
ImageShape image_of(const Encoding& encoding, const Frame& frame, std::string_view images);

// As JSON, and back. Damaged text is refused.
std::string to_json_text(const Encoding& encoding);
Encoding encoding_from_json_text(std::string_view text);

}  // namespace irn
