// Answers to the rows of a table, as lines of CSV or of JSON.
//   kept columns, the targets, probabilities of the classes, "settled", and
//   "basis" if rows without an answer get a substitute
// A row without an answer has its kept columns only.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/irn/answer_output.h"
#include "apps/irn/settings.h"
#include "irn/base/number_text.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/data/category-inl.h"
#include "irn/model/prediction.h"

namespace irn::app {

struct AnswerForm {
  Words keep = {};  // columns of the table
  bool probabilities = false, json = false, basis = false;
};

template <class T>
class AnswerPrinter {
 public:
  AnswerPrinter(const Encoding& encoding, const AnswerForm& form, AnswerOutput& output)
      : encoding_(encoding), form_(form), output_(output) {
    if (form.probabilities && encoding.task != Task::classification)
      throw Error("--probabilities: the model predicts numbers, not classes");
  }

  // `head` has the columns of all tables that follow.
  void header(const Frame& head) {
    for (const std::string& name : form_.keep) kept_.push_back(head.find(name)), names_.push_back(name);
    for (const EncodedColumn& target : encoding_.targets) names_.push_back(answer_name(target.name));
    if (form_.probabilities)
      for (const std::string& name : encoding_.target_names()) names_.push_back(name);
    names_.emplace_back("settled");
    if (form_.basis) names_.emplace_back("basis");
    check_names(head.source());
    if (form_.json) return;
    for (const std::string& name : names_) text(name);
    // The header goes out with the first rows, so that a table refused at once prints nothing.
    end_row();
  }

  void begin(const Frame& frame) { frame_ = &frame, next_ = 0; }

  // Rows before `row` that are no samples, then `row` itself.
  void row(std::uint64_t row, const Prediction& prediction) {
    skip_to(row);
    keep(next_++);
    if (encoding_.task == Task::classification) text(prediction.label);
    for (std::size_t k = 0; k < prediction.values.size(); ++k)
      number(written(prediction.values[k], encoding_.targets[k].scale));
    if (form_.probabilities)
      for (const double p : prediction.probabilities) number(written(p));
    mark(prediction.settled(), prediction.basis);
    end_row();
    if (constexpr std::size_t enough = 1u << 20; text_.size() > enough) flush();
  }

  void skip_to(std::uint64_t row) {
    for (; next_ < row; ++next_) {
      keep(next_);
      const std::size_t answers =
          encoding_.targets.size() + (form_.probabilities ? encoding_.target_width() : 0);
      for (std::size_t k = 0; k < answers; ++k) number("");
      mark(false, Basis::none);
      end_row();
    }
  }

  void flush() {
    output_.write(text_);
    text_.clear();
  }

 private:
  // Readers refuse a table with one name twice.
  void check_names(const std::string& source) const {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const auto kept = std::find(names_.begin(), names_.begin() + std::ptrdiff_t(k), names_[k]);
      if (kept != names_.begin() + std::ptrdiff_t(k))
        throw Error(k < kept_.size() ? "--keep: '" + names_[k] + "' is named twice"
                                     : "--keep: the answers have a column '" + names_[k] +
                                           "' of their own; rename that of the table, or leave it out");
      if (form_.json && !is_utf8(names_[k]))
        fail_utf8(source + ": the column '" + names_[k] + "' has a name");
    }
  }

  [[noreturn]] static void fail_utf8(const std::string& what) {
    throw DataError(what + " that is not UTF-8, which JSON must be; save the file as UTF-8");
  }

  static std::string written(double value) {
    return std::isnan(value) ? "" : write_value(static_cast<T>(value));
  }

  // An answer is y * scale + mean, a double. A y of single precision has 24 bits relative to the scale; as a
  // float, the answer would have 24 bits relative to its distance from zero. Up to 16 deviations from zero
  // this loses at most scale / 2^20, a tenth of the tolerance of equilibria: print the shortest text of that
  // float. Farther from zero (times, ids) distinct answers would become equal: print the fewest digits that
  // are within scale / 2^20.
  static std::string written(double value, double scale) {
    constexpr double near = 16, fine = 0x1p-20;
    const bool holds = value == 0 || std::isnormal(static_cast<T>(value));
    if (sizeof(T) == sizeof(double) || std::isnan(value) || (holds && std::abs(value) <= near * scale))
      return written(value);
    return text_within(value, fine * scale);
  }

  // If the column itself is kept, the answer gets another name: readers refuse a table with one name twice.
  std::string answer_name(const std::string& target) const {
    const bool kept = std::count(form_.keep.begin(), form_.keep.end(), target) > 0;
    return kept ? "predicted " + target : target;
  }

  void keep(std::uint64_t row) {
    for (const std::size_t column : kept_) {
      const FrameColumn& from = frame_->columns()[column];
      const double value = frame_->row(row)[column];
      if (std::isnan(value))
        number("");
      else if (from.text)
        kept_text(row, from.name, from.categories[std::size_t(value)]);
      else
        number(in_words(value));
    }
  }
  void kept_text(std::uint64_t row, const std::string& column, const std::string& words) {
    if (form_.json && !is_utf8(words))
      fail_utf8(frame_->place(row) + ", column '" + column + "': holds text");
    text(words);
  }
  void mark(bool settled, Basis basis) {
    form_.json ? cell(settled ? "true" : "false") : cell(settled ? "1" : "0");
    if (form_.basis) text(name(basis));
  }
  // A missing number is left empty; in JSON it is null.
  void number(std::string_view digits) { cell(form_.json && digits.empty() ? "null" : digits); }
  void text(std::string_view words) {
    if (form_.json)
      cell(words.empty() ? "null" : nlohmann::json(words).dump());
    else
      cell(csv_cell(words));
  }
  void cell(std::string_view what) {
    text_ += column_ > 0 ? "," : form_.json ? "{" : "";
    if (form_.json) text_ += nlohmann::json(names_[column_]).dump() + ":";
    ++column_;
    text_ += what;
  }
  void end_row() {
    text_ += form_.json ? "}\n" : "\n";
    column_ = 0;
  }

  const Encoding& encoding_;
  const AnswerForm& form_;
  AnswerOutput& output_;
  const Frame* frame_ = nullptr;
  std::vector<std::size_t> kept_;
  std::vector<std::string> names_;
  std::uint64_t next_ = 0;
  std::size_t column_ = 0;
  std::string text_;
};

}  // namespace irn::app
