// A trainer that keeps its method's promise: after each step, and before the network is judged.
#pragma once

#include <optional>

#include "experiments/settling/method.h"
#include "experiments/settling/penalised_trainer.h"

namespace irn::experiments {

template <class T>
class HeldTrainer {
 public:
  // Uses the method's gradient. Trains `network`, of architecture_for(method, ...), in place; all arguments
  // except the options must outlive the trainer.
  HeldTrainer(NetworkOf<T>& network, TrainOptions options, const Method& method, ThreadPool& threads);

  // `samples` must still exist when the step is applied.
  StepReport look(const Samples<T>& samples, std::span<const std::uint64_t> index);
  void apply(StepReport& report);
  StepReport step(const Samples<T>& samples, std::span<const std::uint64_t> index) {
    StepReport report = look(samples, index);
    apply(report);
    return report;
  }

  // The network as it answers now: the method's promise holds. Valid until the next step.
  const NetworkOf<T>& answering();
  // Whether the promise is proven for the network that is trained, if it is a certificate.
  bool is_certified() const;

 private:
  TrainOptions with_method(TrainOptions options) const;
  void lengthen_loops();
  void shorten_step(const StepReport& report);
  void average();

  NetworkOf<T>* network_;
  const Method* method_;
  // Exactly one of these two.
  std::optional<Trainer<T>> trainer_;
  std::optional<PenalisedTrainer<T>> penalised_;
  std::optional<WeightedCertifier<T>> certifier_;  // for methods that need more than the trainer's own
  std::vector<std::size_t> loop_parameters_;       // the parameters that take longer steps
  NetworkOf<T> mean_;                              // of the weights, if the method answers with it
  std::vector<T> before_;                          // the parameters before the step
  const Samples<T>* samples_ = nullptr;            // of the last look()
  std::vector<std::uint64_t> index_;
  std::size_t steps_ = 0;
};

extern template class HeldTrainer<float>;
extern template class HeldTrainer<double>;

}  // namespace irn::experiments
