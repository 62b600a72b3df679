// From the columns of a table to the numbers a network works with, and back.
//   a number       (value - mean) / scale, with the mean and the standard deviation of the table it was fitted to
//   a text         one unit for each text it was fitted to: 1 where it stands, else 0
//   a class        likewise; the labels are the texts, or the numbers in words
//   yes or no      a number, 1 or 0 (reading.h)
//   a date         a number, days since 1970-01-01; or some of its parts, each a number
// Of a column with very many texts, on request: a unit for each of the most frequent and one for all others, or a number of units that texts
// share by their hash.
// Plain and complete: what is stored with a model, so that other tables are encoded the same way. The values themselves
// are encoded when they are asked for (EncodedSamples).
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
  mean,    // a number takes the mean of its column, a text none of its units; missing targets are refused
  drop     // rows with a missing value are left out
};

enum class Unknown {
  refuse,  // an error that names the text and the place
  zeros    // none of the units
};

// A part of a date as a unit: (part - mean) / scale.
struct ScaledPart {
  DatePart part = DatePart::days;
  double mean = 0, scale = 1;
  bool operator==(const ScaledPart&) const = default;
};

struct EncodedColumn {
  std::string name;
  std::vector<std::string> categories = {};  // a unit each
  double mean = 0, scale = 1;                // of a number
  Reading reading = Reading::number;         // of a number, or of a date in parts: what its texts say
  std::vector<ScaledPart> parts = {};        // of a date, a unit each; none: a number
  bool others = false;                       // one more unit, for all texts that are none of the categories
  std::size_t buckets = 0;  // units that texts share by their hash (text_bucket); 0: they do not

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
  // The best answer to a row of which nothing is known: the means of the targets, or the shares of the classes, in the rows it was
  // fitted to. One a unit of the targets; empty if it is not known (an encoding of an earlier irn, or one fitted to nothing).
  std::vector<double> fallback = {};
  // Of two classes: the probability of the second from which on it is the answer.
  double threshold = 0.5;
  // How the CSV that it was fitted to writes numbers (CsvOptions): other files are read alike.
  char decimal = '.', thousands = '\0';
  // If the inputs are images: a number of the shape is a unit.
  ImageShape image = {};

  std::size_t input_width() const;
  std::size_t target_width() const;
  // "age", "colour=red", "sold.month", "city=(others)", "city#7": one a unit.
  std::vector<std::string> input_names() const;
  std::vector<std::string> target_names() const;
  // Columns that hold text, dates among them: for CsvOptions::text, so that another file's (postal codes) are not taken for numbers.
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

// What becomes of columns with very many texts.
struct ManyTexts {
  enum class Kind { refuse, frequent, hashed } kind = Kind::refuse;
  // frequent: a unit for each of the `most` most frequent texts, one for all others. hashed: `most` units. Columns with no more texts are as ever.
  std::size_t most = 0;
};

// The unit of a text of a hashed column: FNV-1a in 64 bits (offset 14695981039346656037, prime 1099511628211) over its bytes, modulo `buckets`.
std::size_t text_bucket(std::string_view text, std::size_t buckets);

struct EncodingOptions {
  std::vector<std::string> targets = {};
  std::vector<std::string> inputs = {};  // empty: all columns but the targets and the excluded
  std::vector<std::string> excluded = {};
  std::optional<Task> task = {};  // empty: detect_task
  Missing missing = Missing::refuse;
  Unknown unknown = Unknown::refuse;
  std::size_t most_categories = 1000;  // of one column: more are rather names or numbers of things
  ManyTexts many_texts = {};           // of inputs with more than that, or than it says
  std::vector<std::string> text = {};  // columns whose texts are just texts, whatever they say
  // What dates become; empty: the days as a number.
  std::vector<DatePart> date_parts = {};
  std::optional<DateOrder> date_order = {};  // of 05/03/2024, where no date of the column tells
  // Of a classification, if they are known beforehand; else those that stand in the rows it is fitted to.
  std::vector<std::string> classes = {};
};

// Dates like 05/03/2024 in other tables are read in this order, whatever was known of it where the encoding was fitted.
void set_date_order(Encoding& encoding, DateOrder order);

// What the texts of a column of the table say, under these options: a target of classes, for one, is never taken for numbers.
DetectedReading reading_in(const Frame& frame, std::size_t column, const EncodingOptions& options);

// Fits to `rows` of the table (the training rows), or to all. A column of one value only has scale 1 and so becomes 0.
Encoding fit_encoding(const Frame& frame, const EncodingOptions& options,
                      std::optional<std::span<const std::uint64_t>> rows = {});

// The shape of the images that the inputs of an encoding are: "auto" what the table's file says, where they are its images and nothing else;
// "none"; or a shape in words (image.h). irn::Error if that does not fit the inputs.
ImageShape image_of(const Encoding& encoding, const Frame& frame, std::string_view images);

// As JSON, and back; what was changed or damaged is refused.
std::string to_json_text(const Encoding& encoding);
Encoding encoding_from_json_text(std::string_view text);

}  // namespace irn
