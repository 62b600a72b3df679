#include "apps/irn/train_result.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/irn/column_summary.h"
#include "apps/irn/json_text.h"
#include "apps/irn/metric_json.h"
#include "apps/irn/network_words.h"
#include "apps/irn/train_report.h"
#include "apps/irn/train_words.h"
#include "irn/base/file.h"
#include "irn/model/train_metrics.h"
#include "irn/report/time_words.h"

namespace irn::app {

template <class T>
std::map<std::string, double> TrainResult<T>::metrics(const Assessment* assessment) const {
  const Fit<T>& fit = run.fit();
  return metrics_of(fit.records(), fit.best_epoch(), fit.ended(), run.held_out(), run.options(), assessment,
                    run.data().encoding);
}

template <class T>
void TrainResult<T>::write_best(const Assessment* assessment) const {
  write_model<T>(folder.model(), {.network = run.best_network(),
                                  .encoding = run.data().encoding,
                                  .settle = run.settling(),
                                  .configuration = configuration,
                                  .seed = settings.seed,
                                  .metrics = metrics(assessment),
                                  .loss = run.options().training.loss,
                                  .augmentation = run.options().augmentation});
}

template <class T>
void TrainResult<T>::write_report(const std::string& outcome, const Assessment& assessment) const {
  const Architecture& architecture = run.network().architecture();
  const Encoding& encoding = run.data().encoding;
  const TrainStory story{
      .data = table.frame->source(),
      .network = to_text(architecture),
      .parameters = run.network().parameters().size(),
      .training_samples = run.data().training->size(),
      .validation_samples = run.held_out() ? run.data().validation->size() : 0,
      .certified = run.options().training.certify > 0,
      .outcome = outcome,
      .best_epoch = run.fit().best_epoch(),
      .metric = run.options().metric,
      .configuration = configuration,
      .command = "irn train --config " + shell_word(folder.config().string()) + " --out OTHER-FOLDER",
      .date = report::date_now(),
      .noise = run.options().noise,
      .changes = !run.options().augmentation.none(),
      .columns = column_summary(*table.frame, encoding, table.rows),
      .taken = table.taken,
      .layers = network_words(architecture),
      .insight = look_into(run, threads)};
  write_file_atomically(folder.report(), train_report(story, run.fit().records(), assessment, encoding));
}

template <class T>
void TrainResult<T>::print(const Assessment& assessment) const {
  if (!settings.json) {
    std::cout << folder.model().string() << "\n";
    return;
  }
  nlohmann::ordered_json json = {{"model", folder.model().string()}, {"report", folder.report().string()}};
  for (const auto& [key, value] : metrics(&assessment)) json[key] = metric_json(key, value);
  if (const auto notes = notes_on(table, run); !notes.empty()) json["notes"] = notes;
  if (!table.taken.empty()) json["columns_taken"] = table.taken;
  std::cout << json_text(json);
}

template struct TrainResult<float>;
template struct TrainResult<double>;

}  // namespace irn::app
