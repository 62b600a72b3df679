#include <algorithm>
#include <optional>

#include "irn/engine/cuda/adjoint_by_plan.h"
#include "irn/engine/cuda/plan_on_device-inl.h"
#include "irn/engine/cuda/plan_sums-inl.h"

namespace irn::cuda {
namespace {

unsigned blocks_for_threads(std::size_t threads) {
  return static_cast<unsigned>((threads + launch_threads - 1) / launch_threads);
}

// The weights of one plan, and their gradient.
class PlanWeights {
 public:
  explicit PlanWeights(const std::shared_ptr<const ProductPlan>& plan) : count_(plan->parameter.size()) {
    std::vector<float> fixed(count_);
    for (const ProductPlan::Fixed& f : plan->fixed)
      std::fill_n(fixed.begin() + static_cast<std::ptrdiff_t>(f.first), f.count, static_cast<float>(f.value));
    weights_ = brought(fixed), parameter_ = brought(plan->parameter);
  }
  const float* weights() const { return weights_.get(); }
  void arrange(const float* parameters, cudaStream_t stream) const {
    if (count_ > 0)
      launch(put_parameters, {blocks_for_threads(count_), launch_threads, stream}, parameters,
             parameter_.get(), count_, weights_.get());
  }

  // `whole`: the plan without pieces.
  void prepare_sums(const std::shared_ptr<const ProductPlan>& whole) {
    const ProductPlan& plan = *whole;
    lists_.emplace(whole);
    for (unsigned p = 0; p < plan.parts.size(); ++p)
      for (unsigned k = 0; k < plan.parts[p].shared + plan.parts[p].direct; ++k)
        list(plan, p, plan.parts[p].first + k, k < plan.parts[p].shared);
    pieces_there_ = brought(pieces_), single_there_ = brought(single_);
    sums_ = zeros<float>(splits * count_);  // weights that no place reads stay zero
  }
  void sum(const SumOrder& order, const float* vectors, std::size_t neurons, std::size_t width,
           cudaStream_t stream) const {
    const Reads reads{lists_->lists(1, stream),
                      order.deltas,
                      vectors,
                      order.factors,
                      neurons,
                      width,
                      order.count,
                      sums_.get(),
                      count_};
    if (!pieces_.empty())
      launch(sum_pieces, {dim3(static_cast<unsigned>(pieces_.size()), splits), sum_threads, stream},
             pieces_there_.get(), reads);
    if (!single_.empty())
      launch(sum_weights, {blocks_for_threads(single_.size() * warp), launch_threads, stream},
             single_there_.get(), static_cast<unsigned>(single_.size()), reads);
    if (count_ > 0)
      launch(put_together, {blocks_for_threads(count_), launch_threads, stream}, sums_.get(),
             parameter_.get(), count_, order.state, order.gradient);
  }

 private:
  void list(const ProductPlan& plan, unsigned part, unsigned source, bool shared) {
    const PlanSource& from = plan.sources[source];
    const unsigned rows = from.channels * from.taps, groups = plan.parts[part].channels / from.group;
    if (plan.parameter[from.weights] == none) return;  // all weights of a source are parameters, or none is
    const unsigned step = shared ? sum_tile : 1;
    for (unsigned group = 0; group < groups; ++group)
      for (unsigned row = 0; row < rows; row += step)
        for (unsigned column = 0; column < from.group; column += step)
          shared ? pieces_.push_back({part, source, group, row, column})
                 : single_.push_back({part, source, group, row, column});
  }

  std::optional<PlanOnDevice> lists_;
  std::size_t count_;
  OnDevice<float> weights_, sums_;
  OnDevice<int> parameter_;
  std::vector<SumPiece> pieces_;
  std::vector<SumPiece> single_;
  OnDevice<SumPiece> pieces_there_;
  OnDevice<SumPiece> single_there_;
};

class TrainedByPlan final : public TrainedNumbers {
 public:
  explicit TrainedByPlan(const TrainingPlan& plan)
      : neurons_(plan.neurons.size()),
        inputs_(plan.inputs),
        a_(plan.a),
        b_(plan.b),
        transposed_(plan.a_transposed),
        adjoint_(plan.stages_transposed ? adjoint_in_stages(neurons_, plan.stages_transposed)
                                        : adjoint_by_plan(neurons_, plan.a_transposed)) {
    a_.prepare_sums(plan.a_whole), b_.prepare_sums(plan.b_whole);
    for (unsigned i = 0; i < neurons_; ++i) {
      const auto parameter = static_cast<unsigned>(plan.bias_of[i]);
      if (biases_.empty() || biases_.back().parameter != parameter) biases_.push_back({i, 0, parameter});
      ++biases_.back().count;
    }
    biases_there_ = brought(biases_), bias_of_ = brought(plan.bias_of);
    bias_ = on_device<float>(neurons_);
  }
  NumbersOnDevice numbers() const override {
    return {a_.weights(), b_.weights(), bias_.get(), adjoint_->size(), true};
  }
  const AdjointWay& adjoint() const override { return *adjoint_; }
  const float* transposed() const override { return transposed_.weights(); }
  void arrange(const float* parameters, cudaStream_t stream) const override {
    for (const PlanWeights* weights : {&a_, &b_, &transposed_}) weights->arrange(parameters, stream);
    launch(put_parameters, {blocks_for_threads(neurons_), launch_threads, stream}, parameters, bias_of_.get(),
           neurons_, bias_.get());
  }
  void sum(const SumOrder& order, cudaStream_t stream) const override {
    a_.sum(order, order.states, neurons_, neurons_, stream);
    b_.sum(order, order.inputs, neurons_, inputs_, stream);
    launch(sum_biases, {blocks_for_threads(biases_.size() * warp), launch_threads, stream},
           biases_there_.get(), static_cast<unsigned>(biases_.size()), order.deltas, order.factors,
           order.count, neurons_, order.state, order.gradient);
  }

 private:
  std::size_t neurons_, inputs_;
  PlanWeights a_, b_, transposed_;
  std::unique_ptr<AdjointWay> adjoint_;
  std::vector<SharedBias> biases_;
  OnDevice<SharedBias> biases_there_;
  OnDevice<int> bias_of_;
  OnDevice<float> bias_;
};

}  // namespace

std::unique_ptr<TrainedNumbers> trained_by_plan(const TrainingPlan& plan) {
  return std::make_unique<TrainedByPlan>(plan);
}

}  // namespace irn::cuda
