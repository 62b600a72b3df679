// The page of a training: what was asked for, how it went, how good the result is, how to repeat it.
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
  Metric metric = Metric::loss;          // that chose it, and that the curve is of unless it is the loss
  std::string configuration, command;    // TOML, and the shell command that repeats it
  std::string date;                      // when it ended
  double noise = 0;                      // on the scaled inputs while training
  bool changes = false;                  // whether images changed while training
  report::Table columns = {};            // what stands in the table
  std::vector<std::string> taken = {};   // what columns were taken for
  std::vector<std::string> layers = {};  // what the network's text means
  TrainInsight insight = {};
};

std::string train_report(const TrainStory& story, const std::vector<EpochRecord>& records,
                         const Assessment& assessment, const Encoding& encoding);

}  // namespace irn::app
