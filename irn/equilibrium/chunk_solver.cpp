#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/equilibrium/chunk_solver.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/chunk_solver.h"
#include "irn/equilibrium/drivers-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// As many samples in a chunk as keep what is stored for them (drive and first value, state and value after
// the launch) in the second-level cache, but enough that the lanes idle at the end of a chunk, about one
// group of them, do not matter: with 1,024 neurons chunks of 32 groups are a quarter faster than chunks of 4,
// which fit. What is stored is read once.
template <class V>
std::size_t chunk_capacity(std::size_t n) {
  constexpr std::size_t bytes = 512 * 1024;
  return V::width * std::clamp<std::size_t>(bytes / (4 * n * sizeof(V)), 32, 64);
}

template <class V, class Options>
class NetworkChunkSolver final : public ChunkSolver<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  NetworkChunkSolver(const PackedNetwork<T>& network, const Options& options, const Rules<double>& rules,
                     std::size_t capacity)
      : all_(network.neurons()),
        searched_(in_stages(network, options) ? network.stages->neurons : all_),
        map_(network, capacity, needs_factors(options), in_stages(network, options)),
        driver_(options, searched_, rules.template in<T>(), capacity, arena_),
        core_states_(searched_ == all_ ? 0 : capacity * searched_) {}
  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
             T* states, Verdict* verdicts) override {
    map_.begin(samples, index, starts);
    if (core_states_.empty()) return driver_.run(map_, index.size(), {states, verdicts});
    driver_.run(map_, index.size(), {core_states_.data(), verdicts});
    for (std::size_t first = 0; first < index.size(); first += V::width)
      map_.finish(first / V::width, std::min(V::width, index.size() - first),
                  &core_states_[first * searched_], states + first * all_);
    for (std::size_t s = 0; s < index.size(); ++s) void_if_broken(states + s * all_, verdicts[s]);
  }

 private:
  // Solvers with factors have a matrix of the whole network, and an iteration runs over all layers; neither
  // goes by stages.
  static bool in_stages(const PackedNetwork<T>& network, const Options& options) {
    return network.stages && !needs_factors(options) && !only_iterates(options);
  }
  // A layer behind a core at rest may still leave the range of numbers.
  void void_if_broken(const T* state, Verdict& verdict) const {
    if (verdict.outcome != Outcome::settled) return;
    for (std::size_t i = 0; i < all_; ++i)
      if (!(state[i] - state[i] == T(0))) {
        verdict.outcome = judged({.finite = false, .at_rest = true});
        verdict.stability = Stability::unasked;
        verdict.residual = std::numeric_limits<double>::infinity();
        return;
      }
  }

  std::size_t all_, searched_;  // neurons
  NetworkMap<V> map_;
  Arena<V> arena_;
  Driver<V, Options, NetworkMap<V>> driver_;
  AlignedBuffer<T> core_states_;
};

// Without recurrence: one exact sweep.
template <class V>
class SweepChunkSolver final : public ChunkSolver<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  SweepChunkSolver(const PackedNetwork<T>& network, std::size_t capacity)
      : n_(network.neurons()), map_(network, capacity, false), z_(n_) {}
  // The start of such a network makes no difference.
  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>&,
             T* states, Verdict* verdicts) override {
    map_.begin(samples, index);
    for (std::size_t s = 0; s < index.size(); ++s) {
      if (s % V::width == 0) map_.sweep(s / V::width, z_.data());
      bool finite = true;
      for (std::size_t i = 0; i < n_; ++i) {
        const T value = z_[i].lane(s % V::width);
        states[s * n_ + i] = value;
        finite = finite && value - value == T(0);
      }
      verdicts[s] = {.outcome = judged({.finite = finite, .at_rest = true}),
                     .stability = finite ? Stability::attracts : Stability::unasked,
                     .evaluations = 1,
                     .residual = finite ? 0.0 : std::numeric_limits<double>::infinity()};
    }
  }

 private:
  std::size_t n_;
  NetworkMap<V> map_;
  AlignedBuffer<V> z_;
};

// A share that fits half a register wastes less in one: a training step with batches of six is a third
// faster. Tried and left: two registers in step for tiny networks, to hide latencies; a twentieth faster, and
// half as much again to compile.
template <class T>
ChunkShape shape_for(const PackedNetwork<T>& network, const Solver& solver, std::size_t share) {
  using Whole = Lanes<T>;
  using Half = Lanes<T, half_lanes<T>>;
  const bool narrow = network.recurrent && std::holds_alternative<Rosenbrock>(solver) && share <= Half::width;
  if (narrow) return {Half::width, Half::width};
  const std::size_t groups = (share + Whole::width - 1) / Whole::width;
  return {Whole::width, std::min(groups * Whole::width, chunk_capacity<Whole>(network.neurons()))};
}

template <class T, class Options>
ChunkSolver<T>* make_of_shape(const PackedNetwork<T>& network, const Options& options,
                              const Rules<double>& rules, ChunkShape shape) {
  if constexpr (std::is_same_v<Options, Rosenbrock>)
    if (shape.width == half_lanes<T>)
      return new NetworkChunkSolver<Lanes<T, half_lanes<T>>, Options>(network, options, rules,
                                                                      shape.capacity);
  return new NetworkChunkSolver<Lanes<T>, Options>(network, options, rules, shape.capacity);
}

template <class T>
ChunkSolver<T>* make_network_solver(const PackedNetwork<T>& network, const Solver& solver,
                                    const Rules<double>& rules, ChunkShape shape) {
  if (!network.recurrent && !only_iterates(solver))
    return new SweepChunkSolver<Lanes<T>>(network, shape.capacity);
  ChunkSolver<T>* made = nullptr;
  std::visit(
      [&](const auto& options) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(options)>, Auto>)
          made = make_of_shape<T>(network, options, rules, shape);
      },
      solver);
  return made;
}

ChunkSolver<float>* make_float(const PackedNetwork<float>& network, const Solver& solver,
                               const Rules<double>& rules, ChunkShape shape) {
  return make_network_solver<float>(network, solver, rules, shape);
}
ChunkSolver<double>* make_double(const PackedNetwork<double>& network, const Solver& solver,
                                 const Rules<double>& rules, ChunkShape shape) {
  return make_network_solver<double>(network, solver, rules, shape);
}
ChunkShape shape_float(const PackedNetwork<float>& network, const Solver& solver, std::size_t share) {
  return shape_for<float>(network, solver, share);
}
ChunkShape shape_double(const PackedNetwork<double>& network, const Solver& solver, std::size_t share) {
  return shape_for<double>(network, solver, share);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

HWY_EXPORT(make_float);
HWY_EXPORT(make_double);
HWY_EXPORT(shape_float);
HWY_EXPORT(shape_double);

template <>
ChunkShape best_shape(const PackedNetwork<float>& network, const Solver& solver, std::size_t share) {
  return HWY_DYNAMIC_DISPATCH(shape_float)(network, solver, share);
}
template <>
ChunkShape best_shape(const PackedNetwork<double>& network, const Solver& solver, std::size_t share) {
  return HWY_DYNAMIC_DISPATCH(shape_double)(network, solver, share);
}

template <>
std::unique_ptr<ChunkSolver<float>> make_chunk_solver(const PackedNetwork<float>& network,
                                                      const Solver& solver, const Rules<double>& rules,
                                                      ChunkShape shape) {
  return std::unique_ptr<ChunkSolver<float>>(HWY_DYNAMIC_DISPATCH(make_float)(network, solver, rules, shape));
}
template <>
std::unique_ptr<ChunkSolver<double>> make_chunk_solver(const PackedNetwork<double>& network,
                                                       const Solver& solver, const Rules<double>& rules,
                                                       ChunkShape shape) {
  return std::unique_ptr<ChunkSolver<double>>(
      HWY_DYNAMIC_DISPATCH(make_double)(network, solver, rules, shape));
}

}  // namespace irn
#endif
