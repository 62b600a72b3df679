// irn predict: answers for the rows of a table, as CSV, on standard output or in a file.
//   the target columns, class probabilities on request, and "settled": 1, or 0 if the state is no equilibrium
// One row for every row of the table, in its order. Rows of CSV are answered as they arrive, in constant
// memory, even from a pipe that stays open. The answer is empty if the equilibrium was not reached, or if the
// row was left out for a missing value. (A model that answers with an iterate always has an answer.) If a
// substitute for missing answers is requested, another column, "basis", says what the answer of every row is.
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "apps/irn/answer_printer.h"
#include "apps/irn/command.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/model_use.h"
#include "apps/irn/output_file.h"
#include "irn/base/text.h"
#include "irn/train/evaluate.h"

namespace irn::app {
namespace {

struct Command {
  Settings settings;
  ModelUseSettings use;
  ViewSettings views;
  AnswerForm form;
  std::string unsettled = "empty", out;
  bool overwrite = false, quiet = false;
};

// The number of rows with each kind of answer.
using Count = std::array<std::size_t, basis_names.size()>;

// Prints what to know before using the answers, on standard error.
template <class T>
void caution(const ModelOf<T>& model, std::size_t rows, std::size_t dropped, const Count& count,
             std::size_t undecided) {
  if (const std::string note = unfinished_note(model.metrics); !note.empty())
    std::cerr << "irn: " << one_line(note) << "\n";
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
  if (undecided > 0) std::cerr << "irn: " << undecided_note(undecided, rows) << "\n";
}

Unsettled unsettled_of(const Command& command) {
  return choose<Unsettled>("unsettled", command.unsettled,
                           {{name(Unsettled::empty), Unsettled::empty},
                            {name(Unsettled::last), Unsettled::last},
                            {name(Unsettled::fallback), Unsettled::fallback}});
}

// The columns of a table without its rows.
Frame head_of(const Frame& table) {
  Frame head(table.source(), {table.columns().begin(), table.columns().end()});
  head.set_images(table.images());
  return head;
}

// Answers table after table; each is written before the next is read.
template <class T>
class Answering {
 public:
  Answering(const ModelOf<T>& model, const Command& command, ThreadPool& threads)
      : model_(model),
        unsettled_(unsettled_of(command)),
        views_(command.views.of(model)),
        settler_(model.network, for_answers(model.settle), threads),
        output_(command.out, files_read(command.use, command.settings), command.overwrite),
        printer_(model.encoding, command.form, output_) {
    check_unsettled(unsettled_, model.encoding);
  }

  // Refuses a table without a column that the model needs, before its first row.
  void header(const Frame& head) {
    samples_of(head_of(head));
    printer_.header(head);
  }

  void answer(const Frame& frame) {
    const EncodedSamples<T> samples = samples_of(frame);
    printer_.begin(frame);
    if (samples.size() > 0) print(samples, answers_to(samples));
    printer_.skip_to(frame.rows());
    printer_.flush();
    rows_ += frame.rows(), dropped_ += samples.dropped();
  }

  void finish(bool quiet) {
    printer_.flush();
    output_.keep();
    if (!quiet) caution(model_, rows_, dropped_, count_, undecided_);
  }

 private:
  EncodedSamples<T> samples_of(const Frame& frame) const {
    return EncodedSamples<T>(frame, model_.encoding, {.with_targets = false, .may_be_none = true});
  }
  Equilibria<T> answers_to(const EncodedSamples<T>& samples) {
    const bool classes = model_.encoding.task == Task::classification;
    return settle_views<T>(settler_, samples, views_, classes ? model_.encoding.target_width() : 0);
  }
  void print(const EncodedSamples<T>& samples, const Equilibria<T>& answers) {
    for (std::size_t s = 0; s < answers.size(); ++s) {
      decode<T>(model_.encoding, answers.state(s), answers.verdicts[s], unsettled_, prediction_);
      ++count_[static_cast<std::size_t>(prediction_.basis)];
      undecided_ += is_undecided(answers.verdicts[s]);
      printer_.row(samples.row(s), prediction_);
    }
  }

  const ModelOf<T>& model_;
  Unsettled unsettled_;
  Views views_;
  Settler<T> settler_;
  AnswerOutput output_;
  AnswerPrinter<T> printer_;
  Prediction prediction_;
  Count count_{};
  std::size_t undecided_ = 0;
  std::size_t rows_ = 0, dropped_ = 0;
};

template <class T>
int predict(ModelOf<T>& model, const Command& command) {
  apply_settings(command.use, model.encoding);
  ThreadPool threads(command.use.threads);
  Answering<T> answering(model, command, threads);
  Words inputs;
  for (const EncodedColumn& column : model.encoding.inputs) inputs.push_back(column.name);
  const Expected expected = expected_by(model.encoding, command.form.keep);
  std::optional<Frame> first;  // the columns of the first file, without its rows
  for (const std::string& file : command.use.table.files()) {
    const OpenTable table = command.use.table.open(file, expected, inputs, threads);
    Frame head = table.stream ? table.stream->head() : head_of(*table.whole);
    if (first)
      check_same_columns(*first, head);
    else
      answering.header(first.emplace(std::move(head)));
    if (table.whole) answering.answer(*table.whole);
    while (table.stream) {
      const std::optional<Frame> rows = table.stream->next(threads);
      if (!rows) break;
      answering.answer(*rows);
    }
  }
  answering.finish(command.quiet);
  return fine;
}

}  // namespace

Run add_predict(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->use.declare(command->settings);
  command->views.declare(command->settings);
  command->settings.group("Output")
      .add("probabilities", &command->form.probabilities,
           "Also print a column for the probability of each class")
      .add("json", &command->form.json, "Print a line of JSON for each row instead of CSV")
      .add("keep", &command->form.keep, "Columns of the table to print before the answers")
      .add("unsettled", &command->unsettled,
           "What to print for a row that did not settle: " + join(unsettled_names) +
               "; last: the state where its search ended; fallback: the means of the targets, or the shares "
               "of "
               "the classes, in training. With last and fallback, a column basis says what each answer is")
      .add("out", &command->out,
           "File for the answers instead of standard output; written completely or not at all")
      .called("FILE")
      .add("overwrite", &command->overwrite, overwrite_help)
      .add("quiet", &command->quiet, no_warnings_help);
  command->settings.declare(app, "predict", "Print a model's answers for a table, as CSV",
                            "Examples:\n"
                            "  irn predict flowers-model new.csv > answers.csv\n"
                            "  irn predict flowers-model new.csv --probabilities --keep name,site\n"
                            "  zcat new.csv.gz | irn predict flowers-model -");
  return [command] {
    command->settings.resolve();
    command->form.basis = unsettled_of(*command) != Unsettled::empty;
    AnyModel model = open_model(command->use);
    return std::visit([&](auto& m) { return predict(m, *command); }, model);
  };
}

}  // namespace irn::app
