#include "irn/engine/cuda_training-inl.h"

#include <numeric>

#include "irn/base/error.h"
#include "irn/engine/cuda/load_module.h"
#include "irn/gradient/chunk_adjoint.h"

namespace irn {

namespace {

bool by_matrices(const Architecture& architecture) {
  return architecture.dense() &&
         architecture.parameters() - architecture.biases() == architecture.neurons() &&  // a bias for each
         architecture.blocks().size() <= cuda::most_blocks;
}

std::shared_ptr<const cuda::ProductPlan> plan_of(const Architecture& architecture,
                                                 cuda::ProductPlan::Of which, bool in_pieces = true) {
  return std::make_shared<const cuda::ProductPlan>(architecture, which, in_pieces);
}

}  // namespace

bool CudaTraining::takes(const Architecture& architecture, const GradientOptions& options) {
  return std::holds_alternative<ExactGradient>(options.gradient) && !options.input_gradient &&
         architecture.recurrent() && adjoint_kind(architecture, options.gradient) == AdjointKind::krylov &&
         (cuda::goes_by_plan(architecture) ? cuda::trains_by_plan(architecture) : by_matrices(architecture));
}

CudaTraining::CudaTraining(Device device, const Architecture& architecture, const GradientOptions& options,
                           double tolerance, CudaLink& link)
    : plan_{.device = device.number,
            .inputs = architecture.inputs(),
            .neurons = cuda::neurons_of(architecture),
            .blocks = {},
            .biases = architecture.biases(),
            .parameters = architecture.parameters(),
            .slope_of = std::vector<int>(architecture.neurons(), -1),
            .off_below = tolerance * options.settle.floor,
            .accuracy = double(adjoint_accuracy<float>(tolerance)),
            .on_fold = options.on_fold,
            .amplification_limit = options.amplification_limit},
      link_(link),
      kept_(KeptSamples<float>::on(device)) {
  cuda::goes_by_plan(architecture) ? plan_products(architecture) : list_blocks(architecture);
  for (const HeadRange& head : head_ranges(architecture, options))
    for (std::size_t i = 0; i < head.size; ++i)
      plan_.slope_of[head.first + i] = static_cast<int>(plan_.slopes++);
}

void CudaTraining::list_blocks(const Architecture& architecture) {
  for (const Block& block : architecture.blocks())
    plan_.blocks.push_back({block.row, block.rows, block.col, block.cols, block.weights, block.from_input()});
}
void CudaTraining::plan_products(const Architecture& architecture) {
  using Of = cuda::ProductPlan::Of;
  plan_.a = plan_of(architecture, Of::a), plan_.b = plan_of(architecture, Of::b),
  plan_.a_transposed = plan_of(architecture, Of::a_transposed);
  plan_.stages_transposed = cuda::staged_plans(architecture, Of::a_transposed);
  plan_.a_whole = plan_of(architecture, Of::a, false), plan_.b_whole = plan_of(architecture, Of::b, false);
  std::vector<int> numbers(architecture.parameters());
  std::iota(numbers.begin(), numbers.end(), 0);
  plan_.bias_of.resize(architecture.neurons());
  write_biases(architecture, numbers.data(), plan_.bias_of.data());
}

// Called with the first step.
void CudaTraining::begin(const OptimiserOf<float>& optimiser, const NetworkOf<float>& network) {
  if (!there_) {
    plan_.moments = std::visit([](const auto& o) { return o.moments; }, optimiser.options());
    auto made = kept_->room_for([&] { return cuda::loaded_module().module->training(plan_); });
    made->upload(network.parameters().data());
    copy_ = network;
    there_ = std::move(made);  // from here on nothing fails
    link_.training = there_.get();
  }
  if (plan_.moments != std::visit([](const auto& o) { return o.moments; }, optimiser.options()))
    throw Error("a gradient that trains on a device keeps one kind of optimiser; make another gradient");
  if (moments_ == optimiser.revision()) return;
  there_->upload_moments(optimiser.state().first.data(), optimiser.state().second.data());
  moments_ = optimiser.revision();
}

void CudaTraining::upload(const NetworkOf<float>& network) {
  there_->upload(network.parameters().data());
  parameters_ahead_ = false;
}

StepDone CudaTraining::advance(const StepOrder<float>& order, OptimiserOf<float>& optimiser,
                               const NetworkOf<float>& network) {
  const auto rule = optimiser.next_step(plan_.parameters, order.rate_factor);
  const Forward<float>& forward = order.forward;
  if (forward.size() == 0) return {};
  begin(optimiser, network);
  found_.resize(forward.size());
  if (forward.inputs.empty() && !link_.where(forward).inputs)
    throw Error("a step needs a forward() pass that is the last one on its device");
  const cuda::TrainingBatch batch{.count = forward.size(),
                                  .states = forward.equilibria.states.data(),
                                  .inputs = forward.inputs.data(),
                                  .there = link_.where(forward),
                                  .verdicts = forward.equilibria.verdicts.data(),
                                  .slopes = order.slopes.data(),
                                  .weights = order.weights.empty() ? nullptr : order.weights.data()};
  // All memory is allocated before the step changes anything.
  const cuda::StepFacts facts =
      kept_->room_for([&] { return there_->advance(batch, order.clip, rule, found_.data()); });
  StepDone done;
  for (const cuda::SampleGradient& sample : found_)
    done.mean_products += sample.products / double(found_.size());
  if (!facts.finite || facts.used == 0) return done;  // as if no sample could be used
  done.used = facts.used;
  if (order.clip > 0) done.gradient_norm = facts.norm;
  if (!facts.usable) return done;
  optimiser.count_step();
  parameters_ahead_ = moments_ahead_ = true;
  done.applied = !facts.overflow;
  return done;
}

void CudaTraining::bring_parameters(NetworkOf<float>& network) {
  if (parameters_ahead_) there_->download(network.parameters().data());
  parameters_ahead_ = false;
}

void CudaTraining::bring_back(OptimiserOf<float>& optimiser, NetworkOf<float>& network) {
  bring_parameters(network);
  if (!moments_ahead_ || moments_ != optimiser.revision()) return;
  OptimiserState<float>& state = optimiser.state_to_fill();
  there_->download_moments(state.first.data(), state.second.data());
  moments_ahead_ = false;
}

Forward<float> CudaTraining::with_inputs(const Forward<float>& forward) const {
  Forward<float> all = forward;
  if (!all.inputs.empty() || all.size() == 0) return all;
  const cuda::SamplesOnDevice where = link_.where(forward);
  if (!where.inputs) throw Error("backward() needs a forward() pass that is the last one on its device");
  all.inputs.resize(all.size() * plan_.inputs);
  there_->fetch(where.inputs, all.inputs.size(), all.inputs.data());
  return all;
}

const NetworkOf<float>& CudaTraining::network() {
  there_->download(copy_->parameters().data());
  return *copy_;
}

}  // namespace irn
