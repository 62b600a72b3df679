// irn predict: answers for the rows of a table, as CSV on standard output.
//   the target columns, class probabilities on request, and "settled": 1, or 0 where the state is no equilibrium
// A row for every row of the table, in its order; those of CSV as they arrive, in constant memory: a pipe that stays open has its answers. Where the equilibrium was not reached, or the row was left out for a
// missing value, the answer is empty. (A model that answers with an iterate has one all the same.) If something else is asked for in the
// place of an answer that is none, one more column, "basis", says of every row what its answer is.
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
  bool probabilities = false, json = false, quiet = false;
};

// Rows as lines of CSV, or of JSON.
template <class T>
class Printer {
 public:
  Printer(const Encoding& encoding, const Command& command)
      : encoding_(encoding), command_(command), basis_(command.unsettled != name(Unsettled::empty)) {
    if (command.probabilities && encoding.task != Task::classification)
      throw Error("--probabilities: the model predicts numbers, not classes");
  }

  // `head` has the columns of all tables to come.
  void header(const Frame& head) {
    for (const std::string& name : command_.keep) kept_.push_back(head.find(name)), names_.push_back(name);
    for (const EncodedColumn& target : encoding_.targets) names_.push_back(answer_name(target.name));
    if (command_.probabilities)
      for (const std::string& name : encoding_.target_names()) names_.push_back(name);
    names_.emplace_back("settled");
    if (basis_) names_.emplace_back("basis");
    if (command_.json) return;
    for (const std::string& name : names_) text(name);
    end_row();  // goes out with the first rows: a table that is refused at once leaves nothing
  }

  void begin(const Frame& frame) { frame_ = &frame, next_ = 0; }

  // Rows up to `row` that are no samples, then `row` itself.
  void row(std::uint64_t row, const Prediction& prediction) {
    skip_to(row);
    keep(next_++);
    if (encoding_.task == Task::classification) text(prediction.label);
    for (const double value : prediction.values) number(written(value));
    if (command_.probabilities)
      for (const double p : prediction.probabilities) number(written(p));
    mark(prediction.settled(), prediction.basis);
    end_row();
    if (constexpr std::size_t enough = 1u << 20; text_.size() > enough) flush();
  }

  void skip_to(std::uint64_t row) {
    for (; next_ < row; ++next_) {
      keep(next_);
      const std::size_t answers =
          encoding_.targets.size() + (command_.probabilities ? encoding_.target_width() : 0);
      for (std::size_t k = 0; k < answers; ++k) number("");
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
  static std::string written(double value) {
    return std::isnan(value) ? "" : write_value(static_cast<T>(value));
  }

  // Beside the column itself the answer gets a name of its own: readers refuse a table with one name twice.
  std::string answer_name(const std::string& target) const {
    const bool kept = std::count(command_.keep.begin(), command_.keep.end(), target) > 0;
    return kept ? "predicted " + target : target;
  }

  void keep(std::uint64_t row) {
    for (const std::size_t column : kept_) {
      const FrameColumn& from = frame_->columns()[column];
      const double value = frame_->row(row)[column];
      if (std::isnan(value))
        number("");
      else if (from.text)
        text(from.categories[std::size_t(value)]);
      else
        number(in_words(value));
    }
  }
  void mark(bool settled, Basis basis) {
    command_.json ? cell(settled ? "true" : "false") : cell(settled ? "1" : "0");
    if (basis_) text(name(basis));
  }
  // Nothing stands for what is not there: in JSON null.
  void number(std::string_view digits) { cell(command_.json && digits.empty() ? "null" : digits); }
  void text(std::string_view words) {
    if (command_.json)
      cell(words.empty() ? "null" : nlohmann::json(words).dump());
    else
      cell(csv_cell(words));
  }
  void cell(std::string_view what) {
    text_ += column_ > 0 ? "," : command_.json ? "{" : "";
    if (command_.json) text_ += nlohmann::json(names_[column_]).dump() + ":";
    ++column_;
    text_ += what;
  }
  void end_row() {
    text_ += command_.json ? "}\n" : "\n";
    column_ = 0;
  }

  const Encoding& encoding_;
  const Command& command_;
  bool basis_;
  const Frame* frame_ = nullptr;
  std::vector<std::size_t> kept_;
  std::vector<std::string> names_;
  std::uint64_t next_ = 0;
  std::size_t column_ = 0;
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

Unsettled unsettled_of(const Command& command) {
  return choose<Unsettled>("unsettled", command.unsettled,
                           {{name(Unsettled::empty), Unsettled::empty},
                            {name(Unsettled::last), Unsettled::last},
                            {name(Unsettled::fallback), Unsettled::fallback}});
}

// Answers table after table, each written before the next is asked for.
template <class T>
class Answering {
 public:
  Answering(const ModelOf<T>& model, const Command& command, ThreadPool& threads)
      : model_(model),
        unsettled_(unsettled_of(command)),
        settler_(model.network, model.settle, threads),
        printer_(model.encoding, command) {
    check_unsettled(unsettled_, model.encoding);
  }

  // A column that the model needs and the table lacks is refused here, before its first row.
  void header(const Frame& head) {
    Frame none(head.source(), {head.columns().begin(), head.columns().end()});
    samples_of(none);
    printer_.header(head);
  }

  void answer(const Frame& frame) {
    const EncodedSamples<T> samples = samples_of(frame);
    printer_.begin(frame);
    if (samples.size() > 0) print(samples, settle_outputs(settler_, samples));
    printer_.skip_to(frame.rows());
    printer_.flush();
    rows_ += frame.rows(), dropped_ += samples.dropped();
  }

  void finish(bool quiet) {
    printer_.flush();
    if (!quiet) caution(model_, rows_, dropped_, count_);
  }

 private:
  EncodedSamples<T> samples_of(const Frame& frame) const {
    return EncodedSamples<T>(frame, model_.encoding, {.with_targets = false, .may_be_none = true});
  }
  void print(const EncodedSamples<T>& samples, const Equilibria<T>& answers) {
    for (std::size_t s = 0; s < answers.size(); ++s) {
      decode<T>(model_.encoding, answers.state(s), answers.verdicts[s], unsettled_, prediction_);
      ++count_[static_cast<std::size_t>(prediction_.basis)];
      printer_.row(samples.row(s), prediction_);
    }
  }

  const ModelOf<T>& model_;
  Unsettled unsettled_;
  Settler<T> settler_;
  Printer<T> printer_;
  Prediction prediction_;
  Count count_{};
  std::size_t rows_ = 0, dropped_ = 0;
};

Frame head_of(const Frame& table) {
  return Frame(table.source(), {table.columns().begin(), table.columns().end()});
}

template <class T>
int predict(ModelOf<T>& model, const Command& command) {
  apply_settings(command.use, model.encoding);
  ThreadPool threads(command.use.threads);
  Answering<T> answering(model, command, threads);
  Words inputs;
  for (const EncodedColumn& column : model.encoding.inputs) inputs.push_back(column.name);
  const Expected expected = expected_by(model.encoding, command.keep);
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
  command->settings.group("Output")
      .add("probabilities", &command->probabilities, "A column for the probability of each class, too")
      .add("json", &command->json, "A line of JSON for each row instead of CSV")
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
    AnyModel model = open_model(command->use);
    return std::visit([&](auto& m) { return predict(m, *command); }, model);
  };
}

}  // namespace irn::app
