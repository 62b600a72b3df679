// The page of a training: what was requested, how training went, how good the result is, how to repeat it.
#pragma once

#include <string>
#include <vector>

#include "apps/irn/train_insight.h"
#include "irn/data/encoding.h"
#include "irn/model/assess.h"
#include "irn/report/page.h"
#include "irn/train/fit.h"

namespace irn::app {

struct TrainStory {
  std::string data;                                                          // the file's name
  std::string network;                                                       // text form
  std::size_t parameters = 0, training_samples = 0, validation_samples = 0;  // 0: the training samples judge
  bool certified = false;
  std::string outcome;  // "all 200 epochs", "interrupted in epoch 7"
  std::size_t best_epoch = 0;
  // Chose the best epoch; the curve shows it, unless it is the loss.
  Metric metric = Metric::loss;
  std::string configuration, command;    // TOML, and the shell command that repeats it
  std::string date;                      // when it ended
  double noise = 0;                      // on the scaled inputs while training
  bool changes = false;                  // whether images changed while training
  report::Table columns = {};            // the columns of the table
  std::vector<std::string> taken = {};   // what the columns were taken for
  std::vector<std::string> layers = {};  // what the network's text means
  TrainInsight insight = {};
};

std::string train_report(const TrainStory& story, const std::vector<EpochRecord>& records,
                         const Assessment& assessment, const Encoding& encoding);

}  // namespace irn::app
