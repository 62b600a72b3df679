#include "apps/irn/train_words.h"

#include <fmt/format.h>

#include "apps/irn/counted.h"
#include "apps/irn/model_notes.h"
#include "irn/model/train_metrics.h"

namespace irn::app {
namespace {

std::string certificate_words(const Architecture& architecture, const TrainOptions& training) {
  if (!architecture.recurrent()) return "no certificate";
  if (training.certify > 0) return fmt::format("certified, bound {:g}", training.certify);
  if (training.pull == 0) return "no certificate";
  return fmt::format("no certificate; rows that do not settle pull towards the bound {:g}", training.pull);
}

template <class T>
std::string network_line(const TrainRun<T>& run) {
  const TrainingData<T>& data = run.data();
  return fmt::format("network {}, {} parameters; {} to train on, {}", to_text(run.network().architecture()),
                     run.network().parameters().size(), counted(data.training->size(), "row"),
                     run.held_out() ? fmt::format("{} held out to judge by", data.validation->size())
                                    : "none held out: scores are of the training rows");
}

std::string further_words(const FitOptions& options) {
  std::string words;
  if (options.training.dropout > 0) words += fmt::format("; dropout {:g}", options.training.dropout);
  if (options.training.normalise) words += "; weights normalised";
  if (options.average > 0) words += fmt::format("; weights averaged, {:g}", options.average);
  return words;
}

template <class T>
std::string training_line(const TrainRun<T>& run) {
  const FitOptions& options = run.options();
  return fmt::format("at most {} of batches of {}, {}; {}{}", counted(options.epochs, "epoch"), options.batch,
                     to_text(options.training.optimiser),
                     certificate_words(run.network().architecture(), options.training),
                     further_words(options));
}

// Empty if the rows are no images.
std::string images_line(const FitOptions& options) {
  if (options.image.none()) return "";
  const std::string changes = to_text(options.augmentation);
  return fmt::format("images of {}{}", to_text(options.image),
                     options.augmentation.none() ? "" : ", changed while training: " + changes);
}

template <class T>
std::string what_went_wrong(const Fit<T>& fit) {
  const std::size_t epoch = last_epoch(fit);
  if (fit.ended() == FitEnd::not_finite)
    return fmt::format("the loss stopped being finite in epoch {}", epoch);
  if (fit.ended() == FitEnd::unsettled)
    return fmt::format("only {:.3g} % of the equilibria settled in epoch {}, less than --least-settled {}",
                       100 * fit.records().back().settled, epoch, fit.options().least_settled);
  if (fit.ended() == FitEnd::no_gradient)
    return fmt::format(
        "no sample of epoch {} gave a gradient that could be used (none settled, or all lie at a fold)",
        epoch);
  return "in no epoch did any of the samples to judge by settle";
}

template <class T>
std::string what_to_try(const Fit<T>& fit) {
  const TrainOptions& training = fit.options().training;
  return fmt::format(
      "Try a lower rate (--rate {:.2g}), a smaller step (--clip 0.1), {}or less recurrence (--recurrence "
      "none "
      "tells whether it is the cause)",
      fit.sums().rate > 0 ? fit.sums().rate / 3 : 0.001,
      training.certify > 0 || training.pull > 0
          ? ""
          : "a certificate (--certify 0.95), rows that pull back (--pull 0.95), ");
}

}  // namespace

template <class T>
std::vector<std::string> notes_on(const TrainingTable& table, const TrainRun<T>& run) {
  std::vector<std::string> all = table.notes;
  all.insert(all.end(), run.data().notes.begin(), run.data().notes.end());
  return all;
}

template <class T>
void introduce(const TrainingTable& table, const TrainRun<T>& run, TrainProgress& progress) {
  const bool classes = run.data().encoding.task == Task::classification;
  progress.say(fmt::format("{}: {}, {}", table.frame->source(), counted(table.frame->rows(), "row"),
                           counted(table.frame->width(), "column")));
  for (const std::string& note : notes_on(table, run)) progress.warn(note);
  for (const std::string& line : table.taken) progress.say(line);
  progress.say((classes ? "classification" : "regression") +
               (table.task_reason.empty() ? "" : ": " + table.task_reason + " (--task overrides)"));
  if (const std::string line = images_line(run.options()); !line.empty()) progress.say(line);
  progress.say(network_line(run));
  progress.say(training_line(run));
  if (table.dropped > 0) progress.say(counted(table.dropped, "row") + " with missing values left out");
  if (const Fit<T>& fit = run.fit(); fit.steps_done() > 0)
    progress.say(
        fmt::format("going on after {} steps, in epoch {}", fit.steps_done(), fit.records().size() + 1));
}

template <class T>
std::string outcome_words(const Fit<T>& fit) {
  const std::size_t epochs = fit.records().size();
  if (fit.ended() == FitEnd::patience)
    return fmt::format("after epoch {}: no improvement for {}", epochs, fit.options().patience);
  return fmt::format("after {}", epochs == 1 ? "one epoch" : fmt::format("all {} epochs", epochs));
}

template <class T>
void tell_reached(const TrainRun<T>& run, const Assessment& assessment, const std::string& report,
                  TrainProgress& progress) {
  const FitOptions& options = run.options();
  const Summary& judged = assessment.summary;
  const double reached =
      options.metric == Metric::loss ? assessment.score() : assessment.value(options.metric);
  progress.say(fmt::format("ended {}; best epoch {}: {} {} {:.4f}, {:.4g} % settled. Report: {}",
                           outcome_words(run.fit()), run.fit().best_epoch(), judged_by(run.held_out()),
                           score_name(options), reached, 100 * judged.settled_share(), report));
  if (const std::size_t without = judged.samples - judged.answered(); without > 0)
    progress.say(fmt::format("{} of {} that judge did not settle and have no answer; {}", without,
                             counted(judged.samples, "row"), settling_advice(options.training.certify > 0)));
}

template <class T>
std::size_t last_epoch(const Fit<T>& fit) {
  return fit.records().size() + (fit.ended() == FitEnd::not_finite ? 1 : 0);
}

template <class T>
std::string divergence_words(const Fit<T>& fit, const std::string& model) {
  const std::string kept =
      fit.best().empty() ? "no weights were good enough to keep"
                         : fmt::format("the weights of epoch {} are kept in {}", fit.best_epoch(), model);
  return fmt::format("training diverged: {}; {}. {}", what_went_wrong(fit), kept, what_to_try(fit));
}

#define IRN_INSTANTIATE(T)                                                                               \
  template std::vector<std::string> notes_on(const TrainingTable&, const TrainRun<T>&);                  \
  template void introduce(const TrainingTable&, const TrainRun<T>&, TrainProgress&);                     \
  template std::string outcome_words(const Fit<T>&);                                                     \
  template void tell_reached(const TrainRun<T>&, const Assessment&, const std::string&, TrainProgress&); \
  template std::size_t last_epoch(const Fit<T>&);                                                        \
  template std::string divergence_words(const Fit<T>&, const std::string&)
IRN_INSTANTIATE(float);
IRN_INSTANTIATE(double);
#undef IRN_INSTANTIATE

}  // namespace irn::app
