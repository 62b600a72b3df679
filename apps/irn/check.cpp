// irn check: what the equilibria of a model are worth. Of the network what can be proven, whatever its input; of every row of a table what
// became of it; of the most doubtful ones all their equilibria, the edge of the basin and the nearest fold.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/check_figures.h"
#include "apps/irn/check_page.h"
#include "apps/irn/check_rows.h"
#include "apps/irn/check_text.h"
#include "apps/irn/check_vary.h"
#include "apps/irn/command.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/model_use.h"
#include "irn/base/file.h"
#include "irn/data/category-inl.h"
#include "irn/model/assess.h"
#include "irn/model/prediction.h"

namespace irn::app {
namespace {

struct Command {
  Settings settings;
  ModelUseSettings use;
  std::size_t closer = 8, gradient_rows = 100;
  Words rows;
  std::string vary, range, out, html;
  bool gradient = false, json = false, quiet = false;
};

// One look at a model: fills a CheckStory, part by part.
template <class T>
class Checker {
 public:
  Checker(ModelOf<T>& model, const Command& command)
      : model_(model), command_(command), threads_(command.use.threads) {
    const Architecture& architecture = model.network.architecture();
    story_.model = command.use.model;
    story_.network = to_text(architecture);
    story_.precision = sizeof(T) == 4 ? "float" : "double";
    story_.solver = to_text(model.settle.solver);
    story_.neurons = architecture.neurons();
    story_.parameters = architecture.parameters();
    story_.tolerance = model.settle.tolerance == 0 ? default_tolerance<T>() : model.settle.tolerance;
    story_.certified = model.settle.certified;
    story_.inputs = model.encoding.input_names();
  }

  CheckStory tell() {
    if (!command_.use.table.data.empty())
      look_at_table();
    else
      story_.check.network = certificates(model_.network);
    if (!command_.vary.empty() || !command_.html.empty()) look_along();
    return std::move(story_);
  }

 private:
  bool small() const { return story_.neurons <= dense_analysis_limit; }

  void look_at_table() {
    story_.data = command_.use.table.data;
    use_ = apply_model<T>(command_.use, model_.encoding, command_.gradient, {}, threads_);
    const EncodedSamples<T>& samples = *use_.samples;
    story_.dropped = samples.dropped();
    for (std::size_t s = 0; s < samples.size(); ++s) story_.rows.push_back(samples.row(s) + 1);
    const std::vector<std::uint64_t> chosen = chosen_rows();
    story_.check = check(model_.network, samples, {.settle = model_.settle}, threads_);
    choose_rows(chosen.empty() ? worst_samples(story_.check, command_.closer) : chosen);
    if (!story_.proven() || !chosen.empty()) look_closer_at_rows();
    look_over_time();
    if (command_.gradient) compare();
  }

  // --rows, as samples.
  std::vector<std::uint64_t> chosen_rows() const {
    std::vector<std::uint64_t> chosen;
    for (const std::string& word : command_.rows) {
      std::uint64_t row = 0;
      const bool is_number =
          !word.empty() && word.find_first_not_of("0123456789") == std::string::npos && word.size() < 18;
      if (is_number) row = std::stoull(word);
      const auto found = std::find(story_.rows.begin(), story_.rows.end(), row);
      if (!is_number || row == 0 || row > use_.frame->rows())
        throw Error(
            fmt::format("--rows: there is no row \"{}\"; they go from 1 to {}", word, use_.frame->rows()));
      if (found == story_.rows.end())
        throw Error(fmt::format("--rows: row {} has a missing value and was left out", word));
      chosen.push_back(std::uint64_t(found - story_.rows.begin()));
    }
    return chosen;
  }

  std::vector<T> input_of(std::uint64_t sample) const {
    std::vector<T> x(use_.samples->inputs());
    use_.samples->inputs_as_rows(std::span(&sample, 1), x.data());
    return x;
  }

  RowStory row_story(std::uint64_t sample) const {
    const std::uint64_t row = use_.samples->row(sample);
    RowStory story{
        .sample = sample, .place = use_.frame->place(row), .columns = {}, .closer = {}, .answers = {}};
    for (std::size_t c = 0; c < use_.frame->width(); ++c) {
      const FrameColumn& column = use_.frame->columns()[c];
      const double value = use_.frame->row(row)[c];
      story.columns.emplace_back(column.name, std::isnan(value) ? ""
                                              : column.text     ? column.categories[std::size_t(value)]
                                                                : in_words(value));
    }
    return story;
  }

  // What the network would answer in a state.
  std::string answer(const std::vector<double>& state) const {
    const std::size_t first = model_.network.architecture().first_output();
    Prediction prediction;
    decode<double>(model_.encoding, std::span(state).subspan(first), {.outcome = Outcome::settled},
                   Unsettled::empty, prediction);
    if (model_.encoding.task == Task::classification) return std::string(prediction.label);
    std::string text;
    for (const double value : prediction.values)
      text += fmt::format("{}{:.5g}", text.empty() ? "" : ", ", value);
    return text;
  }

  void choose_rows(const std::vector<std::uint64_t>& samples) {
    for (const std::uint64_t sample : samples) story_.closer.push_back(row_story(sample));
    if (!command_.html.empty())
      if (const std::optional<std::uint64_t> middle = typical_sample()) story_.typical = row_story(*middle);
  }

  void look_closer_at_rows() {
    if (story_.closer.empty()) return;
    if (!small()) {
      story_.notes.push_back(
          fmt::format("with {} neurons other equilibria and folds are not looked for; up to {} they are",
                      story_.neurons, dense_analysis_limit));
      return;
    }
    std::vector<std::uint64_t> samples;
    for (const RowStory& row : story_.closer) samples.push_back(row.sample);
    std::vector<CloserLook> looks =
        look_closer(model_.network, *use_.samples, std::span<const std::uint64_t>(samples),
                    {.settle = model_.settle}, threads_);
    for (std::size_t k = 0; k < looks.size(); ++k) {
      if (looks[k].equilibria)
        for (const FoundEquilibrium& e : looks[k].equilibria->equilibria)
          story_.closer[k].answers.push_back(answer(e.state));
      story_.closer[k].closer = std::move(looks[k]);
    }
  }

  // Of all rows that are looked at closely; the whole way is kept of those that are drawn.
  void look_over_time() {
    std::vector<RowStory*> rows;
    for (RowStory& row : story_.closer) rows.push_back(&row);
    if (story_.typical) rows.push_back(&*story_.typical);
    threads_.for_each(rows.size(), [&](std::size_t k, std::size_t) {
      const std::vector<T> x = input_of(rows[k]->sample);
      const PathOptions options{.tolerance = std::min(1e-8, story_.tolerance)};
      rows[k]->path = settling_path(network_problem<T>(model_.network, x), 0, {}, options);
      if (k >= drawn_paths && rows[k] != (story_.typical ? &*story_.typical : nullptr))
        rows[k]->path->way.states.clear();
    });
  }

  std::optional<std::uint64_t> typical_sample() const {
    std::vector<std::uint64_t> order(story_.check.samples.size());
    if (order.empty()) return {};
    for (std::size_t s = 0; s < order.size(); ++s) order[s] = s;
    const auto middle = order.begin() + std::ptrdiff_t(order.size() / 2);
    const auto key = [&](std::uint64_t s) {
      return std::pair(story_.check.samples[s].verdict.evaluations, s);
    };
    std::nth_element(order.begin(), middle, order.end(), [&](auto a, auto b) { return key(a) < key(b); });
    return *middle;
  }

  // --vary: from the first row that was looked at closely, or from the mean of all inputs.
  void look_along() {
    const Architecture& architecture = model_.network.architecture();
    const RowStory* from = story_.closer.empty() ? nullptr : &story_.closer.front();
    const Vary vary =
        command_.vary.empty() ? most_telling(from) : read_vary(command_.vary, model_.encoding, architecture);
    if (!small()) return;
    if (command_.vary.empty() && !architecture.recurrent()) return;
    const std::vector<T> x = from ? input_of(from->sample) : std::vector<T>(architecture.inputs());
    const VaryRange range = command_.range.empty() ? usual_range(vary, x) : read_range(command_.range);
    story_.vary = follow<T>(vary, model_.network, model_.encoding, x, range, story_.proven());
    if (from) story_.vary->place = story_.row_name(from->sample);
  }

  Vary most_telling(const RowStory* from) const {
    const StateCheck* state = from && story_.check.samples[from->sample].state
                                  ? &*story_.check.samples[from->sample].state
                                  : nullptr;
    if (!state || !std::isfinite(state->sensitivity)) return {.text = "gain"};
    return vary_of_input(state->input, model_.encoding);
  }

  // A column over what it is in the table and half as much again, at least three deviations around its mean; a weight from its negative to twice itself.
  VaryRange usual_range(const Vary& vary, const std::vector<T>& x) const {
    if (vary.kind == Vary::Kind::gain) return {0, 2};
    const double present = present_value<T>(vary, model_.network, x);
    if (vary.kind == Vary::Kind::parameter) {
      const double width = 2 * std::max(1.0, std::abs(present));
      return {present - width, present + width};
    }
    double low = -3, high = 3;
    for (std::size_t s = 0; s < story_.rows.size(); ++s) {
      const double value = double(input_of(s)[vary.index]);
      low = std::min(low, value), high = std::max(high, value);
    }
    return {vary.mean + vary.scale * low, vary.mean + vary.scale * high};
  }

  void compare() {
    const std::size_t count = std::min(command_.gradient_rows, use_.samples->size());
    GradientStory story;
    for (std::size_t k = 0; k < count; ++k) story.samples.push_back(k * use_.samples->size() / count);
    GradientComparisonOptions options{.loss = model_.loss.value_or(loss_of(model_.encoding.task)),
                                      .settle = model_.settle};
    for (const Gradient& gradient : options.gradients) story.names.push_back(to_text(gradient));
    story.comparison = compare_gradients(model_.network, *use_.samples,
                                         std::span<const std::uint64_t>(story.samples), options, threads_);
    story_.gradients = std::move(story);
  }

  ModelOf<T>& model_;
  const Command& command_;
  ThreadPool threads_;
  ModelUse<T> use_;
  CheckStory story_;
};

// A place that cannot be written to is said before a long look, not after it.
void refuse_place(const std::string& file) {
  if (file.empty()) return;
  const std::filesystem::path path(file), folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  const char* reason = std::filesystem::is_directory(path, error)      ? "is a folder"
                       : !std::filesystem::is_directory(folder, error) ? "there is no such folder"
                                                                       : nullptr;
  if (reason) throw FileError(fmt::format("cannot write '{}': {}", file, reason));
}

// What makes no sense is refused before anything is computed.
void refuse_nonsense(const Command& command) {
  const bool table = !command.use.table.data.empty();
  const auto needs_table = [&](bool given, const char* option) {
    if (given && !table) throw Error(fmt::format("{} needs a table: name one after the model", option));
  };
  needs_table(!command.out.empty(), "--out");
  needs_table(command.gradient, "--gradient");
  needs_table(!command.rows.empty(), "--rows");
  if (!command.range.empty()) read_range(command.range);
  if (!command.range.empty() && command.vary.empty())
    throw Error("--range is that of --vary: name what to vary");
  if (command.gradient && command.gradient_rows == 0) throw Error("--gradient-rows: give 1 or more");
  refuse_place(command.out);
  refuse_place(command.html);
  if (!command.out.empty() && command.out == command.html) throw Error("--out and --html name the same file");
}

bool is_json_lines(const std::string& path) { return path.ends_with(".jsonl") || path.ends_with(".json"); }

template <class T>
void caution(const ModelOf<T>& model, const CheckStory& story) {
  if (const std::string note = unfinished_note(model.metrics); !note.empty())
    std::cerr << "irn: " << note << "\n";
  if (story.dropped > 0)
    std::cerr << fmt::format("irn: {} rows with missing values were left out\n", story.dropped);
  for (const std::string& note : story.notes) std::cerr << "irn: " << note << "\n";
  const Summary& all = story.check.summary.outcomes;
  if (all.answered() < all.samples)
    std::cerr << fmt::format("irn: {} of {} rows did not settle and have no answer; {}\n",
                             all.samples - all.answered(), all.samples, settling_advice(story.certified));
}

template <class T>
void refuse_vary(const ModelOf<T>& model, const Command& command) {
  if (command.vary.empty()) return;
  const Architecture& architecture = model.network.architecture();
  read_vary(command.vary, model.encoding, architecture);
  if (architecture.neurons() > dense_analysis_limit)
    throw Error(fmt::format("--vary: equilibria are followed up to {} neurons; this network has {}",
                            dense_analysis_limit, architecture.neurons()));
}

template <class T>
int check_model(ModelOf<T>& model, const Command& command) {
  refuse_vary(model, command);
  const CheckStory story = Checker<T>(model, command).tell();
  // All that can fail is done: only whole files are written.
  const std::string page = command.html.empty() ? "" : check_page(story);
  if (!command.out.empty())
    write_file_atomically(command.out, is_json_lines(command.out) ? rows_json(story) : rows_csv(story));
  if (!command.html.empty()) write_file_atomically(command.html, page);
  std::cout << (command.json ? summary_json(story).dump(2) + "\n" : summary_text(story));
  if (!command.quiet) caution(model, story);
  return fine;
}

}  // namespace

Run add_check(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  command->use.declare(command->settings);
  command->settings.may_be_left_out("data");
  command->settings.group("Looking closer")
      .add("closer", &command->closer,
           "Rows of which all equilibria, the basin's edge and the nearest fold are looked for, the most "
           "doubtful first")
      .add("rows", &command->rows, "These rows instead, counted from 1")
      .add("vary", &command->vary,
           "Follow all equilibria of the first of these rows, or of the mean input, while this moves: a "
           "column of numbers, "
           "a weight (layer1.layer1:3:2 to neuron 3 from 2, layer1.bias:3), or gain, all recurrent weights "
           "at once")
      .add("range", &command->range, "Of --vary, as 0,7; if not given, one around what is there")
      .called("LOW,HIGH")
      .add("gradient", &command->gradient,
           "Compare exact, semi, truncated and unrolled gradients, and the exact one with differences")
      .add("gradient-rows", &command->gradient_rows, "Rows for that, spread evenly");
  command->settings.group("Output")
      .add("out", &command->out,
           "A line for every row: CSV, or JSON lines if the name ends in .jsonl or .json")
      .called("FILE")
      .add("html", &command->html, "A page with all of it and its pictures")
      .called("FILE")
      .add("json", &command->json, "The summary as JSON")
      .add("quiet", &command->quiet,
           "Nothing on standard error about rows without an answer or an unfinished training");
  command->settings.declare(
      app, "check", "What the equilibria of a model are worth, on a table or whatever the input",
      "Examples:\n"
      "  irn check flowers-model\n"
      "  irn check flowers-model test.csv --html check.html\n"
      "  irn check flowers-model test.csv --out rows.csv --rows 17,40\n"
      "  irn check flowers-model test.csv --vary petal_length --range 0,8 --html check.html");
  return [command] {
    command->settings.resolve();
    refuse_nonsense(*command);
    AnyModel model = open_model(command->use.model);
    return std::visit([&](auto& m) { return check_model(m, *command); }, model);
  };
}

}  // namespace irn::app
