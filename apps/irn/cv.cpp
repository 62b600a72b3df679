// irn cv: how well a training with these settings answers for unseen rows, by cross-validation.
#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/command.h"
#include "apps/irn/cross_validation.h"
#include "apps/irn/cv_report.h"
#include "apps/irn/json_text.h"
#include "apps/irn/output_file.h"
#include "apps/irn/output_folder.h"
#include "apps/irn/terminal.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

struct Command {
  Settings settings;
  TrainSettings chosen;
  FoldSettings folds;
};

using Clock = std::chrono::steady_clock;

constexpr std::array<std::string_view, 4> result_names = {"folds.csv", "predictions.csv", "config.toml",
                                                          "report.html"};

// A line for every finished fold, with the time that the others will take.
class FoldTeller {
 public:
  FoldTeller(bool quiet, std::size_t jobs, const Encoding& encoding)
      : quiet_(quiet), jobs_(jobs), encoding_(encoding) {}

  void done(const FoldResult& result) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (quiet_) return;
    const auto [name, value] = result.assessment.numbers(encoding_).front();
    const double gone = std::chrono::duration<double>(Clock::now() - start_).count();
    const std::string which = result.repeat > 1 ? fmt::format("repeat {}, ", result.repeat) : "";
    std::cerr << fmt::format(
        "{}/{} done: {}fold {}, {}, best epoch {} of {}, {} left{}\n", done_, jobs_, which, result.number,
        std::isnan(value) ? "one row" : fmt::format("{} {:.4f}", name, value), result.best_epoch,
        result.epochs, clock_text(gone / double(done_) * double(jobs_ - done_)),
        result.diverged ? "; its training diverged" : "");
  }

 private:
  bool quiet_;
  std::size_t jobs_, done_ = 0;
  const Encoding& encoding_;
  std::mutex mutex_;
  Clock::time_point start_ = Clock::now();
};

void introduce(const TrainingTable& table, const CrossValidation& cv, std::size_t jobs) {
  std::cerr << fmt::format("{}: {} rows, {} columns\n", table.frame->source(), table.frame->rows(),
                           table.frame->width());
  for (const std::string& line : table.taken) std::cerr << one_line(line) << "\n";
  if (!table.task_reason.empty())
    std::cerr << (cv.encoding.task == Task::classification ? "classification: " : "regression: ")
              << table.task_reason << " (--task overrides)\n";
  if (table.dropped > 0) std::cerr << table.dropped << " rows with missing values left out\n";
  std::cerr << fmt::format("{} trainings, {}\n", jobs, cv.split);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int interrupt() {
  std::cerr << "irn: interrupted; nothing was written\n";
  return interrupted;
}

int run(Command& command) {
  command.settings.resolve();
  TrainSettings& chosen = command.chosen;
  chosen.forget_directory(command.settings.given());
  if (!command.folds.group.empty()) chosen.exclude.push_back(command.folds.group);
  chosen.check();
  const std::filesystem::path out = chosen.folder("-cv");
  check_output(out, result_names, chosen.overwrite);
  const Words read = chosen.files_read();
  for (const std::string_view name : result_names) refuse_input("--out", out / name, read);
  ThreadPool threads(chosen.threads);
  const TrainingTable table = chosen.in_double() ? read_training_table<double>(chosen, threads)
                                                 : read_training_table<float>(chosen, threads);
  const std::vector<FoldJob> jobs = make_folds(command.folds, table, chosen.seed);
  CrossValidation cv{.table = &table,
                     .encoding = plain_targets(table),
                     .split = command.folds.chosen_split(*table.options.task),
                     .results = std::vector<FoldResult>(jobs.size())};
  stop_in_good_order();
  const ReadyFolder ready(out, "irn cv");
  check_output(out, result_names, chosen.overwrite);  // again: another one may have ended here meanwhile
  for (const std::string& note : table.notes)
    std::cerr << (chosen.quiet || chosen.json ? "irn: " : "") << one_line(note) << "\n";
  if (!chosen.quiet && !chosen.json) introduce(table, cv, jobs.size());
  const Clock::time_point start = Clock::now();
  FoldTeller teller(chosen.quiet || chosen.json, jobs.size(), cv.encoding);
  try {
    threads.for_each(jobs.size(), [&](std::size_t task, std::size_t) {
      cv.results[task] = run_fold(chosen, table, jobs[task], stop_requested);
      teller.done(cv.results[task]);
    });
  } catch (const FoldInterrupted&) {
    return interrupt();
  }
  cv.finish();
  const std::string configuration = command.settings.to_toml();
  const std::array<std::string, 4> contents = {folds_csv(cv), predictions_csv(cv), configuration,
                                               cv_page(cv, configuration, seconds_since(start))};
  write_results(out, result_names, contents);
  if (chosen.json)
    std::cout << json_text(cv_json(cv, out.string()), 2);
  else
    std::cout << cv_text(cv) << (out / "report.html").string() << "\n";
  return fine;
}

}  // namespace

Run add_cv(CLI::App& app) {
  const auto command = std::make_shared<Command>();
  TrainSettings& chosen = command->chosen;
  command->folds.declare(command->settings);
  chosen.declare_training(command->settings);
  command->settings.group("Run")
      .passing("out", &chosen.out,
               "Folder for folds.csv, predictions.csv and the report [DATA-cv, in the current folder]")
      .called("FOLDER")
      .passing("threads", &chosen.threads, threads_help)
      .passing("overwrite", &chosen.overwrite, "Replace the results in the folder")
      .passing("quiet", &chosen.quiet, "No progress on standard error")
      .passing("json", &chosen.json, "Print the result as JSON")
      .pass_over("checkpoint-seconds");
  chosen.declare_directory(command->settings);
  command->settings.declare(app, "cv",
                            "Estimate by cross-validation how well a model answers rows it has not seen",
                            "Examples:\n"
                            "  irn cv flowers.csv --target species\n"
                            "  irn cv prices.csv --target price --folds 10 --repeats 3 --layers 32\n"
                            "  irn cv visits.csv --target ill --group patient --metric roc_auc\n"
                            "  irn cv sales.csv --target sold --order day");
  return [command] { return run(*command); };
}

}  // namespace irn::app
