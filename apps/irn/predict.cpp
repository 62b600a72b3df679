// irn predict: answers for the rows of a table, as CSV on standard output.
//   the target columns, class probabilities on request, and "settled": 1, or 0 where the state is no equilibrium
// A row for every row of the table, in its order. Where the equilibrium was not reached, or the row was left out for a
// missing value, the answer is empty. (A model that answers with an iterate has one all the same.) If something else is asked for in the
// place of an answer that is none, one more column, "basis", says of every row what its answer is.
#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/model_notes.h"
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
  std::string unsettled = "empty";
  bool probabilities = false, quiet = false;
};

template <class T>
class Printer {
 public:
  Printer(const Frame& frame, const Encoding& encoding, const Command& command)
      : frame_(frame),
        encoding_(encoding),
        probabilities_(command.probabilities),
        basis_(command.unsettled != name(Unsettled::empty)) {
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
    if (basis_) cell("basis");
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
    mark(prediction.settled(), prediction.basis);
    end_row();
    if (constexpr std::size_t enough = 1u << 20; text_.size() > enough) flush();
  }

  void skip_to(std::uint64_t row) {
    for (; next_ < row; ++next_) {
      keep(next_);
      const std::size_t answers = encoding_.targets.size() + (probabilities_ ? encoding_.target_width() : 0);
      for (std::size_t k = 0; k < answers; ++k) cell("");
      mark(false, Basis::none);
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
  void mark(bool settled, Basis basis) {
    cell(settled ? "1" : "0");
    if (basis_) cell(name(basis));
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
  bool probabilities_, basis_, first_ = true;
  std::vector<std::size_t> kept_;
  std::uint64_t next_ = 0;
  std::string text_;
};

// How many rows have an answer of which kind.
using Count = std::array<std::size_t, basis_names.size()>;

// What to know before the answers are used, on standard error.
template <class T>
void caution(const ModelOf<T>& model, std::size_t rows, std::size_t dropped, const Count& count) {
  if (const std::string note = unfinished_note(model.metrics); !note.empty())
    std::cerr << "irn: " << note << "\n";
  const auto of = [&](Basis basis) { return count[static_cast<std::size_t>(basis)]; };
  const std::string advice = settling_advice(model.settle.certified);
  if (const std::size_t unsettled = of(Basis::none); unsettled + dropped > 0)
    std::cerr << fmt::format(
        "irn: {} of {} rows have no answer: {} with missing values, {} without equilibrium{}\n",
        unsettled + dropped, rows, dropped, unsettled, unsettled > 0 ? "; " + advice : "");
  if (const std::size_t replaced = of(Basis::last) + of(Basis::fallback); replaced > 0)
    std::cerr << fmt::format("irn: {} of {} rows did not settle and show {} instead of an answer; {}\n",
                             replaced, rows,
                             of(Basis::last) > 0 ? "where their search ended (basis \"last\")"
                             : model.encoding.task == Task::classification
                                 ? "the shares of the classes in training (basis \"fallback\")"
                                 : "the mean in training (basis \"fallback\")",
                             advice);
}

template <class T>
int predict(ModelOf<T>& model, const Command& command) {
  const Unsettled unsettled = choose<Unsettled>("unsettled", command.unsettled,
                                                {{name(Unsettled::empty), Unsettled::empty},
                                                 {name(Unsettled::last), Unsettled::last},
                                                 {name(Unsettled::fallback), Unsettled::fallback}});
  check_unsettled(unsettled, model.encoding);
  ThreadPool threads(command.use.threads);
  const ModelUse<T> use = apply_model<T>(command.use, model.encoding, false, command.keep, threads);
  Settler<T> settler(model.network, model.settle, threads);
  Printer<T> printer(*use.frame, model.encoding, command);
  printer.header();
  const Equilibria<T> answers = settle_outputs(settler, *use.samples);
  Prediction prediction;
  Count count{};
  for (std::size_t s = 0; s < answers.size(); ++s) {
    decode<T>(model.encoding, answers.state(s), answers.verdicts[s], unsettled, prediction);
    ++count[static_cast<std::size_t>(prediction.basis)];
    printer.row(use.samples->row(s), prediction);
  }
  printer.skip_to(use.frame->rows());
  printer.flush();
  if (!command.quiet) caution(model, use.frame->rows(), use.samples->dropped(), count);
  return fine;
}

}  // namespace

Run add_predict(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->use.declare(command->settings);
  command->settings.group("Output")
      .add("probabilities", &command->probabilities, "A column for the probability of each class, too")
      .add("keep", &command->keep, "Columns of the table to print beside the answers")
      .add("unsettled", &command->unsettled,
           "What stands where a row did not settle: " + join(unsettled_names) +
               "; last: the state where its search ended; fallback: the means of the targets or the shares "
               "of the "
               "classes in training. A column, basis, then says what each answer is")
      .add("quiet", &command->quiet,
           "Nothing on standard error about rows without an answer or an unfinished training");
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
