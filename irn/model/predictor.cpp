#include "irn/model/predictor.h"

#include <algorithm>
#include <numeric>

#include "irn/engine/devices.h"
#include "irn/model/row_encoder.h"
#include "irn/train/views.h"

namespace irn {
namespace {

// Encoded rows, one after the other.
template <class T>
class Rows final : public Samples<T> {
 public:
  explicit Rows(std::size_t inputs) : inputs_(inputs) {}
  void resize(std::size_t count) { values_.resize(count * inputs_); }
  T* row(std::size_t i) { return values_.data() + i * inputs_; }

  std::size_t size() const override { return values_.size() / inputs_; }
  std::size_t inputs() const override { return inputs_; }
  std::size_t targets() const override { return 0; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override {
    check_lanes(index, size(), width);
    for (std::size_t k = 0; k < inputs_; ++k)
      for (std::size_t lane = 0; lane < width; ++lane)
        out[k * width + lane] = lane < index.size() ? values_[index[lane] * inputs_ + k] : T(0);
  }
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    check_samples(index, size());
    for (const std::uint64_t i : index) out = std::copy_n(values_.data() + i * inputs_, inputs_, out);
  }
  void targets_as_rows(std::span<const std::uint64_t>, T*) const override {}

 private:
  std::size_t inputs_;
  std::vector<T> values_;
};

SettleOptions settling_on(Device device, SettleOptions settle) {
  settle.device = device;
  return for_answers(settle);
}

template <class T>
class RowPredictor {
 public:
  RowPredictor(const ModelOf<T>& model, const PredictorOptions& options, ThreadPool& threads)
      : model_(model),
        unsettled_(options.unsettled),
        views_{options.views, model.augmentation, model.encoding.image},
        encoder_(model.encoding),
        settler_(model.network, settling_on(options.device, model.settle), threads),
        rows_(model.network.architecture().inputs()) {
    check_fits(model.encoding, model.network.architecture());
    check_unsettled(unsettled_, model.encoding);
    check_views(views_);
  }

  template <class Given>
  void predict(std::span<const Given> row, Prediction& out) {
    rows_.resize(1);
    encoder_.encode(row, rows_.row(0));
    settle(1);
    decode_row(0, out);
  }

  template <class Given>
  void predict_rows(std::span<const Given> values, std::vector<Prediction>& out) {
    const std::size_t columns = encoder_.columns(), count = values.size() / columns;
    if (values.size() % columns != 0)
      throw Error(std::to_string(values.size()) + " values are no whole number of rows of " +
                  std::to_string(columns) + " columns");
    rows_.resize(count);
    for (std::size_t i = 0; i < count; ++i) encode_row(values.subspan(i * columns, columns), i);
    settle(count);
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) decode_row(i, out[i]);
  }

 private:
  template <class Given>
  void encode_row(std::span<const Given> row, std::size_t i) {
    try {
      encoder_.encode(row, rows_.row(i));
    } catch (const DataError& error) {
      throw DataError("row " + std::to_string(i) + ", " + error.what());
    }
  }
  void settle(std::size_t count) {
    index_.resize(count);
    std::iota(index_.begin(), index_.end(), std::uint64_t{0});
    const bool classes = model_.encoding.task == Task::classification;
    if (views_.count == 1)
      settler_.settle(rows_, index_, states_);
    else
      states_ = settle_views<T>(settler_, rows_, views_, classes ? model_.encoding.target_width() : 0);
  }
  void decode_row(std::size_t i, Prediction& out) const {
    const std::size_t first = views_.count == 1 ? model_.network.architecture().first_output() : 0;
    const std::span<const T> outputs = states_.state(i).subspan(first);
    decode(model_.encoding, outputs, states_.verdicts[i], unsettled_, out);
  }

  const ModelOf<T>& model_;
  Unsettled unsettled_;
  Views views_;
  RowEncoder<T> encoder_;
  Settler<T> settler_;
  Rows<T> rows_;
  std::vector<std::uint64_t> index_;
  Equilibria<T> states_;
};

using AnyPredictor =
    std::variant<std::unique_ptr<RowPredictor<float>>, std::unique_ptr<RowPredictor<double>>>;

AnyModel read_for(const std::filesystem::path& path, const PredictorOptions& options) {
  check_device(options.device);
  return read_model(path);
}

AnyPredictor make_row_predictor(const AnyModel& any, const PredictorOptions& options, ThreadPool& threads) {
  return std::visit(
      [&]<class T>(const ModelOf<T>& model) -> AnyPredictor {
        return std::make_unique<RowPredictor<T>>(model, options, threads);
      },
      any);
}

}  // namespace

struct Predictor::Inside {
  Inside(AnyModel any, const PredictorOptions& options)
      : model(std::move(any)),
        own(options.pool ? 1 : options.threads),
        rows(make_row_predictor(model, options, options.pool ? *options.pool : own)) {}

  AnyModel model;
  ThreadPool own;
  AnyPredictor rows;
};

Predictor::Predictor(const std::filesystem::path& path, const PredictorOptions& options)
    : Predictor(read_for(path, options), options) {}
Predictor::Predictor(AnyModel model, const PredictorOptions& options)
    : inside_(std::make_unique<Inside>(std::move(model), options)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const AnyModel& Predictor::model() const { return inside_->model; }
const Encoding& Predictor::encoding() const {
  return std::visit([](const auto& model) -> const Encoding& { return model.encoding; }, inside_->model);
}

void Predictor::predict(std::span<const Value> row, Prediction& out) {
  std::visit([&](const auto& rows) { rows->predict(row, out); }, inside_->rows);
}
void Predictor::predict(std::span<const double> row, Prediction& out) {
  std::visit([&](const auto& rows) { rows->predict(row, out); }, inside_->rows);
}
Prediction Predictor::predict(std::span<const Value> row) {
  Prediction out;
  predict(row, out);
  return out;
}
Prediction Predictor::predict(std::span<const double> row) {
  Prediction out;
  predict(row, out);
  return out;
}
Prediction Predictor::predict(std::initializer_list<Value> row) {
  return predict(std::span<const Value>(row.begin(), row.size()));
}
void Predictor::predict_rows(std::span<const Value> values, std::vector<Prediction>& out) {
  std::visit([&](const auto& rows) { rows->predict_rows(values, out); }, inside_->rows);
}
void Predictor::predict_rows(std::span<const double> values, std::vector<Prediction>& out) {
  std::visit([&](const auto& rows) { rows->predict_rows(values, out); }, inside_->rows);
}

}  // namespace irn
