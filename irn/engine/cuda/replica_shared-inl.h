// A sample of a replica (replica-inl.h) of n neurons, shared by several threads of a warp
// (shared_state-inl.h): what SampleThread is for networks that fit into a thread's registers. Weights are
// stored as in all replicas; each thread reads the rows of its own neurons.
//
// As a single function, a search takes the device's compiler more than ten minutes. So its phases are
// functions of their own, just as the search of single networks has a kernel for each phase
// (search_kernel-inl.h). States pass from one to the next through memory: a few numbers for each thread.
#ifndef IRN_ENGINE_CUDA_REPLICA_SHARED_INL_H_
#define IRN_ENGINE_CUDA_REPLICA_SHARED_INL_H_

#include "irn/engine/cuda/replica_thread-inl.h"
//
#include "irn/engine/cuda/shared_map-inl.h"
#include "irn/engine/cuda/shared_state-inl.h"

#ifdef IRN_DEVICE_TEXT
#define IRN_PHASE __device__ __noinline__
#else
#define IRN_PHASE
#endif

namespace irn::plain {

// n neurons, all sigmoid; padding stays at zero.
template <class V, std::size_t n>
struct PaddedNeurons {
  IRN_INLINE V value(std::size_t i, V u) const { return i < n ? Sigmoid<V>::value(u) : V(); }
  IRN_INLINE V slope(std::size_t i, V f) const { return i < n ? Sigmoid<V>::slope(f) : V(); }
};
// The neurons of the adjoint equation, which is linear.
template <class V, std::size_t n>
struct AdjointNeurons {
  IRN_INLINE V value(std::size_t i, V u) const { return i < n ? u : V(); }
  IRN_INLINE V slope(std::size_t i, V f) const { return i < n ? Sigmoid<V>::slope(f) : V(); }
};

// A thread's rows of A, row-major, or of its transpose. Beside factors there are no registers for them: they
// are read each time (volatile), since the compiler would otherwise keep them, and spill.
template <class V, std::size_t n, bool transposed, bool each_time>
struct ReplicaRows {
  using Number = std::conditional_t<each_time, const volatile float, const float>;
  Number* a;
  IRN_FN explicit ReplicaRows(const float* matrix) : a(matrix) {}
  IRN_INLINE V operator()(std::size_t r, std::size_t j) const {
    const std::size_t i = unknown<V>(r);
    return i < n ? V(transposed ? a[j * n + i] : a[i * n + j]) : V();
  }
};

// The one sample that the rounds are for, launched before, and its end.
template <class V>
struct OneLaunched {
  using Mask = typename V::Mask;
  const AfterLaunch<V>& launched;
  V *z, *f;
  Verdict& verdict;
  bool taken = false;

  IRN_FN Mask take(Mask wanted) {
    const bool first = wanted.m && !taken;
    taken = taken || first;
    return {first};
  }
  IRN_FN Mask more() const { return {!taken}; }
  IRN_FN void load(Mask begun, V* to_z, V* to_f, AfterLaunch<V>& after) const {
    if (!begun.m) return;
    copy<V>(z, typename V::Size{}, to_z), copy<V>(f, typename V::Size{}, to_f);
    after.h = launched.h, after.evaluations = launched.evaluations;
  }
  template <class Said>
  IRN_FN void end(Mask done, const Said& said, const V* from) {
    if (done.m) verdict = said(), copy<V>(from, typename V::Size{}, z);
  }
};

template <class Lanes, std::size_t n>
class SampleShared {
 public:
  using V = Lanes;
  using Share = typename V::Share;
  using Neurons = std::integral_constant<std::size_t, n>;
  using Mask = typename V::Mask;
  static constexpr std::size_t room = V::Size::value, hidden = n - 2;
  static constexpr bool is_recurrent = true;

  IRN_FN SampleShared(const ReplicaShape& shape, const float* weights)
      : points_(shape.points), b_(weights), a_(weights + shape.points * hidden) {}
  IRN_INLINE typename V::Size here() const { return {}; }
  IRN_INLINE V state(std::size_t r) const { return z_[r]; }
  IRN_INLINE V slope(std::size_t r) const { return Sigmoid<V>::slope(z_[r]); }
  IRN_INLINE float output(std::size_t k) const { return of_unknown(z_, hidden + k).lane(0); }

  // As SampleThread::load(). Every thread draws all points, which costs little compared with the rest.
  IRN_PHASE void load(OscillatorThread& sample, float* inputs = nullptr, std::size_t stride = 0) {
    constexpr std::size_t block = OscillatorThread::block;
    const float* bias = a_ + n * n;
    V drive[room];
    for (std::size_t r = 0; r < room; ++r)
      if (unknown<V>(r) < n) drive[r] = V(bias[unknown<V>(r)]);
    for (std::size_t from = 0; from < points_; from += block) {
      float x[block];
      sample.next(x);
      IRN_UNROLL
      for (std::size_t k = 0; k < block; ++k) {
        if (from + k >= points_) break;
        if (inputs && k % Share::threads == Share::rank()) inputs[(from + k) * stride] = x[k];
        IRN_UNROLL
        for (std::size_t r = 0; r < room; ++r)
          if (unknown<V>(r) < hidden)
            drive[r] = mul_add(V(b_[(from + k) * hidden + unknown<V>(r)]), V(x[k]), drive[r]);
      }
    }
    copy<V>(drive, room, drive_);
  }

  // As SampleThread::search(). If one sample of a warp is tried again, the others take part.
  IRN_FN Verdict settle(const ReplicaTask& task, Effort effort) {
    Verdict verdict;
    V first[room];
    Mask again{effort == Effort::all};
    IRN_NO_UNROLL
    for (int attempt = 0; attempt < 2; ++attempt) {
      Verdict found;
      search_once(task.search.solver_of(attempt, effort), task.search.rules[attempt], found);
      if (attempt == 0) {
        verdict = found;
        again = again & Mask{is_tried_again(found, n)};
        if (none<V>(again)) break;
        copy<V>(z_, room, first);
      } else if (!again.m || !takes_second(found, verdict)) {
        copy<V>(first, room, z_);
      }
    }
    return verdict;
  }
  // The paper's solver. A sample at rest stays where it is while others of the warp continue.
  IRN_PHASE Verdict settle_as_paper(const ReplicaTask& task) {
    const Rules<float> rules = bounded(task.search.rules[0]);
    ThreadMemory<V, room> memory;
    V drive[room], z[room], f[room];
    copy<V>(drive_, room, drive);
    MapWithoutFactors map(a_, drive, {});
    map.apply(z, f);
    RungeKutta4Step<V> step(task.paper, {}, memory);
    Judge<V> judge(rules, step.leaps, room, task.paper.steps, step.patience(), memory);
    judge.begin(V() <= V());
    V evaluations(1.0f);
    for (;;) {
      const Mask open = judge.look(z, f, room);
      if (none<V>(open)) break;
      V moved[room];
      copy<V>(z, room, moved);
      judge.count_step();
      evaluations = evaluations + select(open, step.move(map, moved, f, judge.residual()), V());
      for (std::size_t r = 0; r < room; ++r) z[r] = select(open, moved[r], z[r]);
      map.apply(z, f);
    }
    copy<V>(z, room, z_);
    Verdict verdict = judge.verdict(0, judge.bits(), evaluations.lane(0));
    confirm(rules, verdict);
    return verdict;
  }

  IRN_FN bool adjoint(const ReplicaTask& task, const float (&g)[2], V* u) {
    if (task.gradient == ReplicaGradient::exact) return solve_adjoint(g[0], g[1], u);
    sweep_back(g, u);
    return true;
  }

 private:
  using Map = SharedMap<V, PaddedNeurons<V, n>, ReplicaRows<V, n, false, true>, n>;
  using MapWithoutFactors = SharedMap<V, PaddedNeurons<V, n>, ReplicaRows<V, n, false, false>, n>;
  using AdjointMap = SharedMap<V, AdjointNeurons<V, n>, ReplicaRows<V, n, true, true>, n>;

  IRN_FN void search_once(const Rosenbrock& solver, const Rules<float>& given, Verdict& verdict) {
    const Rules<float> rules = bounded(given);
    AfterLaunch<V> after{V(), V(), nullptr};
    launch(solver, rules, after);
    go_rounds(solver, rules, after, verdict);
    confirm(rules, verdict);
  }
  IRN_PHASE void launch(const Rosenbrock& solver, const Rules<float>& rules, AfterLaunch<V>& after) {
    ThreadMemory<V, room> memory;
    V drive[room], z[room], f[room];
    copy<V>(drive_, room, drive);
    MapWithoutFactors map(a_, drive, {});
    map.apply(z, f);
    launch_single<V>(map, solver, {}, bounded(rules), z, f, after, memory);
    copy<V>(z, room, z_), copy<V>(f, room, f_);
  }
  IRN_PHASE void go_rounds(const Rosenbrock& solver, const Rules<float>& rules, const AfterLaunch<V>& after,
                           Verdict& verdict) {
    ThreadMemory<V, room> memory;
    V drive[room], z[room], f[room];
    copy<V>(drive_, room, drive);
    Map map(a_, drive, {});
    OneLaunched<V> sample{after, z_, f_, verdict};
    rounds_single<V>(map, solver, {}, bounded(rules), z, f, sample, memory);
  }
  // Whether a settled sample attracts; a doubtful one is decided by higher powers, where the processor uses
  // eigenvalues.
  IRN_PHASE void confirm(const Rules<float>& rules, Verdict& verdict) {
    const Mask settled{verdict.outcome == Outcome::settled};
    if (none<V>(settled)) return;
    ThreadMemory<V, room> memory;
    V z[room];
    copy<V>(z_, room, z);
    Map map(a_, nullptr, {});
    DenseAttraction<V> attraction({}, memory);
    map.linearise(z, z);
    attraction.begin(z, rules.floor);
    Looked<V> found = attraction.at_first(map);
    IRN_NO_UNROLL
    for (int look = 0; look < 2 && !none<V>(and_not(found.attracts | found.repels, settled)); ++look) {
      const Looked<V> more = look == 0 ? attraction.at_last(map) : attraction.beyond_last(map);
      found.repels = found.repels | and_not(found.attracts, more.repels);
      found.attracts = found.attracts | and_not(found.repels, more.attracts);
    }
    if (!settled.m) return;
    verdict.stability = found.attracts.m ? Stability::attracts
                        : found.repels.m ? Stability::repels
                                         : Stability::undecided;
    verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
  }

  // u = g + A^T D u by way of w = D u,  (I - D A^T) w = D g,  refined once; false at a fold.
  IRN_PHASE bool solve_adjoint(float g0, float g1, V* u) {
    V g[room], w[room], rest[room], z[room];
    for (std::size_t r = 0; r < room; ++r) g[r] = right_side(g0, g1, unknown<V>(r)), z[r] = z_[r];
    AdjointMap map(a_, g, {});
    map.linearise(z, z);
    map.factor(V(1.0f));
    for (std::size_t r = 0; r < room; ++r) w[r] = slope(r) * g[r];
    map.solve(w);
    map.apply(w, u);
    for (std::size_t r = 0; r < room; ++r) rest[r] = slope(r) * u[r] - w[r];
    map.solve(rest);
    for (std::size_t r = 0; r < room; ++r) w[r] = w[r] + rest[r];
    map.apply(w, u);
    // The residual of the equation, g + A^T D u - u = A^T (D u - w).
    for (std::size_t r = 0; r < room; ++r) w[r] = mul_add(slope(r), u[r], -w[r]);
    map.apply(w, rest);
    V size, left;
    for (std::size_t r = 0; r < room; ++r)
      size = larger_size(size, u[r]), left = larger_size(left, rest[r] - g[r]);
    size = largest_of_all(size), left = largest_of_all(left);
    const V least = larger_size(larger_size(V(), V(g0)), V(g1));
    return left.lane(0) <= adjoint_trust_of_replicas * max(size, least).lane(0) &&
           size.lane(0) <= amplification_limit_of_replicas * least.lane(0);
  }
  // By the forward blocks alone.
  IRN_FN void sweep_back(const float (&g)[2], V* u) const {
    const V first = Sigmoid<V>::slope(of_unknown(z_, hidden)) * V(g[0]),
            second = Sigmoid<V>::slope(of_unknown(z_, hidden + 1)) * V(g[1]);
    for (std::size_t r = 0; r < room; ++r) {
      const std::size_t j = unknown<V>(r);
      u[r] = j < hidden ? mul_add(V(a_[(hidden + 1) * n + j]), second, V(a_[hidden * n + j]) * first)
                        : right_side(g[0], g[1], j);
    }
  }
  IRN_FN static V right_side(float g0, float g1, std::size_t i) {
    return V(i == hidden ? g0 : i == hidden + 1 ? g1 : 0.0f);
  }
  // Repeated here, where the compiler sees it.
  IRN_FN static Rules<float> bounded(Rules<float> rules) {
    rules.bounded = true;
    return rules;
  }

  std::size_t points_;
  const float *b_, *a_;
  V drive_[room], z_[room], f_[room];
};

}  // namespace irn::plain

#endif
