// The gradient of a batch, forward and back (irn/gradient/gradient.h lists the kinds), on the engine of a
// device.
//
//   BatchGradient<float> gradient(network, {.gradient = ExactGradient{}}, threads);
//   Forward<float> forward = gradient.forward(samples, index);
//   GradientResult<float> result = gradient.backward(forward, slopes);   // any number of times
//
// The gradient of the parameters is the weighted mean  sum_s w_s g_s / sum_s w_s  over the samples used. Each
// sample says whether and why it was left out; it then has no weight and does not affect the others. All
// results are finite.
#pragma once

#include "irn/engine/engine.h"

namespace irn {

// For one caller at a time.
template <class T>
class BatchGradient {
 public:
  BatchGradient(const NetworkOf<T>& network, const GradientOptions& options, ThreadPool& threads)
      : engine_(make_engine(network, options, threads)) {}

  // The network's parameters changed: backward() refuses what forward() found before.
  void update(const NetworkOf<T>& network) { engine_->upload(network); }

  // The states of samples index[0..]: equilibria, or the end of an iterated gradient's iteration. `starts` is
  // as in Settler. `out` keeps its memory between calls.
  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out,
               std::span<const T> starts = {}) {
    engine_->forward(samples, index, starts, out);
  }
  Forward<T> forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                     std::span<const T> starts = {}) {
    Forward<T> out;
    forward(samples, index, out, starts);
    return out;
  }

  // `slopes`: dL/dz of the neurons that the loss sees, [sample][neurons of the heads, in their order].
  // `weights`: one for each sample; 1 each if empty. `out` keeps its memory between calls.
  void backward(const Forward<T>& forward, std::span<const T> slopes, GradientResult<T>& out,
                std::span<const T> weights = {}) {
    engine_->backward(forward, slopes, weights, out);
  }
  GradientResult<T> backward(const Forward<T>& forward, std::span<const T> slopes,
                             std::span<const T> weights = {}) {
    GradientResult<T> out;
    backward(forward, slopes, out, weights);
    return out;
  }

  // One step of the optimiser, on the device that has the parameters.
  StepOutcome step(OptimiserOf<T>& optimiser, Certifier<T>* certifier, NetworkOf<T>& network,
                   std::span<const T> gradient, double rate_factor) {
    return engine_->step(optimiser, certifier, network, gradient, rate_factor);
  }
  // backward() and step() in one, on the device that has the parameters. Call bring_back() before they are
  // read elsewhere (Engine::advance).
  StepDone advance(const StepOrder<T>& order, OptimiserOf<T>& optimiser, Certifier<T>* certifier,
                   NetworkOf<T>& network) {
    return engine_->advance(order, optimiser, certifier, network);
  }
  void bring_back(OptimiserOf<T>& optimiser, NetworkOf<T>& network) {
    engine_->bring_back(optimiser, network);
  }
  void bring_parameters(NetworkOf<T>& network) { engine_->bring_parameters(network); }

 private:
  std::unique_ptr<Engine<T>> engine_;
};

}  // namespace irn
