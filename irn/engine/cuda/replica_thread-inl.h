// A sample of a replica (replica-inl.h) in one thread: its drive, its state and the map between them. If the
// compiler knows the number of neurons, all of it is in registers; `most` is the largest number.
//
// Every kind of sample, in one thread or several, has
//   Sample(shape, weights), load(drawn, inputs, stride), settle(task, effort), settle_as_paper(task),
//   output(k), adjoint(task, g, u)
// and, for the neurons of this thread: unknown<V>(i) for i < here(), with at most `room` of them, state(i)
// and slope(i). Neurons is the number of all neurons.
#ifndef IRN_ENGINE_CUDA_REPLICA_THREAD_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_THREAD_INL_H_

#include "irn/engine/cuda/oscillator_thread-inl.h"
#include "irn/engine/cuda/thread_map-inl.h"
//
#include "irn/engine/cuda/replica_records.h"
#include "irn/equilibrium/explicit-inl.h"
#include "irn/equilibrium/rosenbrock-inl.h"
#include "irn/equilibrium/single_search-inl.h"
#include "irn/equilibrium/tried_again.h"

namespace irn::plain {

using namespace irn::cuda;

template <class Size>
IRN_FN Size neurons_of(const ReplicaShape& shape) {
  if constexpr (std::is_same_v<Size, std::size_t>)
    return shape.neurons();
  else
    return {};
}

// Whether solver `auto` tries again with n neurons. Without eigenvalues a saddle cannot be told from the
// centre of a cycle.
IRN_INLINE bool is_tried_again(const Verdict& verdict, std::size_t n) {
  return n <= flow_limit ? is_at_saddle_or_cycles(verdict) : is_at_saddle(verdict);
}

template <class Lanes, std::size_t most, bool recurrent>
class SampleThread {
 public:
  using V = Lanes;
  using Size = typename V::Size;
  using Neurons = Size;
  static constexpr std::size_t room = most;
  static constexpr bool is_recurrent = recurrent;
  struct NoMap {
    IRN_FN NoMap(Size, const float*, const V*, SigmoidNeurons<V>) {}
  };
  using Map = std::conditional_t<recurrent, ThreadMap<V, most, SigmoidNeurons<V>>, NoMap>;

  // weights: those of a replica.
  IRN_FN SampleThread(const ReplicaShape& shape, const float* weights)
      : n_(neurons_of<Size>(shape)),
        points_(shape.points),
        b_(weights),
        a_(weights + shape.points * hidden()),
        map_(n_, a_, drive_, SigmoidNeurons<V>{}) {}
  IRN_INLINE Size here() const { return n_; }
  IRN_INLINE V state(std::size_t i) const { return z_[i]; }
  IRN_INLINE V slope(std::size_t i) const { return Sigmoid<V>::slope(z_[i]); }
  IRN_INLINE float output(std::size_t k) const { return z_[n_ - 2 + k].lane(0); }

  // drive = B x + b; x is stored in `inputs`, `stride` numbers from point to point, unless that is null.
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

  IRN_FN Verdict settle(const ReplicaTask& task, Effort effort) {
    if constexpr (recurrent)
      return search(task.search, effort);
    else
      return sweep();
  }
  // The paper's solver.
  IRN_FN Verdict settle_as_paper(const ReplicaTask& task) {
    ThreadMemory<V, most> memory;
    begin();
    return step_single<V>(map_, task.paper, n_, bounded(task.search.rules[0]), z_, f_, memory);
  }

  // The adjoint state u, if the loss has the slopes g at the outputs; false if u cannot be found.
  IRN_FN bool adjoint(const ReplicaTask& task, const float (&g)[2], V* u) {
    sweep_back(g, u);
    if constexpr (recurrent)
      if (task.gradient == ReplicaGradient::exact) return solve_adjoint(g, u);
    return true;
  }

 private:
  IRN_INLINE std::size_t hidden() const { return n_ - 2; }
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

  // Solver `auto`: a sample that ends at a saddle or in a cycle is searched once more, along the flow itself.
  IRN_FN Verdict search(const AutoSearch& search, Effort effort) {
    Verdict verdict;
    V first[most];
    IRN_NO_UNROLL
    for (int attempt = 0; attempt < 2; ++attempt) {  // a loop, so that the search is compiled once
      const Verdict found = search_once(search.solver_of(attempt, effort), search.rules[attempt]);
      if (attempt == 0) {
        verdict = found;
        if (effort != Effort::all || !is_tried_again(found, n_)) break;
        for (std::size_t i = 0; i < n_; ++i) first[i] = z_[i];
      } else if (!takes_second(found, verdict)) {
        for (std::size_t i = 0; i < n_; ++i) z_[i] = first[i];
      }
    }
    return verdict;
  }

  // u = g + A^T D u by factors of I - D A, as in the processor's DenseAdjoint; false at a fold. g: the slopes
  // of the loss at the outputs.
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
  // Whether a doubtful equilibrium attracts; the processor uses eigenvalues here.
  IRN_FN void decide(float floor, Verdict& verdict) {
    ThreadMemory<V, most> memory;
    DenseAttraction<V> attraction(n_, memory);
    map_.linearise(z_, z_);
    attraction.begin(z_, floor);
    attraction.at_last(map_);
    const Looked<V> found = attraction.beyond_last(map_);
    if (found.attracts.m) verdict.stability = Stability::attracts;
    if (found.repels.m) verdict.stability = Stability::repels;
    verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
  }
  // Repeated here, where the compiler sees it.
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

}  // namespace irn::plain

#endif
