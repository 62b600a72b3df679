// A trained model for use in a program: from values to answers, one row or many at a time.
//
//   irn::Predictor predictor("flowers.irn");
//   irn::Prediction p = predictor.predict({5.1, "red"});
//   if (p.answered()) use(p.label, p.probabilities);
//
// A row has one value for each column of encoding().inputs, in that order and in the user's units; the model
// knows how to scale and encode them. row_encoder.h says what it refuses. A row without an answer has no
// values, unless PredictorOptions::unsettled asks for a substitute.
//
// For one thread at a time: give each thread its own predictor. The functions that fill `out` allocate
// nothing after their first call (with as many rows).
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "irn/base/device.h"
#include "irn/base/or_text.h"
#include "irn/model/model.h"
#include "irn/model/prediction.h"
#include "irn/model/value.h"

namespace irn {

struct PredictorOptions {
  Unsettled unsettled = Unsettled::empty;  // what stands for a missing answer (prediction.h)
  std::size_t threads = 1;                 // for many rows at once; 0 takes every hardware thread
  ThreadPool* pool = nullptr;              // used instead of new threads; must outlive the predictor
  // For a model of images: answers are means over this many views of a row, which differ as its training
  // images did (irn/train/views.h).
  std::size_t views = 1;
  OrText<Device> device = Device::cpu;  // whose engine settles, whatever the model's own settle.device says
};

class Predictor {
 public:
  // Throws irn::Error before anything is read if the device cannot be used.
  explicit Predictor(const std::filesystem::path& path, const PredictorOptions& options = {});
  explicit Predictor(AnyModel model, const PredictorOptions& options = {});
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const AnyModel& model() const;
  const Encoding& encoding() const;  // names the columns, the targets and the classes

  // Labels are stored in the model: they last as long as the predictor.
  Prediction predict(std::initializer_list<Value> row);
  Prediction predict(std::span<const Value> row);
  Prediction predict(std::span<const double> row);
  void predict(std::span<const Value> row, Prediction& out);
  void predict(std::span<const double> row, Prediction& out);

  // Any number of rows, one after the other; `out` receives one prediction for each. Messages count rows from
  // 0.
  void predict_rows(std::span<const Value> values, std::vector<Prediction>& out);
  void predict_rows(std::span<const double> values, std::vector<Prediction>& out);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace irn
