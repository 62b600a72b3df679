#include "irn/gradient/cpu_gradient.h"

#include <atomic>
#include <cmath>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/gradient/chunk_adjoint.h"
#include "irn/gradient/method.h"
#include "irn/gradient/off_neurons.h"
#include "irn/network/check_inputs.h"

namespace irn {
namespace {

// A new id for each set of parameters of any gradient, and for each pass; never 0.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

// The products with A^T of a backward pass; a solver of the adjoint equation may need another form of A.
PackedNeeds needs_of(const Architecture& architecture, const GradientOptions& options) {
  PackedNeeds needs{.a_transposed = true, .b_transposed = options.input_gradient};
  if (!std::visit([]<class Options>(const Options&) { return solves_adjoint<Options>; }, options.gradient))
    return needs;
  const AdjointKind kind = adjoint_kind(architecture, options.gradient);
  needs.dense_a = kind == AdjointKind::dense;
  needs.a_forward_transposed = kind == AdjointKind::sweep;
  needs.a_transposed = !needs.a_forward_transposed;
  return needs;
}

template <class T>
std::unique_ptr<GradientMethod<T>> method_of(const MethodContext<T>& context) {
  return std::visit([&](const auto& gradient) { return make_method<T>(context, gradient); },
                    context.options.gradient);
}

GradientOptions checked(const GradientOptions& options) {
  check(options.gradient);
  if (!(options.amplification_limit > 1)) throw Error("the limit of amplification must be above 1");
  return options;
}

std::string counted(std::size_t count, const char* what) { return std::to_string(count) + " " + what; }

}  // namespace

template <class T>
struct CpuGradient<T>::Inside {
  Inside(const NetworkOf<T>& network, const GradientOptions& chosen, ThreadPool& pool,
         const ChunkSource<T>* source)
      : options(checked(chosen)),
        architecture(network.architecture()),
        threads(pool),
        settler(network, settling_of(options), pool, needs_of(architecture, options), source),
        heads(head_ranges(architecture, options)),
        method(method_of<T>({options, settler, heads})),
        sums(architecture, settler.packed().numbers, pool) {
    for (const HeadRange& head : heads) slopes_a_sample += head.size;
    for (std::size_t w = 0; options.input_gradient && w < pool.size(); ++w)
      input_gradients.push_back(make_chunk_input_gradient<T>(settler.packed()));
  }

  void check_backward(const Forward<T>& forward, std::span<const T> slopes,
                      std::span<const T> weights) const {
    if (forward.empty()) throw Error("backward() needs a forward() pass first");
    if (forward.parameters != parameters)
      throw Error(
          "backward() needs a forward() pass of the present parameters; update() was called since this one, "
          "or another gradient made it");
    const std::size_t batch = forward.size();
    if (slopes.size() != batch * slopes_a_sample)
      throw Error("a gradient of " + counted(batch, "samples") + " needs " +
                  counted(batch * slopes_a_sample, "loss slopes") + ", but " +
                  counted(slopes.size(), "were given"));
    if (!weights.empty() && weights.size() != batch)
      throw Error("a gradient of " + counted(batch, "samples") + " takes as many weights, but " +
                  counted(weights.size(), "were given"));
    for (const T w : weights)
      if (!(w >= 0 && std::isfinite(w))) throw Error("a sample's weight must be a number, zero or more");
  }

  // Describes the memory of a pass, for an error message.
  std::string memory_text(std::size_t batch) const {
    return "gradient " + to_text(options.gradient) + " of " + counted(batch, "samples") + " and " +
           counted(architecture.neurons(), "neurons");
  }

  // factors: the factor on each sample's deltas, 0 if it is left out.
  void choose_factors(GradientResult<T>& out) {
    out.used = 0;
    factors.resize(out.outcomes.size());
    for (std::size_t s = 0; s < factors.size(); ++s) {
      const GradientOutcome outcome = out.outcomes[s];
      out.used += is_used(outcome);
      factors[s] = factor_of<T>(outcome, out.amplification[s], options.amplification_limit);
    }
  }

  // Multiplies deltas and factors by the weights. Returns 1 / the sum of the weights of the samples used, 0
  // if that is 0.
  T apply(std::span<const T> weights, const GradientResult<T>& out) {
    if (weights.empty()) return out.used > 0 ? T(1) / static_cast<T>(out.used) : T(0);
    double sum = 0;
    for (std::size_t s = 0; s < weights.size(); ++s) {
      if (is_used(out.outcomes[s])) sum += double(weights[s]);
      factors[s] *= weights[s];
    }
    weigh_rows<T>(weights, architecture.neurons(), 1, deltas.data());
    return sum > 0 ? T(1) / static_cast<T>(sum) : T(0);
  }

  // Returns whether the sums are finite.
  bool sum_parameters(const Forward<T>& forward, T share, GradientResult<T>& out) {
    const std::size_t batch = forward.size(), slices = method->slices();
    const Pairs<T> inputs{
        batch, deltas.data(),
        without_left_out<T>(factors, architecture.inputs(), 1, forward.inputs.data(), inputs_used)};
    bool finite = true;
    for (std::size_t slice = 0; slice < slices; ++slice)
      finite = sums.add(method->pairs(forward, deltas, factors, slice), inputs, slice, slices, share,
                        out.parameters);
    return finite;
  }

  // Returns whether the input gradient is finite.
  bool find_input_gradient(GradientResult<T>& out) {
    if (!options.input_gradient) return true;
    const std::size_t n = architecture.neurons(), m = architecture.inputs(), batch = out.outcomes.size();
    out.inputs.resize(batch * m);
    for_groups(threads, batch, input_gradients[0]->width(),
               [&](std::size_t first, std::size_t count, std::size_t worker) {
                 input_gradients[worker]->multiply(count, deltas.data() + first * n,
                                                   out.inputs.data() + first * m);
               });
    return all_finite(std::span<const T>(out.inputs));
  }

  // A gradient that is not finite is not used at all.
  static void discard_all(GradientResult<T>& out) {
    std::fill(out.parameters.begin(), out.parameters.end(), T(0));
    std::fill(out.inputs.begin(), out.inputs.end(), T(0));
    std::fill(out.outcomes.begin(), out.outcomes.end(), GradientOutcome::not_finite);
    out.used = 0;
  }

  GradientOptions options;
  Architecture architecture;
  ThreadPool& threads;
  CpuSettler<T> settler;
  std::vector<HeadRange> heads;
  std::size_t slopes_a_sample = 0;
  std::unique_ptr<GradientMethod<T>> method;
  ParameterSums<T> sums;
  std::vector<std::unique_ptr<ChunkInputGradient<T>>> input_gradients;
  std::uint64_t parameters = next_number();
  std::vector<T> deltas, factors, inputs_used;
};

template <class T>
CpuGradient<T>::CpuGradient(const NetworkOf<T>& network, const GradientOptions& options, ThreadPool& threads,
                            const ChunkSource<T>* source)
    : inside_(std::make_unique<Inside>(network, options, threads, source)) {}
template <class T>
CpuGradient<T>::~CpuGradient() = default;
template <class T>
CpuGradient<T>::CpuGradient(CpuGradient&&) noexcept = default;

template <class T>
void CpuGradient<T>::update(const NetworkOf<T>& network) {
  inside_->settler.update(network);
  changed_elsewhere();
}
template <class T>
void CpuGradient<T>::changed_elsewhere() {
  inside_->parameters = next_number();
}
template <class T>
void CpuGradient<T>::catch_up(const NetworkOf<T>& network) {
  inside_->settler.update(network);
}
template <class T>
void CpuGradient<T>::check_backward(const Forward<T>& forward, std::span<const T> slopes,
                                    std::span<const T> weights) const {
  inside_->check_backward(forward, slopes, weights);
}

template <class T>
void CpuGradient<T>::forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out,
                             std::span<const T> starts, bool with_inputs) {
  out.parameters = 0;  // until the pass has succeeded there is nothing to differentiate
  check_inputs(samples, inside_->architecture);
  if (samples.gates() != 0 && iteration_of(inside_->options.gradient))
    throw Error("gradient " + to_text(inside_->options.gradient) +
                " does not have dropout; take exact, semi or truncated");
  // Throws if `starts` does not fit.
  StartStates<T>(starts, inside_->architecture.neurons(), index.size());
  const auto run = [&] {
    out.starts.assign(starts.begin(), starts.end());
    inside_->method->forward(samples, index, out);
    if (!iteration_of(inside_->options.gradient))
      turn_off_neurons(inside_->architecture, inside_->settler.tolerance() * inside_->options.settle.floor,
                       out.equilibria, inside_->threads);
  };
  within_memory(run, [&] { return inside_->memory_text(index.size()); });
  add_gates(samples, index, out);
  out.inputs.clear();
  if (with_inputs) add_inputs(samples, index, out);
  out.parameters = inside_->parameters;
  out.pass = next_number();
}
template <class T>
Forward<T> CpuGradient<T>::forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                                   std::span<const T> starts) {
  Forward<T> out;
  forward(samples, index, out, starts);
  return out;
}
template <class T>
void CpuGradient<T>::add_inputs(const Samples<T>& samples, std::span<const std::uint64_t> index,
                                Forward<T>& out) const {
  within_memory([&] { out.inputs.resize(index.size() * samples.inputs()); },
                [&] { return inside_->memory_text(index.size()); });
  samples.inputs_as_rows(index, out.inputs.data());
}
template <class T>
void CpuGradient<T>::add_gates(const Samples<T>& samples, std::span<const std::uint64_t> index,
                               Forward<T>& out) const {
  const std::size_t n = samples.gates();
  within_memory([&] { out.gates.resize(index.size() * n); },
                [&] { return inside_->memory_text(index.size()); });
  if (n == 0) return;
  inside_->threads.for_ranges(index.size(), 1, [&](std::size_t first, std::size_t count) {
    samples.gates_as_rows(index.subspan(first, count), out.gates.data() + first * n);
  });
}
template <class T>
CpuSettler<T>& CpuGradient<T>::settler() {
  return inside_->settler;
}
template <class T>
const CpuSettler<T>& CpuGradient<T>::settler() const {
  return inside_->settler;
}

template <class T>
void CpuGradient<T>::backward(const Forward<T>& forward, std::span<const T> slopes, GradientResult<T>& out,
                              std::span<const T> weights) {
  Inside& p = *inside_;
  p.check_backward(forward, slopes, weights);
  const std::size_t batch = forward.size(), n = p.architecture.neurons();
  bool finite = true;
  const auto run = [&] {
    p.deltas.resize(batch * n);
    out.parameters.resize(p.architecture.parameters());
    out.inputs.clear();
    out.outcomes.resize(batch);
    out.amplification.assign(batch, 1.0);
    out.products.assign(batch, 0.0);
    p.method->backward(forward, slopes, p.deltas, out);
    p.choose_factors(out);
    weigh_rows<T>(p.factors, n, 1, p.deltas.data());
    finite = p.find_input_gradient(out);
    const T share = p.apply(weights, out);
    finite = p.sum_parameters(forward, share, out) && finite;
  };
  within_memory(run, [&] { return p.memory_text(batch); });
  if (!finite) p.discard_all(out);
}
template <class T>
GradientResult<T> CpuGradient<T>::backward(const Forward<T>& forward, std::span<const T> slopes,
                                           std::span<const T> weights) {
  GradientResult<T> out;
  backward(forward, slopes, out, weights);
  return out;
}

template class CpuGradient<float>;
template class CpuGradient<double>;

}  // namespace irn
