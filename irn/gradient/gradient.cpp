#include "irn/gradient/gradient.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/gradient/chunk_adjoint.h"
#include "irn/kernels/flush_denormals.h"
#include "irn/kernels/outer.h"
#include "irn/network/operator_algebra.h"

namespace irn {

namespace {

void check(const Gradient& gradient) {
  if (const auto* t = std::get_if<TruncatedGradient>(&gradient)) {
    if (t->terms == 0) throw Error("gradient truncated: terms is 0; at least one is needed");
    if (!(t->damping > 0 && t->damping <= 1)) throw Error("gradient truncated: damping must lie in (0, 1]");
  }
  if (const auto* u = std::get_if<UnrolledGradient>(&gradient); u && (u->steps == 0 || u->steps > 1'000'000))
    throw Error("gradient unrolled: steps is " + std::to_string(u->steps) + "; give 1 to 1000000");
}

}  // namespace

Gradient gradient_from_text(std::string_view text) {
  const Gradient gradient = parse_choice<Gradient>(text, "gradient");
  check(gradient);
  return gradient;
}
std::string text_of(const Gradient& gradient) { return to_text(gradient); }

template <class T>
struct BatchGradient<T>::Parts {
  Parts(const Network<T>& network, const GradientOptions& chosen, ThreadPool& pool)
      : options(chosen),
        settler(network, chosen.settle, pool, parts_of(network.architecture(), chosen)),
        architecture(network.architecture()),
        threads(pool) {
    check(options.gradient);
    if (!(options.amplification_limit > 1)) throw Error("the limit of amplification must be above 1");
    const bool unrolled = steps() > 0;
    for (std::size_t w = 0; w < threads.size(); ++w) {
      adjoints.push_back(make_chunk_adjoint<T>(settler.packed(), options.gradient));
      if (unrolled) unrolls.push_back(make_chunk_unrolled<T>(settler.packed()));
    }
  }

  static PackedParts parts_of(const Architecture& architecture, const GradientOptions& options) {
    const AdjointKind kind = adjoint_kind(architecture, options.gradient);
    const bool sweep =
        kind == AdjointKind::sweep && !std::holds_alternative<UnrolledGradient>(options.gradient);
    return {.dense_a = kind == AdjointKind::dense,
            .a_transposed = !sweep,
            .a_forward_transposed = sweep,
            .b_transposed = options.input_gradient};
  }

  std::size_t steps() const {
    const auto* unrolled = std::get_if<UnrolledGradient>(&options.gradient);
    return unrolled ? unrolled->steps : 0;
  }
  std::size_t samples_in_batch() const { return index.size(); }
  std::size_t width() const { return adjoints[0]->width(); }

  void settle_forward(const Samples<T>& samples) {
    settler.settle(samples, index, equilibria);
    if (!architecture.recurrent()) return;  // a sweep is exact
    for (std::size_t l = 1; l <= architecture.layers().size(); ++l)
      if (architecture.layers()[l - 1].activation == Activation::relu) turn_off(l);
  }

  // max(1, |z|), against which residuals are measured.
  T state_size(std::size_t s) const {
    T largest = 1;
    for (const T& z : equilibria.state(s)) largest = std::max(largest, std::abs(z));
    return largest;
  }

  // A relu neuron that the flow turns off comes to rest a little above zero, and slopes are read from values: what lies
  // within the tolerance of zero is off.
  void turn_off(std::size_t layer) {
    const std::size_t n = architecture.neurons(), size = architecture.layers()[layer - 1].size;
    for (std::size_t s = 0; s < index.size(); ++s) {
      if (!equilibria.settled(s)) continue;
      T* z = equilibria.states.data() + s * n;
      const T bound = static_cast<T>(settler.tolerance()) * state_size(s);
      for (T* v = z + architecture.first_neuron(layer); v < z + architecture.first_neuron(layer) + size; ++v)
        if (*v <= bound) *v = 0;
    }
  }

  void unroll_forward(const Samples<T>& samples) {
    const std::size_t n = architecture.neurons(), batch = index.size();
    equilibria.neurons = n;
    equilibria.states.resize(batch * n);
    equilibria.verdicts.resize(batch);
    visited.resize(steps() * batch * n);
    residuals.resize(batch);
    const std::span<const std::uint64_t> all(index);
    for_groups([&](std::size_t first, std::size_t count, std::size_t worker) {
      unrolls[worker]->forward(samples, all.subspan(first, count), steps(), visited.data() + first * n,
                               batch * n, equilibria.states.data() + first * n, residuals.data() + first);
    });
    for (std::size_t s = 0; s < batch; ++s) {
      const double bound = settler.tolerance() * double(state_size(s));
      const Outcome outcome = !std::isfinite(residuals[s]) ? Outcome::not_finite
                              : residuals[s] <= bound      ? Outcome::settled
                                                           : Outcome::step_limit;
      equilibria.verdicts[s] = {outcome, static_cast<std::uint32_t>(steps() + 1), residuals[s]};
    }
  }

  template <class Body>
  void for_groups(const Body& body) {
    const std::size_t batch = index.size(), w = width();
    threads.for_each((batch + w - 1) / w, [&](std::size_t task, std::size_t worker) {
      const kernels::FlushDenormals flush;
      body(task * w, std::min(w, batch - task * w), worker);
    });
  }

  AdjointTask<T> task(std::size_t first, std::size_t count, std::span<const T> loss_slopes) {
    const std::size_t n = architecture.neurons();
    return {count,
            equilibria.states.data() + first * n,
            loss_slopes.data() + first * architecture.outputs(),
            deltas.data() + first * n,
            result.amplification.data() + first,
            result.products.data() + first};
  }

  void solve_adjoints(std::span<const T> loss_slopes) {
    deltas.resize(index.size() * architecture.neurons());
    for_groups([&](std::size_t first, std::size_t count, std::size_t worker) {
      adjoints[worker]->solve(task(first, count, loss_slopes));
    });
  }

  // deltas hold [step][sample][neuron]; their sum over steps is what the input and the bias see.
  void unroll_backward(std::span<const T> loss_slopes) {
    const std::size_t n = architecture.neurons(), batch = index.size();
    step_deltas.resize(steps() * batch * n);
    deltas.assign(batch * n, T(0));
    for_groups([&](std::size_t first, std::size_t count, std::size_t worker) {
      unrolls[worker]->backward(task(first, count, loss_slopes), steps(), visited.data() + first * n,
                                batch * n, step_deltas.data() + first * n);
    });
    for (std::size_t t = 0; t < steps(); ++t)
      for (std::size_t k = 0; k < batch * n; ++k) deltas[k] += step_deltas[t * batch * n + k];
    std::fill(result.amplification.begin(), result.amplification.end(), 1.0);
  }

  // Decides which samples count; the deltas of the others become zero.
  void select_samples() {
    const std::size_t n = architecture.neurons();
    result.used = 0;
    states_used.clear();
    for (std::size_t s = 0; s < index.size(); ++s) {
      T* delta = deltas.data() + s * n;
      const GradientOutcome outcome = judge(s, delta, n);
      result.outcomes[s] = outcome;
      const bool counts = outcome == GradientOutcome::used || outcome == GradientOutcome::limited;
      if (counts)
        ++result.used;
      else
        discard(s, delta, n);
      if (outcome == GradientOutcome::limited)
        for (std::size_t i = 0; i < n; ++i)
          delta[i] *= static_cast<T>(options.amplification_limit / result.amplification[s]);
    }
  }
  GradientOutcome judge(std::size_t s, const T* delta, std::size_t n) const {
    if (steps() == 0 && !equilibria.settled(s)) return GradientOutcome::not_settled;
    if (equilibria.verdicts[s].outcome == Outcome::not_finite) return GradientOutcome::not_finite;
    const bool finite = all_finite({delta, n});
    const double amplification = result.amplification[s];
    if (!finite || std::isinf(amplification))
      return steps() == 0 && std::isinf(amplification) ? GradientOutcome::fold : GradientOutcome::not_finite;
    if (amplification <= options.amplification_limit || options.on_fold == OnFold::keep)
      return GradientOutcome::used;
    return options.on_fold == OnFold::limit ? GradientOutcome::limited : GradientOutcome::fold;
  }
  // Of what is left out the inputs and states go, too: 0 times one that is not finite would not be 0.
  void discard(std::size_t s, T* delta, std::size_t n) {
    std::fill_n(delta, n, T(0));
    std::fill_n(inputs.data() + s * architecture.inputs(), architecture.inputs(), T(0));
    for (std::size_t t = 0; t < steps(); ++t) {
      std::fill_n(step_deltas.data() + (t * index.size() + s) * n, n, T(0));
      std::fill_n(visited.data() + (t * index.size() + s) * n, n, T(0));
    }
    if (steps() > 0 || equilibria.verdicts[s].outcome != Outcome::not_finite) return;
    if (states_used.empty()) states_used = equilibria.states;
    std::fill_n(states_used.data() + s * n, n, T(0));
  }

  struct RowRange {
    std::size_t block, row, rows;
  };

  // The parameters' gradient, a mean over the samples in use: sums of outer products, cut into row ranges so that threads
  // share the work without touching the order of a sum, and the biases. Tells whether all of it is finite: a sum of finite
  // terms can still overflow.
  bool accumulate() {
    tasks.clear();
    for (std::size_t b = 0; b < architecture.blocks().size(); ++b) {
      const Block& block = architecture.blocks()[b];
      const std::size_t piece = rows_a_task(block);
      for (std::size_t row = 0; row < block.rows; row += piece)
        tasks.push_back({b, row, std::min(piece, block.rows - row)});
    }
    const T share = result.used > 0 ? T(1) / static_cast<T>(result.used) : T(0);
    std::atomic<bool> finite = true;
    threads.for_each(tasks.size() + 1, [&](std::size_t k, std::size_t) {
      const kernels::FlushDenormals flush;
      if (!scale(k < tasks.size() ? sum_weights(tasks[k]) : sum_biases(), share)) finite = false;
    });
    return finite;
  }
  // Tall enough that the states are read few times, short enough that every thread has two. The bits of a sum do not depend on
  // the shape, unless it is OpenBLAS's.
  std::size_t rows_a_task(const Block& block) const {
    if (!block.dense()) return block.rows;
    if (block.cols >= kernels::blas_columns) return 96;
    constexpr std::size_t tile = 6;
    const std::size_t share = block.rows / (2 * threads.size());
    return std::clamp((share + tile - 1) / tile * tile, 2 * tile, 8 * tile);
  }
  std::span<T> sum_weights(const RowRange& range) {
    const std::size_t n = architecture.neurons(), batch = index.size();
    const Block& block = architecture.blocks()[range.block];
    const bool unrolled = steps() > 0, steps_count = unrolled && !block.from_input();
    const T* u = (steps_count ? step_deltas.data() : deltas.data()) + block.row + range.row;
    const std::vector<T>& states = unrolled ? visited : states_used.empty() ? equilibria.states : states_used;
    const T* v = block.from_input() ? inputs.data() : states.data() + block.col;
    const std::size_t terms = steps_count ? steps() * batch : batch,
                      v_stride = block.from_input() ? architecture.inputs() : n;
    T* out = result.parameters.data() + block.weights;
    if (!block.dense()) {
      sum_gradient(block, settler.packed().numbers.data() + block.weights, terms, u, n, v, v_stride, out);
      return {out, block.parameters};
    }
    out += range.row * block.cols;
    kernels::sum_outer<T>(terms, u, n, range.rows, v, v_stride, block.cols, out);
    return {out, range.rows * block.cols};
  }
  std::span<T> sum_biases() {
    const std::size_t n = architecture.neurons();
    T* bias = result.parameters.data() + architecture.biases();
    std::fill_n(bias, n, T(0));
    for (std::size_t s = 0; s < index.size(); ++s)
      for (std::size_t i = 0; i < n; ++i) bias[i] += deltas[s * n + i];
    return {bias, n};
  }

  // Tells, too, whether all of it is finite.
  bool find_input_gradient(std::span<const T> loss_slopes) {
    const std::size_t m = architecture.inputs();
    result.inputs.resize(index.size() * m);
    std::atomic<bool> finite = true;
    for_groups([&](std::size_t first, std::size_t count, std::size_t worker) {
      T* out = result.inputs.data() + first * m;
      adjoints[worker]->input_gradient(task(first, count, loss_slopes), out);
      if (!all_finite({out, count * m})) finite = false;
    });
    return finite;
  }

  // Multiplies all values; tells whether they are finite.
  static bool scale(std::span<T> values, T factor) {
    for (T& v : values) v *= factor;
    return all_finite(values);
  }
  // Seen by their bits, many at a time.
  static bool all_finite(std::span<const T> values) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    Bits full = 0;
    for (const T& v : values) full |= static_cast<Bits>((std::bit_cast<Bits>(v) & exponent) == exponent);
    return full == 0;
  }

  // Nothing of a gradient that is not finite is used.
  void discard_all() {
    std::fill(result.parameters.begin(), result.parameters.end(), T(0));
    std::fill(result.inputs.begin(), result.inputs.end(), T(0));
    std::fill(result.outcomes.begin(), result.outcomes.end(), GradientOutcome::not_finite);
    result.used = 0;
  }

  GradientOptions options;
  Settler<T> settler;
  Architecture architecture;
  ThreadPool& threads;
  std::vector<std::unique_ptr<ChunkAdjoint<T>>> adjoints;
  std::vector<std::unique_ptr<ChunkUnrolled<T>>> unrolls;
  std::vector<std::uint64_t> index;
  std::vector<T> inputs, deltas, step_deltas, visited;
  std::vector<T> states_used;  // in place of the equilibria's where one of these is not finite
  std::vector<double> residuals;
  std::vector<RowRange> tasks;
  Equilibria<T> equilibria;
  GradientResult<T> result;
};

template <class T>
BatchGradient<T>::BatchGradient(const Network<T>& network, const GradientOptions& options,
                                ThreadPool& threads)
    : parts_(std::make_unique<Parts>(network, options, threads)) {}
template <class T>
BatchGradient<T>::~BatchGradient() = default;
template <class T>
BatchGradient<T>::BatchGradient(BatchGradient&&) noexcept = default;

template <class T>
void BatchGradient<T>::update(const Network<T>& network) {
  parts_->settler.update(network);
  parts_->index.clear();  // the states of the last forward() are of other parameters
}

template <class T>
const Equilibria<T>& BatchGradient<T>::forward(const Samples<T>& samples,
                                               std::span<const std::uint64_t> index) {
  Parts& p = *parts_;
  p.settler.check(samples);
  p.index.assign(index.begin(), index.end());
  p.inputs.resize(index.size() * samples.inputs());
  try {
    p.steps() > 0 ? p.unroll_forward(samples) : p.settle_forward(samples);
    samples.inputs_as_rows(index, p.inputs.data());
  } catch (...) {
    p.index.clear();  // nothing to differentiate
    throw;
  }
  return p.equilibria;
}

template <class T>
const GradientResult<T>& BatchGradient<T>::backward(std::span<const T> loss_slopes) {
  Parts& p = *parts_;
  const std::size_t batch = p.index.size(), outputs = p.architecture.outputs();
  if (loss_slopes.size() != batch * outputs)
    throw Error("a gradient of " + std::to_string(batch) + " samples needs " +
                std::to_string(batch * outputs) + " loss slopes, but " + std::to_string(loss_slopes.size()) +
                " were given");
  p.result.parameters.resize(p.architecture.parameters());
  p.result.outcomes.resize(batch);
  p.result.amplification.resize(batch);
  p.result.products.assign(batch, 0.0);
  p.steps() > 0 ? p.unroll_backward(loss_slopes) : p.solve_adjoints(loss_slopes);
  p.select_samples();
  bool finite = p.accumulate();
  if (p.options.input_gradient) finite = p.find_input_gradient(loss_slopes) && finite;
  if (!finite) p.discard_all();
  return p.result;
}

template class BatchGradient<float>;
template class BatchGradient<double>;

}  // namespace irn
