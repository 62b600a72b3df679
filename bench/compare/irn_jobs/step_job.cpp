// Training steps: forward, exact gradient, Adam; one network, or several of one shape at once. The rate is so
// small that the networks do not change and every step has the same cost.
#include <numeric>

#include "bench/compare/irn_jobs/job.h"
#include "bench/limits.h"
#include "bench/trained.h"
#include "irn/data/sample_table.h"
#include "irn/engine/settler.h"
#include "irn/train/trainer.h"

namespace irn::bench {
namespace {

constexpr double adam_rate = 1e-9;

class StepJob : public Job {
 public:
  explicit StepJob(const Spec& spec)
      : spec_(spec), samples_(draw(spec)), index_(spec.replicas * spec.batches * spec.batch) {
    std::iota(index_.begin(), index_.end(), std::uint64_t{0});
    for (std::size_t r = 0; r < spec.replicas; ++r) networks_.push_back(network_of(spec, r + 1));
    start_trainers();
  }

  void hand_over(Npz& file) const override {
    add_weights(file, networks_);
    const std::size_t count = index_.size();
    file.add("x", {samples_.input_row(0).data(), count * samples_.inputs()},
             {spec_.batches, spec_.replicas, spec_.batch, samples_.inputs()});
    file.add("t", {samples_.target_row(0).data(), count * samples_.targets()},
             {spec_.batches, spec_.replicas, spec_.batch, samples_.targets()});
  }

  Json describe() override {
    run();
    double evaluations = 0, products = 0;
    for (const StepReport& r : reports_) {
      evaluations += r.mean_evaluations / double(reports_.size());
      products += r.mean_products / double(reports_.size());
    }
    const Settler<float> settler(networks_[0], spec_.settle_options(), pool(1));
    const Work each =
        training_work<float>(networks_[0].architecture(), settler.solver(),
                             from_text<Gradient>(spec_.gradient), double(spec_.batch), evaluations, products);
    return {{"method", to_text(settler.solver())}, {"items", spec_.replicas * spec_.batches},
            {"evaluations", evaluations},          {"adjoint_products", products},
            {"operations", each.operations()},     {"bytes", each.bytes - kept_in_cache()}};
  }

  double run() override {
    const double start = now();
    // Replicas are independent: each goes through all of its batches on one thread. A single one gets all
    // threads; it must not run inside the pool, where its own loops would have just the thread they are on.
    const auto train = [&](std::size_t r, std::size_t) {
      for (std::size_t k = 0; k < spec_.batches; ++k) reports_[r] = trainers_[r].step(samples_, batch(k, r));
    };
    if (spec_.replicas == 1)
      train(0, 0);
    else
      pool(spec_.threads).for_each(spec_.replicas, train);
    return now() - start;
  }

  Json answer(Npz& file) override {
    start_trainers();
    const Architecture& a = networks_[0].architecture();
    std::vector<float> states;
    std::vector<NetworkOf<float>> gradients;
    double settled = 0;
    for (std::size_t r = 0; r < spec_.replicas; ++r) {
      Equilibria<float> out;
      Settler<float>(networks_[r], spec_.settle_options(), pool(1)).settle(samples_, batch(0, r), out);
      states.insert(states.end(), out.states.begin(), out.states.end());
      settled += double(trainers_[r].step(samples_, batch(0, r)).used) / double(spec_.batch * spec_.replicas);
      gradients.emplace_back(a, first_gradient(trainers_[r].state()));
    }
    file.add("z", states, {spec_.replicas, spec_.batch, a.neurons()});
    add_weights(file, gradients);  // in the layout of the weights
    return {{"said_settled", settled}};
  }

 private:
  // Bytes of training_work() that never leave the cache: weights, moments and gradients of all replicas, if
  // they fit.
  double kept_in_cache() const {
    // Of one core; the second level of current servers is as large or larger.
    constexpr double cache = 1 << 20;
    const double bytes = 7 * sizeof(float) * double(networks_[0].architecture().parameters());
    return bytes * double(spec_.replicas) <= cache * double(spec_.threads) ? bytes : 0;
  }

  static SampleTable<float> draw(const Spec& spec) {
    const std::size_t count = spec.replicas * spec.batches * spec.batch;
    const Oscillator<float> source(test_samples(count));
    std::vector<std::uint64_t> index(count);
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    std::vector<float> inputs(count * source.inputs()), targets(count * source.targets());
    source.inputs_as_rows(index, inputs.data());
    source.targets_as_rows(index, targets.data());
    return SampleTable<float>(source.inputs(), source.targets(), std::move(inputs), std::move(targets));
  }

  void start_trainers() {
    trainers_.clear();
    reports_.assign(spec_.replicas, {});
    const TrainOptions options{
        .gradient = {.gradient = from_text<Gradient>(spec_.gradient), .settle = spec_.settle_options()},
        .optimiser = Adam{.rate = adam_rate}};
    ThreadPool& threads = pool(spec_.replicas > 1 ? 1 : spec_.threads);
    for (NetworkOf<float>& network : networks_)
      trainers_.emplace_back(network, options, threads).stay_on_device();
  }

  std::span<const std::uint64_t> batch(std::size_t k, std::size_t replica) const {
    return std::span(index_).subspan((k * spec_.replicas + replica) * spec_.batch, spec_.batch);
  }

  // Adam's first moments after the first step are the gradient times a constant.
  static std::vector<float> first_gradient(const OptimiserState<float>& state) {
    std::vector<float> gradient = state.first;
    for (float& g : gradient) g = float(double(g) / (1 - Adam{}.beta1));
    return gradient;
  }

  Spec spec_;
  SampleTable<float> samples_;
  std::vector<std::uint64_t> index_;
  std::vector<NetworkOf<float>> networks_;
  std::vector<Trainer<float>> trainers_;
  std::vector<StepReport> reports_;
};

}  // namespace

std::unique_ptr<Job> make_step(const Spec& spec) { return std::make_unique<StepJob>(spec); }

}  // namespace irn::bench
