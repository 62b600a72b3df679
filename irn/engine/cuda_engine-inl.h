// The engine of a CUDA device: searches run there from start to finish (irn/engine/cuda/). The host's threads
// bring samples, take answers and do the little that is left, so that copies and searches overlap. Wide
// networks are also trained there (CudaTraining).
#pragma once

#include "irn/engine/cpu_engine.h"
#include "irn/engine/cuda_training-inl.h"

namespace irn {

// The device's solvers of chunks. Throws irn::Error if the device cannot be used, or cannot compute a block
// of the network. `link`: what searches and training share.
template <class T>
std::unique_ptr<const ChunkSource<T>> cuda_source(Device device, const Architecture& architecture,
                                                  std::shared_ptr<CudaLink> link);

template <class T>
class CudaEngine final : public CpuEngine<T> {
 public:
  template <class Options>
  CudaEngine(Device device, const NetworkOf<T>& network, const Options& options, ThreadPool& threads,
             std::shared_ptr<CudaLink> link = std::make_shared<CudaLink>())
      : CpuEngine<T>(network, options, threads, cuda_source<T>(device, network.architecture(), link)),
        device_(device),
        link_(std::move(link)) {
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Options, GradientOptions>)
      if (CudaTraining::takes(network.architecture(), options))
        training_.emplace(device, network.architecture(), options, this->tolerance(), *link_);
  }
  Device device() const override { return device_; }

  void upload(const NetworkOf<T>& network) override {
    if constexpr (std::is_same_v<T, float>)
      if (training_ && training_->begun()) {
        training_->upload(network);
        return this->gradient().changed_elsewhere();
      }
    CpuEngine<T>::upload(network);
  }
  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, std::span<const T> starts,
               Forward<T>& out) override {
    link_->begin();
    bool away = false;  // if the device makes the steps, inputs may stay there
    if constexpr (std::is_same_v<T, float>) away = training_ && training_->begun();
    this->gradient().forward(samples, index, out, starts, !away);
    link_->pass = out.pass;
    if constexpr (std::is_same_v<T, float>)
      if (away && !link_->where(out).inputs) this->gradient().add_inputs(samples, index, out);
  }
  void backward(const Forward<T>& forward, std::span<const T> slopes, std::span<const T> weights,
                GradientResult<T>& out) override {
    if constexpr (std::is_same_v<T, float>)
      if (training_ && training_->begun()) {
        this->gradient().catch_up(training_->network());
        return CpuEngine<T>::backward(training_->with_inputs(forward), slopes, weights, out);
      }
    CpuEngine<T>::backward(forward, slopes, weights, out);
  }
  StepOutcome step(OptimiserOf<T>& optimiser, Certifier<T>* certifier, NetworkOf<T>& network,
                   std::span<const T> gradient, double rate_factor) override {
    bring_back(optimiser, network);
    return CpuEngine<T>::step(optimiser, certifier, network, gradient, rate_factor);
  }
  StepDone advance(const StepOrder<T>& order, OptimiserOf<T>& optimiser, Certifier<T>* certifier,
                   NetworkOf<T>& network) override {
    if constexpr (std::is_same_v<T, float>)
      if (training_) {
        this->gradient().check_backward(order.forward, order.slopes, order.weights);
        const std::uint64_t before = optimiser.state().steps;
        const StepDone done = training_->advance(order, optimiser, network);
        if (optimiser.state().steps == before) return done;
        if (certifier && certifier->is_due(optimiser.state().steps)) {
          training_->bring_parameters(network);
          certifier->after_step(network, optimiser.state().steps);
          training_->upload(network);
        }
        this->gradient().changed_elsewhere();
        return done;
      }
    return CpuEngine<T>::advance(order, optimiser, certifier, network);
  }
  void bring_back(OptimiserOf<T>& optimiser, NetworkOf<T>& network) override {
    if constexpr (std::is_same_v<T, float>)
      if (training_) training_->bring_back(optimiser, network);
  }
  void bring_parameters(NetworkOf<T>& network) override {
    if constexpr (std::is_same_v<T, float>)
      if (training_) training_->bring_parameters(network);
  }

 private:
  Device device_;
  std::shared_ptr<CudaLink> link_;
  std::optional<CudaTraining> training_;
};

}  // namespace irn
