// irn predict: answers for the rows of a table, as CSV on standard output.
//   the target columns, class probabilities on request, and "settled": 1, or 0 where the state is no equilibrium
// A row for every row of the table, in its order. Where the equilibrium was not reached, or the row was left out for a
// missing value, the answer is empty. (A model that answers with an iterate has one all the same.)
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/model_use.h"
#include "irn/base/file.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"
#include "irn/data/category-inl.h"
#include "irn/model/prediction.h"
#include "irn/train/evaluate.h"

namespace irn::app {
namespace {

struct Command {
  Settings settings;
  ModelUseSettings use;
  Words keep;
  bool probabilities = false, quiet = false;
};

template <class T>
class Printer {
 public:
  Printer(const Frame& frame, const Encoding& encoding, const Command& command)
      : frame_(frame), encoding_(encoding), probabilities_(command.probabilities) {
    if (probabilities_ && encoding.task != Task::classification)
      throw Error("--probabilities: the model predicts numbers, not classes");
    for (const std::string& name : command.keep) kept_.push_back(frame.find(name));
  }

  void header() {
    for (const std::size_t column : kept_) cell(csv_cell(frame_.columns()[column].name));
    for (const EncodedColumn& target : encoding_.targets) cell(csv_cell(answer_name(target.name)));
    if (probabilities_)
      for (const std::string& name : encoding_.target_names()) cell(csv_cell(name));
    cell("settled");
    end_row();
  }

  // Rows up to `row` that are no samples, then `row` itself.
  void row(std::uint64_t row, const Prediction& prediction) {
    skip_to(row);
    keep(next_++);
    if (encoding_.task == Task::classification) cell(csv_cell(prediction.label));
    for (const double value : prediction.values) cell(number(value));
    if (probabilities_)
      for (const double p : prediction.probabilities) cell(number(p));
    cell(prediction.settled() ? "1" : "0");
    end_row();
    if (constexpr std::size_t enough = 1u << 20; text_.size() > enough) flush();
  }

  void skip_to(std::uint64_t row) {
    for (; next_ < row; ++next_) {
      keep(next_);
      const std::size_t answers = encoding_.targets.size() + (probabilities_ ? encoding_.target_width() : 0);
      for (std::size_t k = 0; k < answers; ++k) cell("");
      cell("0");
      end_row();
    }
  }

  void flush() {
    std::cout << text_ << std::flush;
    text_.clear();
    if (!std::cout) throw FileError("cannot write to standard output");
  }

 private:
  static std::string number(double value) {
    return std::isnan(value) ? "" : write_value(static_cast<T>(value));
  }

  // Beside the column itself the answer gets a name of its own: readers refuse a table with one name twice.
  std::string answer_name(const std::string& target) const {
    for (const std::size_t column : kept_)
      if (frame_.columns()[column].name == target) return "predicted " + target;
    return target;
  }

  void keep(std::uint64_t row) {
    for (const std::size_t column : kept_) {
      const FrameColumn& from = frame_.columns()[column];
      const double value = frame_.row(row)[column];
      cell(std::isnan(value) ? ""
           : from.text       ? csv_cell(from.categories[std::size_t(value)])
                             : in_words(value));
    }
  }
  void cell(std::string_view text) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += text;
  }
  void end_row() {
    text_ += '\n';
    first_ = true;
  }

  const Frame& frame_;
  const Encoding& encoding_;
  bool probabilities_, first_ = true;
  std::vector<std::size_t> kept_;
  std::uint64_t next_ = 0;
  std::string text_;
};

template <class T>
int predict(ModelOf<T>& model, const Command& command) {
  ThreadPool threads(command.use.threads);
  const ModelUse<T> use = apply_model<T>(command.use, model.encoding, false, command.keep, threads);
  Settler<T> settler(model.network, model.settle, threads);
  Printer<T> printer(*use.frame, model.encoding, command);
  printer.header();
  const Equilibria<T> answers = settle_outputs(settler, *use.samples);
  Prediction prediction;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    decode<T>(model.encoding, answers.state(s), answers.verdicts[s], Unsettled::hide, prediction);
    printer.row(use.samples->row(s), prediction);
  }
  const Summary total = answers.summary();
  printer.skip_to(use.frame->rows());
  printer.flush();
  if (!command.quiet && total.answered() < use.frame->rows())
    std::cerr << fmt::format(
        "irn: {} of {} rows have no answer: {} with missing values, {} without equilibrium\n",
        use.frame->rows() - total.answered(), use.frame->rows(), use.samples->dropped(),
        total.samples - total.answered());
  return fine;
}

}  // namespace

Run add_predict(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->use.declare(command->settings);
  command->settings.group("Output")
      .add("probabilities", &command->probabilities, "A column for the probability of each class, too")
      .add("keep", &command->keep, "Columns of the table to print beside the answers")
      .add("quiet", &command->quiet, "Nothing on standard error about rows without an answer");
  command->settings.declare(app, "predict", "Answers of a model for a table, as CSV on standard output",
                            "Examples:\n"
                            "  irn predict flowers-model new.csv > answers.csv\n"
                            "  irn predict flowers-model new.csv --probabilities --keep name,site\n"
                            "  zcat new.csv.gz | irn predict flowers-model -");
  return [command] {
    command->settings.resolve();
    AnyModel model = open_model(command->use.model);
    return std::visit([&](auto& m) { return predict(m, *command); }, model);
  };
}

}  // namespace irn::app
