#include "irn/front/training.h"

#include <optional>
#include <variant>

#include "irn/base/error.h"
#include "irn/front/samples_of_view.h"

namespace irn {
namespace {

TrainOptions options_of(const TrainingOptions& o) {
  return {.gradient = {.gradient = o.gradient.gradient.value(),
                       .settle = {o.gradient.solver.value(), o.gradient.tolerance, o.gradient.device.value()},
                       .on_fold = o.gradient.on_fold,
                       .amplification_limit = o.gradient.amplification_limit,
                       .heads = o.gradient.heads},
          .optimiser = o.optimiser.value(),
          .schedule = o.schedule.value(),
          .loss = o.loss.value(),
          .heads = o.heads,
          .clip = o.clip,
          .certify = o.certify,
          .pull = o.pull};
}

template <class T>
struct Core {
  Core(NetworkOf<T>& trained, const TrainOptions& chosen)
      : options(chosen), network(trained), trainer(trained, chosen, shared_threads()) {}

  TrainOptions options;
  NetworkOf<T>& network;
  Trainer<T> trainer;
  std::optional<Settler<T>> settler;
};

template <class T>
std::unique_ptr<Core<T>> core_for(Network& network, const TrainingOptions& options) {
  NetworkOf<T>* core = network.core<T>();
  return core ? std::make_unique<Core<T>>(*core, options_of(options)) : nullptr;
}

}  // namespace

struct Training::Inside {
  Network& network;
  std::unique_ptr<Core<float>> single;
  std::unique_ptr<Core<double>> full;
  std::uint64_t seen = 0;  // the changes of the network's parameters that the trainer knows

  template <class Body>
  decltype(auto) visit(const Body& body) {
    if (single) return body(*single);
    return body(*full);
  }
};

Training::Training(Network& network, const TrainingOptions& options)
    : inside_(std::make_unique<Inside>(Inside{network, core_for<float>(network, options),
                                              core_for<double>(network, options), network.changes()})) {
  // From now on the network settles, and is saved, with the solver of this training, but not with its device.
  SettleOptions trained = settling_of(gradient_of(options_of(options)));
  trained.device = Device::cpu;
  network.set_trained_with(trained);
}
Training::~Training() = default;
Training::Training(Training&&) noexcept = default;

StepReport Training::step(View inputs, View targets, View weights) {
  const StepReport report = inside_->visit([&]<class T>(Core<T>& core) {
    const SamplesOfView<T> samples(inputs, targets, weights, core.network.architecture());
    if (inside_->seen != inside_->network.changes()) core.trainer.update();  // changed by others
    std::vector<std::uint64_t> all(inputs.rows());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return core.trainer.step(samples.table(), all);
  });
  inside_->network.changed();
  inside_->seen = inside_->network.changes();
  return report;
}

void Training::certify() {
  inside_->visit([](auto& core) { core.trainer.certify(); });
  inside_->network.changed();
  inside_->seen = inside_->network.changes();
}

Evaluation Training::evaluate(View inputs, View targets, View weights) {
  return inside_->visit([&]<class T>(Core<T>& core) {
    const SamplesOfView<T> samples(inputs, targets, weights, core.network.architecture());
    if (!core.settler)
      core.settler.emplace(core.network, settling_of(gradient_of(core.options)), shared_threads());
    else
      core.settler->update(core.network);
    return irn::evaluate(*core.settler, samples.table(), heads_of(core.options));
  });
}

struct Optimiser::Inside {
  std::variant<OptimiserOf<float>, OptimiserOf<double>> core;
};

Optimiser::Optimiser(const OrText<OptimiserOptions>& options, const Network& network)
    : inside_(
          network.precision() == Precision::float32
              ? std::make_unique<Inside>(Inside{OptimiserOf<float>(options, network.parameters().size())})
              : std::make_unique<Inside>(Inside{OptimiserOf<double>(options, network.parameters().size())})) {
}
Optimiser::~Optimiser() = default;
Optimiser::Optimiser(Optimiser&&) noexcept = default;

StepOutcome Optimiser::step(Network& network, View gradient, double rate_factor) {
  return std::visit(
      [&]<class T>(OptimiserOf<T>& core) {
        NetworkOf<T>* trained = network.core<T>();
        if (!trained)
          throw Error("the optimiser was made for a network of another precision; make a new one");
        std::vector<T> copy;
        const StepOutcome outcome =
            core.step(trained->parameters(), gradient.as(copy), rate_factor, &shared_threads());
        network.changed();
        return outcome;
      },
      inside_->core);
}

}  // namespace irn
