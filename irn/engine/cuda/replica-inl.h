// Training of one network of the paper's shape, inputs - hidden - 2 sigmoid neurons, on the damped oscillator
// (a *replica*), as the threads of a device do it, many replicas side by side:
//   sample_step()     a thread for each sample of the batch: draw it, settle it, solve the adjoint equation
//   parameter_step()  all threads of the replica: sum over the samples and step by Adam, parameter by
//                     parameter
// with a barrier after each. Samples are summed in their order, so a replica's bits depend neither on the
// number of threads nor on other replicas.
//
// The rules are the processor's: a sample counts if it settled (irn/equilibrium/outcome.h) and its adjoint is
// no fold (irn/gradient/equilibrium_method.cpp); if no sample counts, no step is made. Two things differ.
// Whether a doubtful equilibrium attracts is decided by the powers of its Cayley transform alone, higher
// ones, not by eigenvalues. And a sample that does not settle soon is given up in training (Effort), where
// the processor tries again. Also compiled for the host, where replica_test.cpp compares it with Trainer.
//
// No number here can leave the range of float: states are in [0, 1], |x| <= 7 spread, amplifications beyond
// 1e4 are left out.
#ifndef IRN_ENGINE_CUDA_REPLICA_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_INL_H_

#include "irn/engine/cuda/replica_thread-inl.h"

namespace irn::plain {

// The numbers of a replica in training. Weights are in the order of ReplicaShape; inputs [point][sample];
// deltas and states [sample][neuron].
struct ReplicaMemory {
  std::size_t points, batch;
  float *weights, *inputs, *deltas, *states;
  SampleNote* notes;
};

// Sample `s` of a batch: number `index` of the training set. Its results are kept unless it only fills up the
// threads of a warp.
template <class Sample>
IRN_FN void sample_step(const ReplicaTask& task, const ReplicaMemory& memory, std::size_t s,
                        std::uint64_t index, bool kept = true) {
  using V = typename Sample::V;
  OscillatorThread drawn(task.train, index);
  Sample sample(task.shape, memory.weights);
  sample.load(drawn, kept ? memory.inputs + s : nullptr, memory.batch);
  const Verdict verdict = sample.settle(task, Effort::training);
  const bool settled = verdict.outcome == Outcome::settled;
  float loss = 0, g[2];  // g: the slope of the mean over the two targets
  for (std::size_t k = 0; k < 2; ++k) {
    g[k] = sample.output(k) - drawn.target(k);
    loss += g[k] * g[k] / 2;
  }
  V u[Sample::room];
  const bool used = sample.adjoint(task, g, u) && settled;
  if (!kept) return;
  const std::size_t n = neurons_of<typename Sample::Neurons>(task.shape);
  for (std::size_t r = 0; r < sample.here(); ++r) {
    const std::size_t i = unknown<V>(r);
    if (i >= n) break;
    memory.deltas[s * n + i] = used ? (sample.slope(r) * u[r]).lane(0) : 0.0f;
    memory.states[s * n + i] = used ? sample.state(r).lane(0) : 0.0f;
  }
  if (V::Share::rank() == 0) memory.notes[s] = {loss, verdict.evaluations, settled, used};
}

// Adds a step to the record of its epoch.
IRN_INLINE void note_step(const SampleNote* notes, std::size_t batch, EpochSums& epoch) {
  double loss = 0;
  std::uint32_t settled = 0;
  for (std::size_t s = 0; s < batch; ++s) {
    epoch.evaluations += notes[s].evaluations;
    epoch.used += notes[s].used;
    if (notes[s].settled) loss += double(notes[s].loss), ++settled;
  }
  epoch.settled += settled;
  ++epoch.steps;
  if (settled > 0) epoch.loss += loss / settled, ++epoch.counted;
}
IRN_INLINE std::uint32_t used_of(const SampleNote* notes, std::size_t batch) {
  std::uint32_t used = 0;
  for (std::size_t s = 0; s < batch; ++s) used += notes[s].used;
  return used;
}

// The number of sample `s` in step `step` of a replica.
IRN_INLINE std::uint64_t sample_of(const ReplicaTask& task, const ReplicaState& state, std::uint64_t step,
                                   std::size_t s) {
  const std::uint64_t batches = task.batches_per_epoch,
                      batch = batches == 0 ? step
                                           : step / task.steps_per_epoch * batches +
                                                 step % task.steps_per_epoch % batches;
  return draw_below(task.train.seed, state.stream, batch * task.shape.batch + s, task.train_samples);
}

// Adam (irn/kernels/adam.h); the bias correction is in `size` and `epsilon`.
struct AdamThread {
  float less1, beta2, less2, size, epsilon, share;
  IRN_INLINE AdamThread(const ReplicaTask& task, const ReplicaState& state, const AdamNumbers* table,
                        std::uint32_t used)
      : less1(task.less1), beta2(task.beta2), less2(task.less2), share(1.0f / static_cast<float>(used)) {
    const AdamNumbers numbers = table[state.applied < adam_table_size ? state.applied : adam_table_size - 1];
    size = state.rate * numbers.size, epsilon = numbers.epsilon;
  }
  IRN_INLINE void operator()(float sum, Moments& moments, float& p) const {
    const float g = sum * share;
    const Moments old = moments;
    const float m = std::fma(less1, g - old.first, old.first);
    const float v = std::fma(beta2, old.second, less2 * (g * g));
    moments = {m, v};
    p = std::fma(-size, m / (std::sqrt(v) + epsilon), p);
  }
};

// sum_s delta_s other_s; `known`: the batch's size, or 0 if it is not known to the compiler.
template <std::size_t known>
IRN_INLINE float sum_of_products(const float* delta, std::size_t n, const float* other, std::size_t stride,
                                 std::size_t batch) {
  float sum = 0;
  if constexpr (known > 0) {
    IRN_UNROLL
    for (std::size_t s = 0; s < known; ++s) sum = std::fma(delta[s * n], other[s * stride], sum);
  } else {
    for (std::size_t s = 0; s < batch; ++s) sum = std::fma(delta[s * n], other[s * stride], sum);
  }
  return sum;
}

// B's weights for the points lane, lane + lanes, ... All operands of several of them are read before anything
// is written, so that reads overlap.
template <std::size_t known, class Size>
IRN_FN void input_step(Size n, const ReplicaMemory& memory, const AdamThread& adam, Moments* moments,
                       std::size_t lane, std::size_t lanes) {
  constexpr std::size_t hidden = Size::value - 2, ahead = hidden >= 8 ? 1 : hidden >= 3 ? 2 : 4;
  const std::size_t points = memory.points;
  float deltas[known][hidden];
  IRN_UNROLL
  for (std::size_t s = 0; s < known; ++s) IRN_UNROLL
  for (std::size_t i = 0; i < hidden; ++i) deltas[s][i] = memory.deltas[s * n + i];
  for (std::size_t from = lane; from < points; from += ahead * lanes) {
    Moments old[ahead][hidden];
    float sum[ahead][hidden], p[ahead][hidden];
    IRN_UNROLL
    for (std::size_t k = 0; k < ahead; ++k) {
      const std::size_t point = from + k * lanes < points ? from + k * lanes : from;
      float x[known];
      IRN_UNROLL
      for (std::size_t s = 0; s < known; ++s) x[s] = memory.inputs[point * known + s];
      IRN_UNROLL
      for (std::size_t i = 0; i < hidden; ++i) {
        old[k][i] = moments[point * hidden + i], p[k][i] = memory.weights[point * hidden + i];
        sum[k][i] = 0;
        IRN_UNROLL
        for (std::size_t s = 0; s < known; ++s) sum[k][i] = std::fma(deltas[s][i], x[s], sum[k][i]);
      }
    }
    IRN_UNROLL
    for (std::size_t k = 0; k < ahead; ++k)
      if (from + k * lanes < points) IRN_UNROLL
    for (std::size_t i = 0; i < hidden; ++i) {
      const std::size_t at = (from + k * lanes) * hidden + i;
      adam(sum[k][i], old[k][i], p[k][i]);
      moments[at] = old[k][i], memory.weights[at] = p[k][i];
    }
  }
}

// Hidden neurons few enough that the deltas of a batch fit into registers.
template <class Size>
inline constexpr bool has_few_neurons = false;
template <std::size_t n>
inline constexpr bool has_few_neurons<std::integral_constant<std::size_t, n>> = n <= 10;

// Updates the parameters lane, lane + lanes, ... of `count`, whose gradients are sum(e). Moments of several
// are read before they are needed.
template <class Sum>
IRN_FN void some_at_a_time(std::size_t count, float* weights, const AdamThread& adam, Moments* moments,
                           std::size_t lane, std::size_t lanes, const Sum& sum) {
  constexpr std::size_t ahead = 4;
  for (std::size_t from = lane; from < count; from += ahead * lanes) {
    Moments old[ahead];
    IRN_UNROLL
    for (std::size_t k = 0; k < ahead; ++k)
      if (from + k * lanes < count) old[k] = moments[from + k * lanes];
    IRN_UNROLL
    for (std::size_t k = 0; k < ahead; ++k) {
      const std::size_t e = from + k * lanes;
      if (e >= count) break;
      adam(sum(e), old[k], weights[e]);
      moments[e] = old[k];
    }
  }
}

// Updates the parameters of thread `lane` of `lanes`.
template <bool recurrent, std::size_t known, class Size>
IRN_FN void parameter_step(Size n, const ReplicaMemory& memory, const AdamThread& adam, Moments* moments,
                           std::size_t lane, std::size_t lanes) {
  const std::size_t hidden = n - 2, points = memory.points, batch = known > 0 ? known : memory.batch;
  if constexpr (known > 0 && has_few_neurons<Size>)
    input_step<known>(n, memory, adam, moments, lane, lanes);
  else
    some_at_a_time(points * hidden, memory.weights, adam, moments, lane, lanes, [&](std::size_t e) {
      return sum_of_products<known>(memory.deltas + e % hidden, n, memory.inputs + e / hidden * batch, 1,
                                    batch);
    });
  float* a = memory.weights + points * hidden;
  Moments* of_a = moments + points * hidden;
  const auto sum_of_a = [&](std::size_t e) {
    return sum_of_products<known>(memory.deltas + e / n, n, memory.states + e % n, n, batch);
  };
  if constexpr (recurrent && !has_few_neurons<Size>)
    some_at_a_time(n * n, a, adam, of_a, lane, lanes, sum_of_a);
  else
    for (std::size_t e = lane; e < n * n; e += lanes)
      if (recurrent || (e / n >= hidden && e % n < hidden)) adam(sum_of_a(e), of_a[e], a[e]);
  for (std::size_t i = lane; i < n; i += lanes) {
    float sum = 0;
    for (std::size_t s = 0; s < batch; ++s) sum += memory.deltas[s * n + i];
    adam(sum, of_a[n * n + i], a[n * n + i]);
  }
}

// The answer to sample `index` of the test set.
template <class Sample>
IRN_FN TestAnswer test_sample(const ReplicaTask& task, const float* weights, std::uint64_t index,
                              Effort effort) {
  OscillatorThread drawn(task.test, index);
  Sample sample(task.shape, weights);
  sample.load(drawn);
  TestAnswer answer;
  answer.verdict = sample.settle(task, effort);
  for (std::size_t k = 0; k < 2; ++k) {
    const double error = double(sample.output(k)) - double(drawn.target(k));
    answer.squares += error * error;
  }
  return answer;
}
// The paper's solver on that sample.
template <class Sample>
IRN_FN Verdict paper_sample(const ReplicaTask& task, const float* weights, std::uint64_t index) {
  OscillatorThread drawn(task.test, index);
  Sample sample(task.shape, weights);
  sample.load(drawn);
  return sample.settle_as_paper(task);
}

}  // namespace irn::plain

#endif
