// The engine of the processor: samples as SIMD lanes on a pool of threads.
#pragma once

#include "irn/engine/engine.h"

namespace irn {

template <class T>
class CpuEngine : public Engine<T> {
 public:
  // `source`: a device that solves what the threads hand to it; if null, the threads solve it themselves.
  template <class Options>
  CpuEngine(const NetworkOf<T>& network, const Options& options, ThreadPool& threads,
            std::unique_ptr<const ChunkSource<T>> source = nullptr)
      : threads_(threads), source_(std::move(source)) {
    if constexpr (std::is_same_v<Options, GradientOptions>)
      gradient_.emplace(network, options, threads, source_.get());
    else
      settler_.emplace(network, options, threads, PackedNeeds{}, source_.get());
  }

  Device device() const override { return Device::cpu; }
  const Architecture& architecture() const override { return settler().packed().architecture(); }
  const Solver& solver() const override { return settler().solver(); }
  double tolerance() const override { return settler().tolerance(); }
  std::size_t workers() const override { return threads_.size(); }

  void upload(const NetworkOf<T>& network) override {
    gradient_ ? gradient_->update(network) : settler_->update(network);
  }
  void settle(const Samples<T>& samples, std::span<const std::uint64_t> index, std::span<const T> starts,
              Equilibria<T>& out) override {
    settler().settle(samples, index, out, starts);
  }
  void settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count, std::size_t part,
                    const typename Engine<T>::Visitor& visit) override {
    settler().settle_parts(samples, first, count, part, visit);
  }
  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, std::span<const T> starts,
               Forward<T>& out) override {
    gradient_->forward(samples, index, out, starts);
  }
  void backward(const Forward<T>& forward, std::span<const T> slopes, std::span<const T> weights,
                GradientResult<T>& out) override {
    gradient_->backward(forward, slopes, out, weights);
  }
  StepOutcome step(OptimiserOf<T>& optimiser, Certifier<T>* certifier, NetworkOf<T>& network,
                   std::span<const T> gradient, double rate_factor) override {
    const StepOutcome outcome = optimiser.step(network.parameters(), gradient, rate_factor, &threads_);
    if (certifier) certifier->after_step(network, optimiser.state().steps);
    upload(network);
    return outcome;
  }
  StepDone advance(const StepOrder<T>& order, OptimiserOf<T>& optimiser, Certifier<T>* certifier,
                   NetworkOf<T>& network) override {
    gradient_->backward(order.forward, order.slopes, result_, order.weights);
    StepDone done;
    for (std::size_t s = 0; s < result_.outcomes.size(); ++s)
      done.used += is_used(result_.outcomes[s]) && (order.weights.empty() || order.weights[s] > 0);
    for (const double products : result_.products)
      done.mean_products += products / double(result_.products.size());
    if (done.used == 0) return done;
    if (order.clip > 0) done.gradient_norm = clip_norm<T>(result_.parameters, order.clip);
    done.applied =
        step(optimiser, certifier, network, result_.parameters, order.rate_factor) == StepOutcome::applied;
    return done;
  }

 protected:
  CpuGradient<T>& gradient() { return *gradient_; }

 private:
  CpuSettler<T>& settler() { return gradient_ ? gradient_->settler() : *settler_; }
  const CpuSettler<T>& settler() const { return gradient_ ? gradient_->settler() : *settler_; }

  ThreadPool& threads_;
  std::unique_ptr<const ChunkSource<T>> source_;
  std::optional<CpuGradient<T>> gradient_;  // either this or the settler
  std::optional<CpuSettler<T>> settler_;
  GradientResult<T> result_;  // of the last advance()
};

}  // namespace irn
