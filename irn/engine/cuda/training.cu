#include <algorithm>
#include <limits>

#include "irn/engine/cuda/made_training.h"
#include "irn/engine/cuda/training_kernels-inl.h"

namespace irn::cuda {
namespace {

class StreamTraining final : public DeviceTraining {
 public:
  explicit StreamTraining(const TrainingPlan& plan) : plan_(plan) {
    use(plan_.device);
    stream_ = made_stream();
    network_ = plan_.a ? trained_by_plan(plan_) : trained_matrices(plan_);
    parameters_ = on_device<float>(plan_.parameters), gradient_ = on_device<float>(plan_.parameters);
    first_ = zeros<float>(plan_.parameters);
    if (plan_.moments > 1) second_ = zeros<float>(plan_.parameters);
    std::vector<Activation> kinds(plan_.neurons);
    kinds.resize(std::max(kinds.size(), network_->adjoint().size()), Activation::identity);
    kinds_ = brought(kinds), slope_of_ = brought(plan_.slope_of);
    squares_ = on_device<double>(norm_blocks), largest_ = on_device<double>(norm_blocks);
    state_ = on_device<StepState>(1), host_state_ = pinned<StepState>(1);
  }

  NumbersOnDevice numbers() const override { return network_->numbers(); }

  void upload(const float* parameters) override {
    use(plan_.device);
    copy_to(parameters_, parameters, plan_.parameters, stream_.get());
    network_->arrange(parameters_.get(), stream_.get());
    checked(cudaStreamSynchronize(stream_.get()));
  }
  void download(float* parameters) override { take(parameters, parameters_); }
  void fetch(const float* there, std::size_t count, float* here) const override {
    use(plan_.device);
    checked(cudaMemcpy(here, there, count * sizeof(float), cudaMemcpyDeviceToHost));
  }
  void upload_moments(const float* first, const float* second) override {
    use(plan_.device);
    copy_to(first_, first, plan_.parameters, stream_.get());
    if (second_) copy_to(second_, second, plan_.parameters, stream_.get());
    checked(cudaStreamSynchronize(stream_.get()));
  }
  void download_moments(float* first, float* second) override {
    take(first, first_);
    if (second_) take(second, second_);
  }

  StepFacts advance(const TrainingBatch& batch, double clip, const StepRule& rule,
                    SampleGradient* out) override {
    use(plan_.device);
    allocate(batch.count);
    bring(batch);
    find_gradient(batch, clip);
    std::visit([&](const auto& how) { step(how); }, rule);
    network_->arrange(parameters_.get(), stream_.get());
    checked(cudaMemcpyAsync(host_state_.get(), state_.get(), sizeof(StepState), cudaMemcpyDeviceToHost,
                            stream_.get()));
    copy_from(host_found_.get(), found_, batch.count, stream_.get());
    checked(cudaStreamSynchronize(stream_.get()));
    std::copy_n(host_found_.get(), batch.count, out);
    const StepState& state = *host_state_;
    return {state.norm, state.used, state.finite != 0, state.usable != 0, state.overflow != 0};
  }

 private:
  static constexpr unsigned step_threads = 256;
  static unsigned blocks(std::size_t count) {
    return static_cast<unsigned>((count + step_threads - 1) / step_threads);
  }
  std::size_t neurons() const { return plan_.neurons.size(); }
  void take(float* to, const OnDevice<float>& from) {
    use(plan_.device);
    copy_from(to, from, plan_.parameters, stream_.get());
    checked(cudaStreamSynchronize(stream_.get()));
  }

  // Grows with the largest batch.
  void allocate(std::size_t count) {
    if (count <= capacity_) return;
    capacity_ = 0;  // if memory runs out, there is none
    const std::size_t n = neurons();
    for (OnDevice<float>* buffer : {&states_, &inputs_, &deltas_, &states_used_}) buffer->reset();
    states_ = on_device<float>(count * n), inputs_ = on_device<float>(count * plan_.inputs);
    deltas_ = on_device<float>(count * n), states_used_ = on_device<float>(count * n);
    slopes_ = on_device<float>(count * plan_.slopes), weights_ = on_device<float>(count),
    factors_ = on_device<float>(count);
    verdicts_ = on_device<Verdict>(count), found_ = on_device<SampleGradient>(count);
    host_found_ = pinned<SampleGradient>(count), host_verdicts_ = pinned<Verdict>(count);
    host_slopes_ = pinned<float>(count * plan_.slopes), host_weights_ = pinned<float>(count);
    capacity_ = count;
  }

  void bring(const TrainingBatch& batch) {
    cudaStream_t stream = stream_.get();
    std::copy_n(batch.verdicts, batch.count, host_verdicts_.get());
    copy_to(verdicts_, host_verdicts_.get(), batch.count, stream);
    std::copy_n(batch.slopes, batch.count * plan_.slopes, host_slopes_.get());
    copy_to(slopes_, host_slopes_.get(), batch.count * plan_.slopes, stream);
    if (batch.weights) {
      std::copy_n(batch.weights, batch.count, host_weights_.get());
      copy_to(weights_, host_weights_.get(), batch.count, stream);
    }
    if (batch.there.states) return;
    copy_to(states_, batch.states, batch.count * neurons(), stream);
    copy_to(inputs_, batch.inputs, batch.count * plan_.inputs, stream);
  }

  void find_gradient(const TrainingBatch& batch, double clip) {
    cudaStream_t stream = stream_.get();
    const float* states = batch.there.states ? batch.there.states : states_.get();
    const float* inputs = batch.there.states ? batch.there.inputs : inputs_.get();
    const float* weights = batch.weights ? weights_.get() : nullptr;
    const auto count = static_cast<unsigned>(batch.count);
    const AdjointWay& adjoint = network_->adjoint();
    adjoint.run({adjoint.rows(), neurons(), batch.count, plan_.slopes, static_cast<float>(plan_.off_below),
                 static_cast<float>(plan_.accuracy), plan_.on_fold, plan_.amplification_limit},
                {network_->transposed(), kinds_.get(), slope_of_.get(), states, slopes_.get(), weights,
                 verdicts_.get(), deltas_.get(), states_used_.get(), factors_.get(), found_.get()},
                stream);
    launch(count_used, {1, reduce_threads, stream}, found_.get(), weights, count, state_.get());
    network_->sum(
        {deltas_.get(), states_used_.get(), inputs, factors_.get(), count, state_.get(), gradient_.get()},
        stream);
    launch(sizes_of_parts, {norm_blocks, reduce_threads, stream}, gradient_.get(), plan_.parameters,
           squares_.get(), largest_.get());
    launch(judge_gradient, {1, reduce_threads, stream}, squares_.get(), largest_.get(), clip, state_.get());
  }

  void step(const kernels::AdamStep& s) {
    run_step(AdamRule{static_cast<float>(1 - s.beta1), static_cast<float>(s.beta2),
                      static_cast<float>(1 - s.beta2), static_cast<float>(s.size),
                      static_cast<float>(s.epsilon), static_cast<float>(s.keep)});
  }
  void step(const kernels::MomentumStep& s) {
    run_step(MomentumRule{static_cast<float>(s.momentum), static_cast<float>(s.size), s.nesterov});
  }
  template <class Rule>
  void run_step(const Rule& rule) {
    launch(step_all<Rule>, {blocks(plan_.parameters), step_threads, stream_.get()}, rule, gradient_.get(),
           plan_.parameters, parameters_.get(), first_.get(), second_.get(), state_.get());
  }

  TrainingPlan plan_;
  Stream stream_;
  std::unique_ptr<TrainedNumbers> network_;
  std::size_t capacity_ = 0;
  OnDevice<float> parameters_, gradient_, first_, second_;
  OnDevice<float> states_, inputs_, deltas_, states_used_, slopes_, weights_, factors_;
  OnDevice<Verdict> verdicts_;
  OnDevice<SampleGradient> found_;
  OnDevice<Activation> kinds_;
  OnDevice<int> slope_of_;
  OnDevice<double> squares_, largest_;
  OnDevice<StepState> state_;
  Pinned<StepState> host_state_;
  Pinned<SampleGradient> host_found_;
  Pinned<Verdict> host_verdicts_;
  Pinned<float> host_slopes_, host_weights_;
};

}  // namespace

std::unique_ptr<DeviceTraining> made_training(const TrainingPlan& plan) {
  return std::make_unique<StreamTraining>(plan);
}

}  // namespace irn::cuda
