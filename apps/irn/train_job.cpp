#include "apps/irn/train_job.h"

#include <chrono>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/column_summary.h"
#include "apps/irn/command.h"
#include "apps/irn/date_now.h"
#include "apps/irn/metric_json.h"
#include "apps/irn/model_notes.h"
#include "apps/irn/network_words.h"
#include "apps/irn/train_folder.h"
#include "apps/irn/train_progress.h"
#include "apps/irn/train_report.h"
#include "apps/irn/train_run.h"
#include "irn/base/file.h"
#include "irn/base/text.h"
#include "irn/model/checkpoint.h"
#include "irn/model/model.h"
#include "irn/model/train_metrics.h"

namespace irn::app {
namespace {

using Clock = std::chrono::steady_clock;

// The settings for another time, which may be another place; the model's own copy of them does not tell where it was made.
std::string with_directory(const std::string& configuration, TrainCommand& command) {
  std::string& directory = command.chosen.table.directory;
  if (directory.empty()) directory = std::filesystem::current_path().string();
  return configuration + (is_utf8(directory) ? command.settings.to_toml("directory") : "");
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

template <class T>
class Training {
 public:
  Training(TrainCommand& command, ThreadPool& threads, bool tell_result)
      : settings_(command.chosen),
        threads_(threads),
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
        fit_(run_.fit()),
        options_(run_.options()) {}

  int run() {
    begin();
    stop_in_good_order();
    while (!fit_.ended() && !stop_requested) {
      step();
      const double since = std::chrono::duration<double>(Clock::now() - saved_).count();
      if (!fit_.ended() && since >= settings_.checkpoint_seconds)
        save();  // a bad end leaves the last good one
    }
    progress_.finish();
    if (!fit_.ended()) return interrupt();
    return went_wrong(*fit_.ended()) || fit_.best().empty() ? give_up() : finish();
  }

 private:
  bool held_out() const { return run_.held_out(); }
  const Encoding& encoding() const { return run_.data().encoding; }
  std::vector<std::string> notes() const {
    std::vector<std::string> all = table_.notes;
    all.insert(all.end(), run_.data().notes.begin(), run_.data().notes.end());
    return all;
  }

  void begin() {
    if (settings_.resume.empty()) {
      folder_.claim();
      write_file_atomically(folder_.config(), lasting_configuration_);
    } else {
      folder_.lock();
      if (std::filesystem::exists(folder_.checkpoint())) restore();
      write_file_atomically(folder_.config(), lasting_configuration_);  // epochs may have grown
    }
    introduce();
    folder_.start_log(fit_.records(), held_out());
    saved_ = Clock::now();
  }

  void introduce() {
    const Frame& frame = *table_.frame;
    const TrainingData<T>& data = run_.data();
    const NetworkOf<T>& network = run_.network();
    const bool classes = data.encoding.task == Task::classification;
    progress_.say(fmt::format("{}: {}, {}", frame.source(), counted(frame.rows(), "row"),
                              counted(frame.width(), "column")));
    for (const std::string& note : notes()) progress_.warn(note);
    for (const std::string& line : table_.taken) progress_.say(line);
    progress_.say((classes ? "classification" : "regression") +
                  (table_.task_reason.empty() ? "" : ": " + table_.task_reason + " (--task overrides)"));
    progress_.say(fmt::format("network {}, {} parameters; {} to train on, {}",
                              to_text(network.architecture()), network.parameters().size(),
                              counted(data.training->size(), "row"),
                              held_out() ? fmt::format("{} held out to judge by", data.validation->size())
                                         : "none held out: scores are of the training rows"));
    progress_.say(fmt::format("at most {} of batches of {}, {}; {}", counted(options_.epochs, "epoch"),
                              options_.batch, to_text(options_.training.optimiser), certificate_words()));
    if (table_.dropped > 0) progress_.say(counted(table_.dropped, "row") + " with missing values left out");
    if (fit_.steps_done() > 0)
      progress_.say(
          fmt::format("going on after {} steps, in epoch {}", fit_.steps_done(), fit_.records().size() + 1));
  }

  std::string certificate_words() const {
    const TrainOptions& training = options_.training;
    if (!run_.network().architecture().recurrent()) return "no certificate";
    if (training.certify > 0) return fmt::format("certified, bound {:g}", training.certify);
    if (training.pull == 0) return "no certificate";
    return fmt::format("no certificate; rows that do not settle pull towards the bound {:g}", training.pull);
  }

  // The settings of a checkpoint, with the defaults of what the irn that wrote it did not know.
  std::string in_todays_words(const std::string& configuration) const {
    TrainCommand saved;
    saved.chosen.declare(saved.settings);
    saved.chosen.certify = "0";  // what 0.1 did, which had no word for it
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
    if (!fit_.best().empty()) write_best();
    saved_ = Clock::now();
  }

  std::map<std::string, double> metrics(const Assessment* assessment) const {
    return metrics_of(fit_.records(), fit_.best_epoch(), fit_.ended(), held_out(), options_, assessment,
                      encoding());
  }

  void write_best(const Assessment* assessment = nullptr) const {
    write_model<T>(folder_.model(), {.network = run_.best_network(),
                                     .encoding = encoding(),
                                     .settle = run_.settling(),
                                     .configuration = configuration_,
                                     .seed = settings_.seed,
                                     .metrics = metrics(assessment),
                                     .loss = options_.training.loss});
  }

  void write_report(const std::string& outcome, const Assessment& assessment) const {
    const TrainStory story{
        .data = table_.frame->source(),
        .network = to_text(run_.network().architecture()),
        .parameters = run_.network().parameters().size(),
        .training_samples = run_.data().training->size(),
        .validation_samples = held_out() ? run_.data().validation->size() : 0,
        .certified = options_.training.certify > 0,
        .outcome = outcome,
        .best_epoch = fit_.best_epoch(),
        .metric = options_.metric,
        .configuration = configuration_,
        .command = "irn train --config " + shell_word(folder_.config().string()) + " --out OTHER-FOLDER",
        .date = date_now(),
        .noise = options_.noise,
        .columns = column_summary(*table_.frame, encoding(), table_.rows),
        .taken = table_.taken,
        .layers = network_words(run_.network().architecture()),
        .insight = look_into(run_, threads_)};
    write_file_atomically(folder_.report(), train_report(story, fit_.records(), assessment, encoding()));
  }

  void say_unsettled(const Summary& judged) {
    if (const std::size_t without = judged.samples - judged.answered(); without > 0)
      progress_.say(fmt::format("{} of {} that judge did not settle and have no answer; {}", without,
                                counted(judged.samples, "row"),
                                settling_advice(options_.training.certify > 0)));
  }

  int finish() {
    const std::size_t epochs = fit_.records().size();
    const std::string outcome =
        fit_.ended() == FitEnd::patience
            ? fmt::format("after epoch {}: no improvement for {}", epochs, options_.patience)
            : fmt::format("after {}", epochs == 1 ? "one epoch" : fmt::format("all {} epochs", epochs));
    const Assessment assessment = run_.judge_best();
    write_best(&assessment);  // first: on a disk that is full the model is worth more than its page
    write_report(outcome, assessment);
    std::filesystem::remove(folder_.checkpoint());
    const double reached =
        options_.metric == Metric::loss ? assessment.score() : assessment.value(options_.metric);
    if (!settings_.fixed_threshold())
      progress_.say(fmt::format("'{}' is answered from a probability of {:.4g} on",
                                encoding().targets.front().categories.back(), encoding().threshold));
    progress_.say(fmt::format("ended {}; best epoch {}: {} {} {:.4f}, {:.4g} % settled. Report: {}", outcome,
                              fit_.best_epoch(), judged_by(held_out()), score_name(options_), reached,
                              100 * assessment.summary.settled_share(), folder_.report().string()));
    say_unsettled(assessment.summary);
    if (!tell_result_) return fine;
    if (settings_.json) {
      nlohmann::ordered_json json = {{"model", folder_.model().string()},
                                     {"report", folder_.report().string()}};
      for (const auto& [key, value] : metrics(&assessment)) json[key] = metric_json(key, value);
      if (!notes().empty()) json["notes"] = notes();
      if (!table_.taken.empty()) json["columns_taken"] = table_.taken;
      std::cout << json.dump() << "\n";
    } else {
      std::cout << folder_.model().string() << "\n";
    }
    return fine;
  }

  int interrupt() {
    save();
    std::cerr << fmt::format("irn: interrupted after {} steps; to go on: irn train --resume {}{}\n",
                             fit_.steps_done(), shell_word(folder_.path().string()),
                             settings_.table.from_pipe() ? " < THE-SAME-DATA" : "");
    return interrupted;
  }

  std::string what_went_wrong(std::size_t epoch) const {
    if (fit_.ended() == FitEnd::not_finite)
      return fmt::format("the loss stopped being finite in epoch {}", epoch);
    if (fit_.ended() == FitEnd::unsettled)
      return fmt::format("only {:.3g} % of the equilibria settled in epoch {}, less than --least-settled {}",
                         100 * fit_.records().back().settled, epoch, options_.least_settled);
    if (fit_.ended() == FitEnd::no_gradient)
      return fmt::format(
          "no sample of epoch {} gave a gradient that could be used (none settled, or all lie at a fold)",
          epoch);
    return "in no epoch did any of the samples to judge by settle";
  }

  // The checkpoint on the disk is of before: it stays.
  int give_up() {
    const std::size_t epoch = fit_.records().size() + (fit_.ended() == FitEnd::not_finite ? 1 : 0);
    const bool kept = !fit_.best().empty();
    if (kept) {
      const Assessment assessment = run_.judge_best();
      write_best(&assessment);
      write_report(fmt::format("diverged in epoch {}", epoch), assessment);
    }
    std::cerr << fmt::format(
        "irn: training diverged: {}; {}. Try a lower rate (--rate {:.2g}), a smaller step (--clip 0.1), {}or "
        "less "
        "recurrence (--recurrence none tells whether it is the cause)\n",
        what_went_wrong(epoch),
        kept ? fmt::format("the weights of epoch {} are kept in {}", fit_.best_epoch(),
                           folder_.model().string())
             : "no weights were good enough to keep",
        fit_.sums().rate > 0 ? fit_.sums().rate / 3 : 0.001,
        options_.training.certify > 0 || options_.training.pull > 0
            ? ""
            : "a certificate (--certify 0.95), rows that pull back (--pull 0.95), ");
    return diverged;
  }

  TrainSettings& settings_;
  ThreadPool& threads_;
  bool tell_result_;  // on standard output
  TrainFolder folder_;
  TrainingTable table_;
  TrainRun<T> run_;
  std::string configuration_, lasting_configuration_, data_print_;
  TrainProgress progress_;
  Fit<T>& fit_;
  const FitOptions& options_;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace

int run_training(TrainCommand& command, bool tell_result) {
  ThreadPool threads(command.chosen.threads);
  return command.chosen.in_double() ? Training<double>(command, threads, tell_result).run()
                                    : Training<float>(command, threads, tell_result).run();
}

}  // namespace irn::app
