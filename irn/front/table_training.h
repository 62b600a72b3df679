// Trains a model on a table within a program, as `irn train` does: encodes the columns, holds out some rows,
// trains to the end and takes the best weights. The same table, options and seed give the same weights as
// `irn train`.
//
//   irn::TableTraining training(irn::read_table("flowers.csv", {}, threads),
//                               {.encoding = {.targets = {"species"}}});
//   while (!training.ended()) training.step();
//   irn::Predictor predictor(training.model());
//
// Writes no files. For one caller at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "irn/base/device.h"
#include "irn/base/or_text.h"
#include "irn/data/encoding.h"
#include "irn/front/view.h"
#include "irn/model/model.h"
#include "irn/network/network.h"
#include "irn/train/defaults.h"
#include "irn/train/fit.h"

namespace irn {

// Options that are left open ("auto", no value) depend on the table: see irn/train/defaults.h.
struct TableTrainingOptions {
  EncodingOptions encoding = {};                // columns, task, what becomes of gaps
  std::string weights = {};                     // column that says how much each row counts; it is no input
  std::vector<std::string> class_weights = {};  // "balanced", or "NAME=WEIGHT" for some of the classes
  std::string scaling = "auto";                 // of the inputs: columns, common, none
  // Shape of rows that are images: "28x28", "3x32x32", "none", or "auto", which takes what the table's file
  // says (irn/data/image.h).
  std::string images = "auto";
  std::optional<double> validation = {};  // share of the rows held out to judge by

  std::optional<std::vector<std::size_t>> layers = {};
  // For images: layers of filters, as in "32k5s2,64k3" (irn/train/image_architecture.h), or "none".
  std::string convolutions = "auto";
  std::string activation = "auto", recurrence = "lateral";
  std::string architecture = {};  // the whole network instead
  Start start = Start::scaled;
  Precision precision = Precision::float32;

  OrText<Solver> solver = Auto{};
  double tolerance = 0;
  OrText<Gradient> gradient = ExactGradient{};
  std::string loss = "auto", optimiser = "auto";
  double rate = 0;  // of the optimiser; 0: its own
  OrText<Schedule> schedule = CosineRate{};
  std::optional<std::size_t> batch = {}, epochs = {};
  std::optional<double> noise = {}, certify = {};
  // How images change in training, as in "shift=2,rotate=10" (irn/train/augmentation.h).
  std::string augment = "auto";
  std::optional<double> average = {};  // of the weights (FitOptions::average)
  std::size_t patience = 0;
  std::string metric = "loss";  // by which the best weights are chosen (irn/train/metrics.h)
  // The probability from which the second of two classes is the answer. None: the threshold with the best
  // metric over the judging rows.
  std::optional<double> threshold = 0.5;
  double clip = 1, pull = 0, dropout = 0, least_settled = 0.5;
  bool normalise = false;               // weights as lengths and directions
  OrText<Device> device = Device::cpu;  // where training computes; the model runs on any
  std::uint64_t seed = 0;
  std::string configuration = {};  // for the model file: what this training was asked for
};

// What may come with the table.
struct TableTrainingData {
  std::vector<double> weights = {};        // one a row of the table, instead of a column; none: 1 each
  std::unique_ptr<Frame> judges = {};      // rows to judge by, instead of some of the table's
  std::vector<double> judge_weights = {};  // one a row of these
  const AnyModel* from = nullptr;          // goes on with this model's weights and encoding
};

class TableTraining {
 public:
  // Throws irn::Error before anything else if the device cannot be used.
  TableTraining(Frame table, const TableTrainingOptions& options, TableTrainingData more = {});
  ~TableTraining();
  TableTraining(TableTraining&&) noexcept;

  // One step of the optimiser; the last one of an epoch adds a record. Must not be called after the end.
  StepReport step();
  std::optional<FitEnd> ended() const;
  const std::vector<EpochRecord>& records() const;
  std::size_t best_epoch() const;  // 0 if there is none
  const FitOptions& options() const;
  const Architecture& architecture() const;
  const Encoding& encoding() const;
  std::size_t training_rows() const;
  std::size_t judging_rows() const;        // held out, or of `judges`; 0: the training rows judge
  std::size_t dropped_rows() const;        // for a missing value
  const std::string& task_reason() const;  // why it is this task, if nobody said

  // The model with the best weights so far. Throws irn::Error if no epoch has any.
  AnyModel model() const;

  struct Inside;

 private:
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
