// irn sweep: many trainings with different options, each judged by cross-validation; the best one is kept.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/device_setting.h"
#include "apps/irn/json_text.h"
#include "apps/irn/sweep_page.h"
#include "apps/irn/sweep_report.h"
#include "apps/irn/sweep_run.h"
#include "apps/irn/sweep_teller.h"
#include "apps/irn/train_again.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/data/scaling.h"
#include "irn/data/table_words.h"
#include "irn/train/on_processor.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

struct Command {
  Settings settings;
  TrainSettings chosen;
  FoldSettings folds{.folds = 3};
  std::string space, method = "auto";
  std::size_t trials = 20;
};

// Settings of the training alone, as TOML that `irn train` reads.
std::string training_toml(TrainSettings chosen) {
  Settings settings;
  chosen.declare_training(settings);
  return settings.to_toml();
}

std::string method_of(const Command& command, const std::vector<SpaceOption>& space) {
  bool grid = true;
  for (const SpaceOption& option : space) grid = grid && !option.choices.empty();
  return choose<std::string>(
      "method", command.method,
      {{"auto", grid ? "grid" : "random"}, {"grid", "grid"}, {"random", "random"}, {"halving", "halving"}});
}

// The score that ranks: --metric, or a finer one than accuracy.
Metric metric_of(const TrainSettings& chosen, Task task) {
  const Metric named = chosen.best_metric();
  if (named != Metric::loss) return named;
  return task == Task::classification ? Metric::log_loss : Metric::r2;
}

// From a share of the epochs that leaves each training some, up to all of them, each rung with `keep` times
// as many.
std::vector<double> rungs_for(std::size_t trials, std::size_t keep) {
  std::vector<double> rungs = {1};
  for (std::size_t left = trials / keep; left > 0 && rungs.size() < 5; left /= keep)
    rungs.insert(rungs.begin(), rungs.front() / double(keep));
  return rungs;
}

// A trial's settings, all resolved for this table; refuses what makes no sense before the first training.
TrainSettings settings_of(const std::string& base, const Trial& trial, const std::vector<SpaceOption>& space,
                          const std::string& source, TableFacts facts) {
  TrainSettings chosen;
  Settings settings;
  chosen.declare_training(settings);
  settings.read_toml(base, "the settings");
  try {
    settings.read_toml(trial.toml(space), source);
    chosen.resolve_auto(facts);
    chosen.fit_options(facts.task, facts.rows);
    chosen.network_architecture(facts.inputs, facts.outputs, facts.image);
    chosen.network_start();
    chosen.in_double();
    chosen.fixed_threshold();
  } catch (const Error& error) {
    throw Error(fmt::format("trial {}: {}", trial.number, error.what()));
  }
  return chosen;
}

// Names that are no option of a training are reported before other mistakes in a space.
void check_options(const std::vector<SpaceOption>& space, const std::string& source) {
  constexpr std::array<std::string_view, 23> of_the_sweep = {
      "data",   "target",    "task",   "seed",  "weights", "missing", "inputs", "exclude",
      "metric", "precision", "images", "space", "method",  "trials",  "folds",  "repeats",
      "split",  "group",     "order",  "out",   "threads", "quiet",   "json"};
  TrainSettings chosen;
  Settings settings;
  chosen.declare_training(settings);
  for (const SpaceOption& option : space) {
    if (std::find(of_the_sweep.begin(), of_the_sweep.end(), option.key) != of_the_sweep.end())
      throw Error(
          fmt::format("{}: {} is the same for all trials; give it as an option", option.place, option.key));
    settings.check_known(option.key, option.place);
  }
  if (std::none_of(space.begin(), space.end(), [](const auto& option) { return option.varies(); }))
    throw Error(source + ": nothing varies; give an option a list of choices or a range");
}

// Refuses what all trials ask of a device and it lacks, as `irn train` does, before the table is read.
void check_common_device(const TrainSettings& chosen, const std::vector<SpaceOption>& space) {
  const auto in_space = [&](std::string_view key) {
    return std::any_of(space.begin(), space.end(), [&](const auto& option) { return option.key == key; });
  };
  if (in_space("device")) return;
  TrainOptions common;
  common.gradient.settle.device = device_of(chosen.device);
  if (!in_space("dropout")) common.dropout = chosen.dropout;
  if (!in_space("normalise")) common.normalise = chosen.normalise;
  check_device(common);
}

TableFacts facts_of(const TrainingTable& table, const std::string& images) {
  const Encoding encoding = fit_encoding(*table.frame, table.options, table.rows);
  return {.task = encoding.task,
          .rows = table.rows.size(),
          .images = is_images(*table.frame, images),
          .inputs = encoding.input_width(),
          .outputs = encoding.target_width(),
          .image = named("--images", [&] { return image_of(encoding, *table.frame, images); })};
}

SweepPlan plan_of(Command& command, const TrainingTable& table, const std::string& base,
                  const std::vector<SpaceOption>& space, const std::string& method) {
  SweepPlan plan{.space = space,
                 .folds = make_folds(command.folds, table, command.chosen.seed),
                 .metric = metric_of(command.chosen, *table.options.task)};
  constexpr std::size_t most = 10000;
  if (command.trials == 0 || command.trials > most) throw Error(fmt::format("--trials: give 1 to {}", most));
  plan.trials = method == "grid" ? grid_trials(plan.space, most)
                                 : random_trials(plan.space, command.trials, command.chosen.seed);
  if (method == "halving") plan.rungs = rungs_for(plan.trials.size(), plan.keep);
  const TableFacts facts = facts_of(table, command.chosen.images);
  for (const Trial& trial : plan.trials)
    plan.settings.push_back(settings_of(base, trial, plan.space, command.space, facts));
  return plan;
}

Json protocol_of(const Command& command, const SweepPlan& plan, const TrainingTable& table,
                 const std::string& base, const std::string& method) {
  Json json = {{"data", fingerprint(table)},   {"method", method},
               {"trials", plan.trials.size()}, {"metric", name(plan.metric)},
               {"folds", command.folds.folds}, {"repeats", command.folds.repeats},
               {"split", command.folds.split}, {"group", command.folds.group},
               {"order", command.folds.order}, {"settings", base}};
  for (const Trial& trial : plan.trials) json["space"].push_back(trial.toml(plan.space));
  return json;
}

int finish(const Command& command, const SweepPlan& plan, const SweepState& state, const TrainingTable& table,
           const std::string& base, const std::filesystem::path& out) {
  const TrialResult& best = *ranked(state, plan.metric).front();
  write_file_atomically(out / "trials.csv", trials_csv(plan, state));
  if (std::isnan(best.mean(std::string(name(plan.metric))))) {
    std::cerr << "irn: no trial has a score: all diverged; a lower rate or a certificate (--certify 0.95) "
                 "may help\n";
    return diverged;
  }
  const int code = train_again({.base = base,
                                .changes = plan.trials[best.trial - 1].toml(plan.space),
                                .folder = out / "best",
                                .directory = command.chosen.table.directory,
                                .threads = command.chosen.threads});
  if (code != fine) return code;
  write_file_atomically(out / "report.html", sweep_page(plan, state, table.frame->source(), base, out));
  if (command.chosen.json)
    std::cout << json_text(sweep_json(plan, state, out), 2);
  else
    std::cout << sweep_text(plan, state) << (out / "best" / "model.safetensors").string() << "\n";
  return fine;
}

int run(Command& command) {
  command.settings.resolve();
  TrainSettings& chosen = command.chosen;
  chosen.forget_directory(command.settings.given());
  if (command.space.empty())
    throw Error("no space: name the TOML file with the options to vary, --space FILE");
  chosen.check_files();
  if (chosen.table.from_pipe()) throw Error("a sweep reads its data more than once; save them to a file");
  if (!command.folds.group.empty()) chosen.exclude.push_back(command.folds.group);
  const std::filesystem::path out = chosen.folder("-sweep");
  const std::vector<SpaceOption> space = parse_space(read_named("--space", command.space), command.space);
  check_options(space, command.space);
  check_common_device(chosen, space);
  const std::string method = method_of(command, space);
  ThreadPool threads(chosen.threads);
  const TrainingTable table = chosen.in_double() ? read_training_table<double>(chosen, threads)
                                                 : read_training_table<float>(chosen, threads);
  const std::string base = training_toml(chosen);
  const SweepPlan plan = plan_of(command, table, base, space, method);
  for (const std::string& note : table.notes) std::cerr << "irn: " << one_line(note) << "\n";
  if (method != "grid" && plan.trials.size() < command.trials)
    std::cerr << fmt::format(
        "irn: --trials {}: there are only {} different combinations in {}; each is tried once\n",
        command.trials, plan.trials.size(), one_line(command.space));
  if (!chosen.quiet && !chosen.json)
    for (const std::string& line : table.taken) std::cerr << one_line(line) << "\n";
  SweepTeller teller(plan, chosen.quiet || chosen.json);
  stop_in_good_order();
  SweepState state;
  const SweepEnd end = run_sweep(
      plan, table, out, protocol_of(command, plan, table, base, method), threads, stop_requested,
      [&](const SweepState& s) { teller.tell(s); }, state);
  teller.finish();
  if (end == SweepEnd::interrupted) {
    std::cerr << fmt::format(
        "irn: interrupted; {} of {} trainings are kept in '{}'. The same command goes on.\n", state.done,
        state.total, out.string());
    return interrupted;
  }
  return finish(command, plan, state, table, base, out);
}

}  // namespace

Run add_sweep(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  TrainSettings& chosen = command->chosen;
  command->settings.group("Sweep")
      .add(
          "space", &command->space,
          "TOML file: for each option to vary, a list of values, or a range as in { low = 0.001, high = 0.1, "
          "log = true }")
      .called("FILE")
      .add("method", &command->method,
           "How trials are chosen: auto, grid, random, halving; auto: grid if no option has a range without "
           "steps, else random")
      .add("trials", &command->trials, "Number of trials, for random and halving");
  command->folds.declare(command->settings);
  chosen.declare_training(command->settings);
  command->settings.group("Run")
      .passing("out", &chosen.out,
               "Folder for the results, trials.csv, the report and the best model [DATA-sweep, in the "
               "current folder]")
      .called("FOLDER")
      .passing("threads", &chosen.threads, threads_help)
      .passing("quiet", &chosen.quiet, "No progress on standard error")
      .passing("json", &chosen.json, "Print the result as JSON")
      .pass_over("checkpoint-seconds");
  chosen.declare_directory(command->settings);
  command->settings.declare(
      app, "sweep", "Train with many combinations of options and keep the best model",
      "Examples:\n"
      "  irn sweep flowers.csv --target species --space space.toml\n"
      "  irn sweep flowers.csv --target species --space space.toml --method halving --trials 60\n"
      "with space.toml:\n"
      "  layers = [\"32\", \"64\", \"64-32\"]\n"
      "  rate = { low = 1e-3, high = 0.1, log = true }");
  return [command] { return run(*command); };
}

}  // namespace irn::app
