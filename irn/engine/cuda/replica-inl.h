// One network of the paper's shape, inputs - hidden - 2 sigmoid neurons, in training on the damped oscillator (a *replica*), as the threads of a device
// train it, many side by side:
//   a thread a sample of the batch:   draw it, settle it, solve the adjoint equation          sample_step()
//   all threads of the replica:       sum over the samples and step by Adam, parameter by parameter     parameter_step()
// with a barrier after each. Samples are summed in their order, so that a replica's bits depend neither on the number of threads nor on its company.
//
// The rules are the processor's: a sample counts if it settled (irn/equilibrium/outcome.h) and its adjoint is no fold
// (irn/gradient/equilibrium_method.cpp); without one that counts no step is made. What differs: whether an equilibrium in doubt attracts is decided by the
// powers of its Cayley transform alone, higher ones, not by eigenvalues. Also compiled for the host, where replica_test.cpp holds it beside Trainer.
//
// No number here can leave the range of float: states lie in [0, 1], |x| <= 7 spread, amplifications beyond 1e4 are left out.
#ifndef IRN_ENGINE_CUDA_REPLICA_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_INL_H_

#include "irn/engine/cuda/oscillator_thread-inl.h"
#include "irn/engine/cuda/thread_map-inl.h"
//
#include "irn/engine/cuda/replica_records.h"
#include "irn/equilibrium/explicit-inl.h"
#include "irn/equilibrium/rosenbrock-inl.h"
#include "irn/equilibrium/single_search-inl.h"
#include "irn/equilibrium/tried_again.h"

// A loop whose body is to be compiled once.
#ifdef __CUDACC__
#define IRN_NO_UNROLL _Pragma("unroll 1")
#else
#define IRN_NO_UNROLL
#endif

namespace irn::plain {

using namespace irn::cuda;

// A replica's numbers while it trains. Weights in the order of ReplicaShape; inputs [point][sample]; deltas and states [sample][neuron].
struct ReplicaMemory {
  std::size_t points, batch;
  float *weights, *inputs, *deltas, *states;
  SampleNote* notes;
};

// One sample in one thread: its drive, its state and the map between. V::Size is the number of neurons, `most` of them at most.
template <class V, std::size_t most, bool recurrent>
class SampleThread {
 public:
  using Size = typename V::Size;
  struct NoMap {
    IRN_FN NoMap(Size, const float*, const V*, SigmoidNeurons<V>) {}
  };
  using Map = std::conditional_t<recurrent, ThreadMap<V, most, SigmoidNeurons<V>>, NoMap>;

  // weights: those of a replica.
  IRN_FN SampleThread(Size n, const float* weights, std::size_t points)
      : n_(n),
        points_(points),
        b_(weights),
        a_(weights + points * hidden()),
        map_(n, a_, drive_, SigmoidNeurons<V>{}) {}
  IRN_INLINE std::size_t hidden() const { return n_ - 2; }
  IRN_INLINE V state(std::size_t i) const { return z_[i]; }
  IRN_INLINE V slope(std::size_t i) const { return Sigmoid<V>::slope(z_[i]); }

  // drive = B x + b; x is kept in `inputs`, `stride` numbers from point to point, if that is given.
  IRN_FN void load(OscillatorThread& sample, float* inputs = nullptr, std::size_t stride = 0) {
    constexpr std::size_t block = OscillatorThread::block;
    const float* bias = a_ + n_ * n_;
    for (std::size_t i = 0; i < n_; ++i) drive_[i] = V(bias[i]);
    const std::size_t points = points_;
    for (std::size_t from = 0; from < points; from += block) {
      float x[block];
      sample.next(x);
      IRN_UNROLL
      for (std::size_t r = 0; r < block; ++r)
        if (from + r < points) {
          if (inputs) inputs[(from + r) * stride] = x[r];
          for (std::size_t i = 0; i < hidden(); ++i)
            drive_[i] = mul_add(V(b_[(from + r) * hidden() + i]), V(x[r]), drive_[i]);
        }
    }
  }

  // Layer by layer.
  IRN_FN Verdict sweep() {
    for (std::size_t i = 0; i < n_; ++i) {
      V sum = drive_[i];
      if (i >= hidden())
        for (std::size_t j = 0; j < hidden(); ++j) sum = mul_add(V(a_[i * n_ + j]), z_[j], sum);
      z_[i] = Sigmoid<V>::value(sum);
    }
    return {.outcome = Outcome::settled, .evaluations = 1};
  }

  // Solver `auto`: what it leaves at a saddle or in a cycle is searched once more, along the flow itself. Without eigenvalues a saddle is not told
  // from the centre of a cycle: both are tried again.
  IRN_FN Verdict search(const AutoSearch& search) {
    Verdict verdict;
    V first[most];
    IRN_NO_UNROLL
    for (int attempt = 0; attempt < 2; ++attempt) {  // a loop, so that the search is compiled once
      const Verdict found = search_once(search.solver[attempt], search.rules[attempt]);
      if (attempt == 0) {
        verdict = found;
        if (!(n_ <= flow_limit ? is_at_saddle_or_cycles(found) : is_at_saddle(found))) break;
        for (std::size_t i = 0; i < n_; ++i) first[i] = z_[i];
      } else if (!takes_second(found, verdict)) {
        for (std::size_t i = 0; i < n_; ++i) z_[i] = first[i];
      }
    }
    return verdict;
  }
  // The paper's solver.
  IRN_FN Verdict search(const RungeKutta4& solver, const Rules<float>& rules) {
    ThreadMemory<V, most> memory;
    begin();
    return step_single<V>(map_, solver, n_, bounded(rules), z_, f_, memory);
  }

  // u = g + A^T D u by factors of I - D A, as DenseAdjoint of the processor has it; false at a fold. g: the slopes of the loss at the outputs.
  IRN_FN bool solve_adjoint(const float (&g)[2], V* u) {
    map_.linearise(z_, z_);
    map_.factor(V(1.0f));
    V* rest = f_;
    for (std::size_t i = 0; i < n_; ++i) u[i] = right_side(g, i);
    map_.solve_transposed(u);
    residual(g, u, rest);
    map_.solve_transposed(rest);
    for (std::size_t i = 0; i < n_; ++i) u[i] = u[i] + rest[i];
    V size, least = larger_size(larger_size(V(), V(g[0])), V(g[1]));
    for (std::size_t i = 0; i < n_; ++i) size = larger_size(size, u[i]);
    const bool solved = residual(g, u, rest) <= adjoint_trust_of_replicas * max(size, least).lane(0);
    return solved && size.lane(0) <= amplification_limit_of_replicas * least.lane(0);
  }
  // By the forward blocks alone.
  IRN_FN void sweep_back(const float (&g)[2], V* u) const {
    const std::size_t h = hidden();
    const V first = slope(h) * V(g[0]), second = slope(h + 1) * V(g[1]);
    for (std::size_t j = 0; j < h; ++j)
      u[j] = mul_add(V(a_[(h + 1) * n_ + j]), second, V(a_[h * n_ + j]) * first);
    u[h] = V(g[0]), u[h + 1] = V(g[1]);
  }

 private:
  IRN_FN void begin() {
    for (std::size_t i = 0; i < n_; ++i) z_[i] = V();
    map_.apply(z_, f_);
  }
  IRN_FN Verdict search_once(const Rosenbrock& solver, const Rules<float>& rules) {
    ThreadMemory<V, most> memory;
    begin();
    Verdict verdict = search_single<V>(map_, solver, n_, bounded(rules), z_, f_, memory);
    if (verdict.stability == Stability::undecided) decide(rules.floor, verdict);
    return verdict;
  }
  // Whether an equilibrium in doubt attracts, where eigenvalues decide on the processor.
  IRN_FN void decide(float floor, Verdict& verdict) {
    ThreadMemory<V, most> memory;
    DenseAttraction<V> attraction(n_, memory);
    map_.linearise(z_, z_);
    attraction.begin(z_, floor);
    attraction.at_last(map_);
    const Looked<V> found = attraction.beyond_last();
    if (found.attracts.m) verdict.stability = Stability::attracts;
    if (found.repels.m) verdict.stability = Stability::repels;
    verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
  }
  // Said again where the compiler sees it.
  IRN_FN static Rules<float> bounded(Rules<float> rules) {
    rules.bounded = true;
    return rules;
  }
  IRN_INLINE V right_side(const float (&g)[2], std::size_t i) const {
    return V(i == hidden() ? g[0] : i == hidden() + 1 ? g[1] : 0.0f);
  }
  // rest = g + A^T D u - u, and its size.
  IRN_FN float residual(const float (&g)[2], const V* u, V* rest) {
    for (std::size_t j = 0; j < n_; ++j) rest[j] = right_side(g, j) - u[j];
    for (std::size_t i = 0; i < n_; ++i) {
      const V delta = map_.slope(i) * u[i];
      for (std::size_t j = 0; j < n_; ++j) rest[j] = mul_add(V(a_[i * n_ + j]), delta, rest[j]);
    }
    V size;
    for (std::size_t j = 0; j < n_; ++j) size = larger_size(size, rest[j]);
    return size.lane(0);
  }

  [[no_unique_address]] Size n_;
  std::size_t points_;
  const float *b_, *a_;
  V drive_[most], z_[most], f_[most];
  Map map_;
};

template <class V, std::size_t most, bool recurrent>
IRN_FN Verdict settle(const ReplicaTask& task, SampleThread<V, most, recurrent>& thread) {
  if constexpr (recurrent)
    return thread.search(task.search);
  else
    return thread.sweep();
}

// Sample `s` of a batch: number `index` of the training set.
template <class V, std::size_t most, bool recurrent>
IRN_FN void sample_step(const ReplicaTask& task, typename V::Size n, const ReplicaMemory& memory,
                        std::size_t s, std::uint64_t index) {
  OscillatorThread sample(task.train, index);
  SampleThread<V, most, recurrent> thread(n, memory.weights, memory.points);
  thread.load(sample, memory.inputs + s, memory.batch);
  const Verdict verdict = settle(task, thread);
  const bool settled = verdict.outcome == Outcome::settled;
  float loss = 0, g[2];  // g: the slope of the mean over the two targets
  for (std::size_t k = 0; k < 2; ++k) {
    g[k] = thread.state(n - 2 + k).lane(0) - sample.target(k);
    loss += g[k] * g[k] / 2;
  }
  V u[most];
  bool used = settled;
  thread.sweep_back(g, u);
  if constexpr (recurrent)
    if (task.gradient == ReplicaGradient::exact) used = thread.solve_adjoint(g, u) && settled;
  for (std::size_t i = 0; i < n; ++i) {
    memory.deltas[s * n + i] = used ? (thread.slope(i) * u[i]).lane(0) : 0.0f;
    memory.states[s * n + i] = used ? thread.state(i).lane(0) : 0.0f;
  }
  memory.notes[s] = {loss, verdict.evaluations, settled, used};
}

// What a step adds to the record of its epoch.
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

// Adam (irn/kernels/adam.h), bias correction in `size` and `epsilon`.
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

// sum_s delta_s other_s; `known`: the batch's size, or 0.
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

// B's weights of the points lane, lane + lanes, ... All that a few of them need is read before anything is written, so that reads overlap.
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

// The parameters of thread `lane` of `lanes`.
template <bool recurrent, std::size_t known, class Size>
IRN_FN void parameter_step(Size n, const ReplicaMemory& memory, const AdamThread& adam, Moments* moments,
                           std::size_t lane, std::size_t lanes) {
  const std::size_t hidden = n - 2, points = memory.points, batch = known > 0 ? known : memory.batch;
  if constexpr (known > 0 && !std::is_same_v<Size, std::size_t>)
    input_step<known>(n, memory, adam, moments, lane, lanes);
  else
    for (std::size_t k = lane; k < points; k += lanes)
      for (std::size_t i = 0; i < hidden; ++i)
        adam(sum_of_products<known>(memory.deltas + i, n, memory.inputs + k * batch, 1, batch),
             moments[k * hidden + i], memory.weights[k * hidden + i]);
  float* a = memory.weights + points * hidden;
  Moments* of_a = moments + points * hidden;
  for (std::size_t e = lane; e < n * n; e += lanes) {
    const std::size_t i = e / n, j = e % n;
    if (!recurrent && !(i >= hidden && j < hidden)) continue;
    adam(sum_of_products<known>(memory.deltas + i, n, memory.states + j, n, batch), of_a[e], a[e]);
  }
  for (std::size_t i = lane; i < n; i += lanes) {
    float sum = 0;
    for (std::size_t s = 0; s < batch; ++s) sum += memory.deltas[s * n + i];
    adam(sum, of_a[n * n + i], a[n * n + i]);
  }
}

// The answer to sample `index` of the test set.
template <class V, std::size_t most, bool recurrent>
IRN_FN TestAnswer test_sample(const ReplicaTask& task, typename V::Size n, const float* weights,
                              std::uint64_t index) {
  OscillatorThread sample(task.test, index);
  SampleThread<V, most, recurrent> thread(n, weights, task.shape.points);
  thread.load(sample);
  TestAnswer answer;
  answer.verdict = settle(task, thread);
  for (std::size_t k = 0; k < 2; ++k) {
    const double error = double(thread.state(n - 2 + k).lane(0)) - double(sample.target(k));
    answer.squares += error * error;
  }
  return answer;
}
// What the paper's solver makes of it.
template <class V, std::size_t most>
IRN_FN Verdict paper_sample(const ReplicaTask& task, typename V::Size n, const float* weights,
                            std::uint64_t index) {
  OscillatorThread sample(task.test, index);
  SampleThread<V, most, true> thread(n, weights, task.shape.points);
  thread.load(sample);
  return thread.search(task.paper, task.search.rules[0]);
}

}  // namespace irn::plain

#endif
