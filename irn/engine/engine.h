// Where networks are computed. An engine owns a network's weights, packed in its own layout, and the memory
// of the states. It has a few whole operations: upload, settle, forward, backward, step. Only results that
// are asked for are copied back. The device chooses the engine at run time; no code outside an engine knows
// which one it is.
//
//   cpu    samples as SIMD lanes on a pool of threads (CpuSettler, CpuGradient)
//   cuda   searches by the threads of a CUDA device (irn/engine/cuda/), for wide networks also training; the
//          rest on the cpu
//
// A new engine is one class that derives from Engine, one word in irn/base/device.h and one line in
// engine.cpp. All engines keep the same promises: a sample's answer does not depend on its batch, every
// sample has a verdict, and the same seed gives the same bits on the same kind of device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "irn/gradient/cpu_gradient.h"
#include "irn/optim/certifier.h"
#include "irn/optim/optimiser.h"

namespace irn {

// A training step: a forward pass and the slopes of its loss; weights as in backward().
template <class T>
struct StepOrder {
  const Forward<T>& forward;
  std::span<const T> slopes, weights;
  double clip = 0;  // the largest norm of the gradient; 0: no clipping
  double rate_factor = 1;
};
struct StepDone {
  std::size_t used = 0;      // samples in the gradient with a weight above 0
  double gradient_norm = 0;  // before clipping; 0 if not asked for
  double mean_products = 0;  // GradientResult::products
  bool applied = false;
};

// For one caller at a time.
template <class T>
class Engine {
 public:
  virtual ~Engine() = default;

  virtual Device device() const = 0;
  virtual const Architecture& architecture() const = 0;
  virtual const Solver& solver() const = 0;  // what Auto became
  virtual double tolerance() const = 0;
  virtual std::size_t workers() const = 0;  // the most that may call a visitor at once

  // The network's parameters have changed.
  virtual void upload(const NetworkOf<T>& network) = 0;

  // Finds states and verdicts of samples index[0..]; `starts` as in Settler.
  virtual void settle(const Samples<T>& samples, std::span<const std::uint64_t> index,
                      std::span<const T> starts, Equilibria<T>& out) = 0;
  // Settles samples first .. first + count - 1 and hands whole parts to a visitor (see Settler).
  using Visitor = std::function<void(std::size_t begin, const Equilibria<T>& states, std::size_t worker)>;
  virtual void settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count, std::size_t part,
                            const Visitor& visit) = 0;

  // A forward pass, and any number of backward passes: the adjoint equation of every sample, and the sum over
  // them.
  virtual void forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                       std::span<const T> starts, Forward<T>& out) = 0;
  virtual void backward(const Forward<T>& forward, std::span<const T> slopes, std::span<const T> weights,
                        GradientResult<T>& out) = 0;

  // One step of the optimiser, kept within bounds by the certifier if there is one. Afterwards the network's
  // parameters, and the engine's copy of them, are the new ones.
  virtual StepOutcome step(OptimiserOf<T>& optimiser, Certifier<T>* certifier, NetworkOf<T>& network,
                           std::span<const T> gradient, double rate_factor) = 0;

  // backward() and step() in one, so that the gradient may stay on the device. It is clipped; no step is made
  // if no sample with a weight above 0 could be used. Parameters and moments may stay on the device, too,
  // until bring_back().
  virtual StepDone advance(const StepOrder<T>& order, OptimiserOf<T>& optimiser, Certifier<T>* certifier,
                           NetworkOf<T>& network) = 0;
  // Brings the network's parameters and the optimiser's moments up to date with the last step.
  virtual void bring_back(OptimiserOf<T>&, NetworkOf<T>&) {}
  virtual void bring_parameters(NetworkOf<T>&) {}  // without the moments
};

// An engine that settles, and one that differentiates, too. Which device, the options say.
template <class T>
std::unique_ptr<Engine<T>> make_engine(const NetworkOf<T>& network, const SettleOptions& options,
                                       ThreadPool& threads);
template <class T>
std::unique_ptr<Engine<T>> make_engine(const NetworkOf<T>& network, const GradientOptions& options,
                                       ThreadPool& threads);

}  // namespace irn
