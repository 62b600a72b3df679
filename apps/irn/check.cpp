// irn check: what the equilibria of a model are worth. Of the network it shows what can be proven for every
// input; of every row of a table its outcome; of the most doubtful rows all equilibria, the edge of the basin
// and the nearest fold.
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/check_page.h"
#include "apps/irn/check_rows.h"
#include "apps/irn/check_text.h"
#include "apps/irn/check_vary.h"
#include "apps/irn/command.h"
#include "apps/irn/json_text.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/output_file.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/report/time_words.h"

namespace irn::app {
namespace {

struct Command : CheckSettings {
  Settings settings;
};

// Reports a place that cannot be written to before a long check, not after it.
void refuse_place(const std::string& file) {
  if (file.empty()) return;
  const std::filesystem::path path(file), folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  const char* reason = std::filesystem::is_directory(path, error)      ? "is a folder"
                       : !std::filesystem::is_directory(folder, error) ? "there is no such folder"
                                                                       : nullptr;
  if (reason) throw FileError(fmt::format("cannot write '{}': {}", file, reason));
}

// Refuses what makes no sense before anything is computed.
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
  for (const auto& [option, file] : {std::pair("--out", command.out), std::pair("--html", command.html)}) {
    refuse_place(file);
    check_output_file(option, file, files_read(command.use, command.settings), command.overwrite);
  }
  if (!command.out.empty() && !command.html.empty() && is_same_file(command.out, command.html))
    throw Error("--out and --html name the same file");
}

bool is_json_lines(const std::string& path) { return path.ends_with(".jsonl") || path.ends_with(".json"); }

template <class T>
void caution(const ModelOf<T>& model, const CheckStory& story) {
  if (const std::string note = unfinished_note(model.metrics); !note.empty())
    std::cerr << "irn: " << one_line(note) << "\n";
  if (story.dropped > 0)
    std::cerr << fmt::format("irn: {} rows with missing values were left out\n", story.dropped);
  for (const std::string& note : story.notes) std::cerr << "irn: " << one_line(note) << "\n";
  const Summary& all = story.check.summary.outcomes;
  if (all.answered() < all.samples)
    std::cerr << fmt::format("irn: {} of {} rows did not settle and have no answer; {}\n",
                             all.samples - all.answered(), all.samples, settling_advice(story.certified));
}

template <class T>
void refuse_vary(const ModelOf<T>& model, const Command& command) {
  if (command.vary.empty()) return;
  const Architecture& architecture = model.network.architecture();
  const Vary vary = read_vary(command.vary, model.encoding, architecture);
  if (!vary.date && !command.range.empty() && read_range(command.range).dates)
    throw Error(fmt::format("--range: {} has no dates; give two numbers: 0,7", vary.text));
  if (architecture.neurons() > dense_analysis_limit)
    throw Error(fmt::format("--vary: equilibria are followed up to {} neurons; this network has {}",
                            dense_analysis_limit, architecture.neurons()));
}

template <class T>
int check_model(ModelOf<T>& model, const Command& command) {
  refuse_vary(model, command);
  check_writable(command.out);
  check_writable(command.html);
  const report::Clock::time_point start = report::Clock::now();
  CheckStory story = tell_story(model, command);
  story.seconds = report::seconds_since(start);
  // Everything that can fail is done: only whole files are written.
  const std::string page = command.html.empty() ? "" : check_page(story);
  if (!command.out.empty())
    write_file_atomically(command.out, is_json_lines(command.out) ? rows_json(story) : rows_csv(story));
  if (!command.html.empty()) write_file_atomically(command.html, page);
  std::cout << (command.json ? json_text(summary_json(story), 2) : summary_text(story));
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
           "Number of rows to examine closely (all equilibria, the edge of the basin, the nearest fold), the "
           "most doubtful first")
      .add("rows", &command->rows, "Rows to examine closely instead, counted from 1")
      .add("vary", &command->vary,
           "Follow all equilibria of the first of these rows (without a table: of the mean input) while one "
           "number changes: a numeric column, a weight (layer1.layer1:3:2, to neuron 3 from neuron 2; "
           "layer1.bias:3) or gain (all recurrent weights at once)")
      .add("range", &command->range,
           "Range of --vary, as in 0,7 or, of dates, 2024-01-01,2024-12-31; by default around the present "
           "value")
      .called("LOW,HIGH")
      .add("gradient", &command->gradient,
           "Compare exact, semi, truncated and unrolled gradients, and the exact one with finite differences")
      .add("gradient-rows", &command->gradient_rows, "Number of rows for --gradient, spread evenly");
  command->settings.group("Output")
      .add("out", &command->out,
           "File with one line per row: CSV, or JSON lines if its name ends in .jsonl or .json")
      .called("FILE")
      .add("html", &command->html, "Page with all results and figures")
      .called("FILE")
      .add("overwrite", &command->overwrite, overwrite_help)
      .add("json", &command->json, "Print the summary as JSON")
      .add("quiet", &command->quiet, no_warnings_help);
  command->settings.declare(
      app, "check", "Examine a model's equilibria, for any input and for the rows of a table",
      "Examples:\n"
      "  irn check flowers-model\n"
      "  irn check flowers-model test.csv --html check.html\n"
      "  irn check flowers-model test.csv --out rows.csv --rows 17,40\n"
      "  irn check flowers-model test.csv --vary petal_length --range 0,8 --html check.html");
  return [command] {
    command->settings.resolve();
    refuse_nonsense(*command);
    AnyModel model = open_model(command->use);
    return std::visit([&](auto& m) { return check_model(m, *command); }, model);
  };
}

}  // namespace irn::app
