// How one kind of gradient gets from samples to states, and from loss slopes to deltas. The sums over samples
// and their weights are in cpu_gradient.cpp.
#pragma once

#include <memory>
#include <type_traits>

#include "irn/gradient/cpu_gradient.h"
#include "irn/gradient/parameter_sums.h"
#include "irn/kernels/flush_denormals.h"

namespace irn {

template <class T>
class GradientMethod {
 public:
  virtual ~GradientMethod() = default;

  // Computes states, verdicts, and what backward() needs from the pass.
  virtual void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) = 0;

  // Fills in what becomes of every sample (result.outcomes; amplification, products), and deltas
  // [sample][neuron]: D u, summed over the steps if there are several. The deltas of a sample that is left
  // out may be anything.
  virtual void backward(const Forward<T>& forward, std::span<const T> slopes, std::vector<T>& deltas,
                        GradientResult<T>& result) = 0;

  // The pairs that make dA, of the last backward(), in consecutive slices. `deltas` must be those of
  // backward() times `factors`, one for each sample.
  virtual std::size_t slices() const { return 1; }
  virtual Pairs<T> pairs(const Forward<T>& forward, const std::vector<T>& deltas, std::span<const T> factors,
                         std::size_t slice) = 0;
};

// What a method uses.
template <class T>
struct MethodContext {
  const GradientOptions& options;
  CpuSettler<T>& settler;
  std::vector<HeadRange> heads;
};

// Makes the method for each gradient of the list; a missing one does not compile.
template <class T>
std::unique_ptr<GradientMethod<T>> make_method(const MethodContext<T>& context,
                                               const UnrolledGradient& gradient);
template <class T>
std::unique_ptr<GradientMethod<T>> make_method(const MethodContext<T>& context,
                                               const ReversibleGradient& gradient);

// The gradients that solve the adjoint equation at an equilibrium (chunk_adjoint.h).
template <class Options>
inline constexpr bool solves_adjoint =
    std::is_same_v<Options, ExactGradient> || std::is_same_v<Options, SemiGradient> ||
    std::is_same_v<Options, TruncatedGradient>;
template <class T>
std::unique_ptr<GradientMethod<T>> make_equilibrium_method(const MethodContext<T>& context);
template <class T, class Options>
  requires solves_adjoint<Options>
std::unique_ptr<GradientMethod<T>> make_method(const MethodContext<T>& context, const Options&) {
  return make_equilibrium_method<T>(context);
}

// Calls body(first, count, worker) for groups of `width` samples.
template <class Body>
void for_groups(ThreadPool& threads, std::size_t batch, std::size_t width, const Body& body) {
  threads.for_each((batch + width - 1) / width, [&](std::size_t task, std::size_t worker) {
    const kernels::FlushDenormals flush;
    body(task * width, std::min(width, batch - task * width), worker);
  });
}

}  // namespace irn
