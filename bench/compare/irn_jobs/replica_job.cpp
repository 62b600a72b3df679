// Training steps of small networks side by side on a CUDA device (irn/engine/cuda/replicas.h): forward, exact
// gradient, Adam, many steps in one launch. The device draws their samples itself; peers get the same
// samples, those of the first steps. The rate is so small that the networks do not change.
#include "bench/compare/irn_jobs/job.h"
#include "bench/limits.h"
#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/data/oscillator.h"
#include "irn/data/sample_table.h"
#include "irn/engine/cuda/replica_task.h"

namespace irn::bench {
namespace {

constexpr float adam_rate = 1e-9f;
constexpr std::size_t trained_networks = 12;  // further replicas are copies of these, with other samples
constexpr std::size_t most_runs = 4096;
constexpr std::uint64_t seed = 1, first_stream = 5000;

class ReplicaStepJob : public Job {
 public:
  explicit ReplicaStepJob(const Spec& spec) : spec_(spec) {
    if (spec.gradient != "exact" || spec.solver != "auto")
      throw Error("replicas settle by solver auto and train by the exact gradient");
    for (std::size_t r = 0; r < std::min(spec.replicas, trained_networks); ++r)
      networks_.push_back(network_of(spec, r + 1));
    replicas_ = group(spec.batches, most_runs);
  }

  void hand_over(Npz& file) const override {
    std::vector<NetworkOf<float>> all;
    for (std::size_t r = 0; r < spec_.replicas; ++r) all.push_back(network(r));
    add_weights(file, all);
    std::vector<std::uint64_t> index;
    for (std::size_t k = 0; k < spec_.batches; ++k)
      for (std::size_t r = 0; r < spec_.replicas; ++r) {
        const std::vector<std::uint64_t> batch = batch_of(k, r);
        index.insert(index.end(), batch.begin(), batch.end());
      }
    const Oscillator<float> source({.seed = seed, .count = samples});
    std::vector<float> x(index.size() * source.inputs()), t(index.size() * source.targets());
    source.inputs_as_rows(index, x.data()), source.targets_as_rows(index, t.data());
    file.add("x", x, {spec_.batches, spec_.replicas, spec_.batch, source.inputs()});
    file.add("t", t, {spec_.batches, spec_.replicas, spec_.batch, source.targets()});
  }

  Json describe() override {
    run();
    std::uint64_t evaluations = 0, taken = 0;
    for (const cuda::EpochSums& epoch : replicas_->epochs())
      evaluations += epoch.evaluations, taken += epoch.steps * spec_.batch;
    const double mean = double(evaluations) / double(taken);
    const Settler<float> settler(networks_[0], spec_.settle_options(), pool(1));
    const Work each = training_work<float>(networks_[0].architecture(), settler.solver(), ExactGradient{},
                                           double(spec_.batch), mean, 0);
    return {{"method", to_text(settler.solver())},
            {"items", spec_.replicas * spec_.batches},
            {"evaluations", mean},
            {"operations", each.operations()},
            {"bytes", each.bytes}};
  }

  double run() override {
    if (++runs_ > most_runs) replicas_ = group(spec_.batches, most_runs), runs_ = 1;
    const double start = now();
    replicas_->train(1), replicas_->wait();
    return now() - start;
  }

  // States from the device's search; gradients from Adam's moments after a first step.
  Json answer(Npz& file) override {
    const Oscillator<float> source({.seed = seed, .count = samples});
    const auto once = group(1, 1);
    once->train(1), once->wait();
    const std::vector<cuda::Moments> moments = once->numbers().moments;
    const std::size_t size = moments.size() / spec_.replicas;
    std::vector<float> states, first(size);
    std::vector<NetworkOf<float>> gradients;
    double used = 0;
    for (const cuda::EpochSums& epoch : once->epochs()) used += double(epoch.used);
    for (std::size_t r = 0; r < spec_.replicas; ++r) {
      Equilibria<float> out;
      Settler<float>(network(r), spec_.settle_options(), pool(1)).settle(source, batch_of(0, r), out);
      states.insert(states.end(), out.states.begin(), out.states.end());
      for (std::size_t k = 0; k < size; ++k)
        first[k] = float(double(moments[r * size + k].first) / (1 - Adam{}.beta1));
      gradients.push_back(network(r));
      cuda::set_parameters(first, gradients.back());
    }
    file.add("z", states, {spec_.replicas, spec_.batch, networks_[0].architecture().neurons()});
    add_weights(file, gradients);
    return {{"said_settled", used / double(spec_.replicas * spec_.batch)}};
  }

 private:
  static constexpr std::uint64_t samples = 3'200'000;

  const NetworkOf<float>& network(std::size_t replica) const { return networks_[replica % networks_.size()]; }
  std::vector<std::uint64_t> batch_of(std::size_t step, std::size_t replica) const {
    const Stream stream(seed, first_stream + replica);
    std::vector<std::uint64_t> index(spec_.batch);
    for (std::size_t s = 0; s < index.size(); ++s) index[s] = stream.below(step * index.size() + s, samples);
    return index;
  }
  std::unique_ptr<cuda::Replicas> group(std::size_t steps, std::size_t runs) const {
    cuda::ReplicaNumbers numbers;
    for (std::size_t r = 0; r < spec_.replicas; ++r) {
      const std::vector<float> weights = cuda::replica_weights(network(r));
      numbers.weights.insert(numbers.weights.end(), weights.begin(), weights.end());
      numbers.states.push_back({.stream = first_stream + r, .rate = adam_rate});
    }
    return cuda::make_replicas(spec_.device, {.task = cuda::task_of({.seed = seed,
                                                                     .train_samples = samples,
                                                                     .test_samples = 1,
                                                                     .hidden = spec_.hidden,
                                                                     .batch = spec_.batch,
                                                                     .steps_per_epoch = steps}),
                                              .numbers = std::move(numbers),
                                              .epochs = runs,
                                              .crowded = spec_.replicas > 500});
  }

  Spec spec_;
  std::vector<NetworkOf<float>> networks_;
  std::unique_ptr<cuda::Replicas> replicas_;
  std::size_t runs_ = 0;
};

}  // namespace

std::unique_ptr<Job> make_replica_step(const Spec& spec) { return std::make_unique<ReplicaStepJob>(spec); }

}  // namespace irn::bench
