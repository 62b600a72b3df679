// One training in memory: its data, network and fit, and the score of the best weights. Writes no file and
// prints nothing; `irn train` and cross-validation do that.
#pragma once

#include <memory>

#include "apps/irn/train_data.h"
#include "irn/model/assess.h"
#include "irn/model/model.h"
#include "irn/train/class_weighting.h"
#include "irn/train/fit.h"

namespace irn::app {

template <class T>
class TrainRun {
 public:
  // Resolves settings that are left to the table.
  TrainRun(TrainSettings& settings, const TrainingTable& table, std::span<const std::uint64_t> rows,
           ThreadPool& threads);

  const TrainingData<T>& data() const { return data_; }
  const FitOptions& options() const { return options_; }
  const NetworkOf<T>& network() const { return network_; }
  Fit<T>& fit() { return fit_; }
  const Fit<T>& fit() const { return fit_; }

  bool held_out() const { return data_.validation != nullptr; }
  // The rows that judge. They count once each, or as --weights says: class weights say what to learn, not
  // what is right.
  const Samples<T>& judges() const { return held_out() ? *data_.validation : *data_.training; }

  NetworkOf<T> best_network() const;
  SettleOptions settling() const { return gradient_of(options_.training).settle; }
  // The scores over the rows that judge. Chooses the threshold if the settings ask for it.
  Assessment judge_best();

 private:
  const TrainSettings& settings_;
  ThreadPool& threads_;
  TrainingData<T> data_;
  FitOptions options_;
  NetworkOf<T> network_;
  std::unique_ptr<ClassWeighted<T>> class_weighted_;  // the training rows, if --class-weights asks for it
  Fit<T> fit_;
};

extern template class TrainRun<float>;
extern template class TrainRun<double>;

}  // namespace irn::app
