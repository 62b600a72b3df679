#include "irn/engine/cuda/replica_task.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "irn/base/error.h"
#include "irn/data/oscillator.h"
#include "irn/engine/cuda/load_module.h"
#include "irn/equilibrium/tolerance.h"
#include "irn/optim/optimiser.h"

namespace irn::cuda {
namespace {

// As in CpuSettler for Auto: the second search has a hundredth of the tolerance, and its own floor.
AutoSearch auto_search(std::size_t neurons) {
  Rules<double> rules{.tolerance = default_tolerance<float>(), .bounded = true}, careful = rules;
  careful.tolerance = std::max(least_tolerance<float>(), rules.tolerance / 100);
  careful.floor = careful_floor;
  return {.solver = {std::get<Rosenbrock>(solver_for(Auto{}, neurons)),
                     std::get<Rosenbrock>(careful_solver(neurons))},
          .rules = {rules.in<float>(), careful.in<float>()}};
}

kernels::OscillatorPlan plan_of(const ReplicaOptions& o, std::uint64_t first, std::uint64_t count) {
  return Oscillator<float>({.seed = o.seed,
                            .first = first,
                            .count = count,
                            .points = o.points,
                            .time_step = o.time_step,
                            .spread = o.spread})
      .plan();
}

// Calls visit(replica's weight, network's parameter) for each parameter.
template <class Visit>
void for_each_parameter(const Architecture& architecture, const Visit& visit) {
  const std::size_t points = architecture.inputs(), n = architecture.neurons(), hidden = n - 2;
  const std::size_t of_a = points * hidden, of_bias = of_a + n * n;
  for (const Block& block : architecture.blocks())
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j)
        visit(block.from_input() ? (block.col + j) * hidden + block.row + i
                                 : of_a + (block.row + i) * n + block.col + j,
              block.weights + i * block.cols + j);
  for (std::size_t i = 0; i < n; ++i) visit(of_bias + i, architecture.biases() + i);
}

}  // namespace

bool has_replicas(std::size_t hidden, std::size_t batch) {
  return std::ranges::find(replica_sizes, hidden) != std::end(replica_sizes) && batch >= 1 &&
         batch <= most_replica_batch;
}

ReplicaTask task_of(const ReplicaOptions& o) {
  if (!has_replicas(o.hidden, o.batch))
    throw Error("there are no replicas with " + std::to_string(o.hidden) + " hidden neurons and batches of " +
                std::to_string(o.batch) + " samples");
  if (o.steps_per_epoch == 0) throw Error("an epoch of replicas needs at least one step");
  if (o.test_samples > most_replica_tests)
    throw Error("replicas can be tested on " + std::to_string(most_replica_tests) +
                " samples at most, not on " + std::to_string(o.test_samples));
  const Adam adam;
  return {.shape = {o.points, o.hidden, o.batch},
          .gradient = o.gradient,
          .train = plan_of(o, 0, o.train_samples),
          .test = plan_of(o, o.train_samples, o.test_samples),
          .train_samples = o.train_samples,
          .test_samples = o.test_samples,
          .steps_per_epoch = o.steps_per_epoch,
          .batches_per_epoch = o.batches_per_epoch,
          .search = auto_search(o.hidden + 2),
          .paper = {},
          .less1 = static_cast<float>(1 - adam.beta1),
          .beta2 = static_cast<float>(adam.beta2),
          .less2 = static_cast<float>(1 - adam.beta2)};
}

std::vector<AdamNumbers> adam_table() {
  const Adam adam;
  std::vector<AdamNumbers> table;
  for (std::size_t k = 1; k <= adam_table_size; ++k) {
    const double t = double(k), root = std::sqrt(1 - std::pow(adam.beta2, t));
    table.push_back(
        {static_cast<float>(root / (1 - std::pow(adam.beta1, t))), static_cast<float>(adam.epsilon * root)});
  }
  return table;
}

std::vector<float> replica_weights(const NetworkOf<float>& network) {
  const Architecture& architecture = network.architecture();
  const ReplicaShape shape{architecture.inputs(), architecture.neurons() - 2, 1};
  std::vector<float> weights(shape.weights(), 0.0f);
  for_each_parameter(architecture,
                     [&](std::size_t weight, std::size_t p) { weights[weight] = network.parameters()[p]; });
  return weights;
}

void set_parameters(std::span<const float> weights, NetworkOf<float>& network) {
  for_each_parameter(network.architecture(),
                     [&](std::size_t weight, std::size_t p) { network.parameters()[p] = weights[weight]; });
}

std::unique_ptr<Replicas> make_replicas(Device device, ReplicaPlan plan) {
  const LoadedModule& loaded = loaded_module();
  if (!loaded.module) throw Error("device " + to_text(device) + " cannot be used: " + loaded.trouble);
  plan.device = device.number;
  plan.adam = adam_table();
  return loaded.module->replicas(plan);
}

}  // namespace irn::cuda
