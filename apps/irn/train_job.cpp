#include "apps/irn/train_job.h"

#include <chrono>
#include <iostream>

#include <fmt/format.h>

#include "apps/irn/command.h"
#include "apps/irn/train_folder.h"
#include "apps/irn/train_result.h"
#include "apps/irn/train_words.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/model/checkpoint.h"
#include "irn/model/train_metrics.h"

namespace irn::app {
namespace {

using Clock = std::chrono::steady_clock;

// The settings for continuing later, perhaps elsewhere. The model's own copy does not contain the folder.
std::string with_directory(const std::string& configuration, TrainCommand& command) {
  std::string& directory = command.chosen.table.directory;
  if (directory.empty()) directory = std::filesystem::current_path().string();
  return configuration + (is_utf8(directory) ? command.settings.to_toml("directory") : "");
}

template <class T>
class Training {
 public:
  Training(TrainCommand& command, ThreadPool& threads, bool tell_result)
      : settings_(command.chosen),
        tell_result_(tell_result),
        folder_(settings_.folder()),
        table_(read_training_table<T>(settings_, threads)),
        run_(settings_, table_, table_.rows, threads),
        configuration_(command.settings.to_toml()),
        lasting_configuration_(with_directory(configuration_, command)),
        data_print_(fingerprint(table_)),
        progress_(settings_.quiet  ? Talk::quiet
                  : settings_.json ? Talk::json
                                   : Talk::lines,
                  score_name(run_.options()), run_.held_out()),
        result_{settings_, folder_, table_, run_, configuration_, threads},
        fit_(run_.fit()) {}

  int run() {
    begin();
    stop_in_good_order();
    while (!fit_.ended() && !stop_requested) {
      step();
      const double since = std::chrono::duration<double>(Clock::now() - saved_).count();
      // At a bad end the last good checkpoint stays.
      if (!fit_.ended() && since >= settings_.checkpoint_seconds) save();
    }
    progress_.finish();
    if (!fit_.ended()) return interrupt();
    return went_wrong(*fit_.ended()) || fit_.best().empty() ? give_up() : finish();
  }

 private:
  bool held_out() const { return run_.held_out(); }
  const Encoding& encoding() const { return run_.data().encoding; }

  void begin() {
    if (settings_.resume.empty()) {
      folder_.claim(settings_.overwrite);
      write_file_atomically(folder_.config(), lasting_configuration_);
    } else {
      folder_.lock();
      folder_.check_resumable();  // again: another program may have finished it while the data were read
      if (std::filesystem::exists(folder_.checkpoint())) restore();
      write_file_atomically(folder_.config(), lasting_configuration_);  // epochs may have grown
    }
    introduce(table_, run_, progress_);
    folder_.start_log(fit_.records(), held_out());
    saved_ = Clock::now();
  }

  // The settings of a checkpoint, completed with the defaults for what the writing version did not have.
  std::string in_todays_words(const std::string& configuration) const {
    TrainCommand saved;
    saved.chosen.declare(saved.settings);
    saved.settings.read_toml(configuration, folder_.checkpoint().string());
    saved.chosen.epochs = settings_.epochs;  // which may have grown
    saved.chosen.resolve_auto(run_.data().facts);
    return saved.settings.to_toml();
  }

  void restore() {
    Checkpoint<T> checkpoint = read_checkpoint<T>(folder_.checkpoint());
    if (in_todays_words(checkpoint.configuration) != configuration_)
      throw Error("the settings in '" + folder_.config().string() +
                  "' were changed since the training began; put them back, or begin anew with --overwrite");
    if (checkpoint.data != data_print_ || checkpoint.architecture != to_text(run_.network().architecture()))
      throw DataError(table_.frame->source() + ": the data has changed since the training in '" +
                      folder_.path().string() +
                      "' began; give it the same data, or begin anew with --overwrite");
    if (checkpoint.encoding != encoding())
      throw Error("the training in '" + folder_.path().string() +
                  "' was begun by another irn, which scaled the data otherwise; begin anew with --overwrite");
    fit_.restore(std::move(checkpoint.fit));
  }

  void step() {
    const std::size_t before = fit_.records().size();
    fit_.step();
    progress_.step(fit_);
    if (fit_.records().size() > before) folder_.log(fit_.records().back());
  }

  void save() {
    const std::string architecture = to_text(run_.network().architecture());
    write_checkpoint<T>(folder_.checkpoint(),
                        {architecture, configuration_, encoding(), data_print_, fit_.state()});
    if (!fit_.best().empty()) result_.write_best();
    saved_ = Clock::now();
  }

  int finish() {
    const Assessment assessment = run_.judge_best();
    result_.write_best(&assessment);  // first: on a full disk the model is worth more than the page
    result_.write_report(outcome_words(fit_), assessment);
    std::filesystem::remove(folder_.checkpoint());
    if (!settings_.fixed_threshold())
      progress_.say(fmt::format("'{}' is answered from a probability of {:.4g} on",
                                encoding().targets.front().categories.back(), encoding().threshold));
    tell_reached(run_, assessment, folder_.report().string(), progress_);
    if (tell_result_) result_.print(assessment);
    return fine;
  }

  int interrupt() {
    save();
    std::cerr << fmt::format("irn: interrupted after {} steps; to go on: irn train --resume {}{}\n",
                             fit_.steps_done(), shell_word(folder_.path().string()),
                             settings_.table.from_pipe() ? " < THE-SAME-DATA" : "");
    return interrupted;
  }

  // Keeps the checkpoint on disk, which is older.
  int give_up() {
    if (!fit_.best().empty()) {
      const Assessment assessment = run_.judge_best();
      result_.write_best(&assessment);
      result_.write_report(fmt::format("diverged in epoch {}", last_epoch(fit_)), assessment);
    }
    std::cerr << "irn: " << divergence_words(fit_, folder_.model().string()) << "\n";
    return diverged;
  }

  TrainSettings& settings_;
  bool tell_result_;  // on standard output
  TrainFolder folder_;
  TrainingTable table_;
  TrainRun<T> run_;
  std::string configuration_, lasting_configuration_, data_print_;
  TrainProgress progress_;
  TrainResult<T> result_;
  Fit<T>& fit_;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace

int run_training(TrainCommand& command, bool tell_result) {
  ThreadPool threads(command.chosen.threads);
  return command.chosen.in_double() ? Training<double>(command, threads, tell_result).run()
                                    : Training<float>(command, threads, tell_result).run();
}

}  // namespace irn::app
