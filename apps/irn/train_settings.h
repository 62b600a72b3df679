// The settings of `irn train`, and their translation for the library.
#pragma once

#include "apps/irn/data_settings.h"
#include "irn/data/encoding.h"
#include "irn/data/scaling.h"
#include "irn/train/defaults.h"
#include "irn/train/fit.h"

namespace irn::app {

// The rows that judge a training: a share of the rows, or those of a file. Neither: the training rows.
struct Judges {
  double share = 0;
  std::string file = {};
};

struct TrainSettings {
  DataSettings table;
  Words target, inputs, exclude, class_weights;
  std::string weights, metric = "loss", threshold = "0.5";
  std::string task = "auto", missing = "refuse", unknown = "refuse", scaling = "auto";
  std::string validation = "auto", images = "auto";
  Words dates = {"days"};
  std::string date_order = "auto", categories = "all";

  std::string from;
  std::string convolutions = "auto", layers = "auto", activation = "auto", recurrence = "lateral",
              architecture, start = "scaled";
  std::string solver = "auto", loss = "auto", gradient = "exact";
  double tolerance = 0;
  std::string device = "cpu";

  std::string optimiser = "auto", schedule = "cosine", noise = "auto", certify = "auto";
  std::string augment = "auto", average = "auto";
  double rate = 0, clip = 1, pull = 0, dropout = 0, least_settled = 0.5;
  bool normalise = false;
  Settings::AutoCount batch, epochs;
  std::size_t patience = 0, seed = 0;

  std::string precision = "float", out;
  std::size_t threads = 0;
  double checkpoint_seconds = 10;
  bool overwrite = false, quiet = false, json = false;
  std::string resume;

  void declare(Settings& settings);
  // declare_training(): the settings that determine the result. declare_run(): the rest, where the result is
  // kept and what is printed.
  void declare_training(Settings& settings);
  void declare_run(Settings& settings);
  void declare_directory(Settings& settings);
  // Data named on the command line are relative to the working directory, wherever the file of settings was
  // written. `given`: Settings::given().
  void forget_directory(const Words& given);

  // irn::Error for settings that make no sense for any table.
  void check() const;
  // The names of files among the settings must be UTF-8: settings are text, and so are models, which keep
  // them.
  void check_files() const;
  // The files that these settings name for reading. irn::Error if no data is named.
  Words files_read() const;

  EncodingOptions encoding_options() const;
  Scaling input_scaling(bool of_images) const;
  // Replace values of "auto" that depend on the table, of which `rows` rows can be used. First the rows held
  // out: the encoding depends on them, and the network's width on the encoding.
  void resolve_validation(std::size_t rows);
  void resolve_auto(const TableFacts& table);
  Judges judges() const;  // after resolve_validation
  // The architecture of a network with these inputs and outputs.
  Architecture network_architecture(std::size_t network_inputs, std::size_t network_outputs,
                                    const ImageShape& image) const;
  Start network_start() const;
  bool in_double() const;
  // For `samples` training samples of this task; schedules count steps.
  FitOptions fit_options(Task detected, std::size_t samples) const;
  std::string folder(const std::string& ending = "-model") const;
  Metric best_metric() const;
  // The probability from which the second of two classes is the answer; none: the rows that judge choose it.
  std::optional<double> fixed_threshold() const;
};

}  // namespace irn::app
