#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/equilibrium/chunk_solver.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/equilibrium/chunk_solver.h"
#include "irn/equilibrium/drivers-inl.h"
#include "irn/equilibrium/problem_map-inl.h"
#include "irn/network/network_map-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// As many samples a chunk as leave what is kept of them (drive and first value, state and value after the launch) in the
// second-level cache, and enough of them that lanes standing idle at the end of a chunk do not count.
template <class V>
std::size_t chunk_capacity(std::size_t n) {
  constexpr std::size_t bytes = 512 * 1024;
  const std::size_t groups = bytes / (4 * n * sizeof(V));
  return V::width * (groups < 4 ? 4 : groups > 64 ? 64 : groups);
}

template <class V, class Options>
class NetworkChunkSolver final : public ChunkSolver<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  NetworkChunkSolver(const PackedNetwork<T>& network, const Options& options, double tolerance)
      : capacity_(chunk_capacity<V>(network.neurons())),
        map_(network, capacity_, needs_factors(options), keeps_factors(network.neurons())),
        driver_(options, network.neurons(), static_cast<T>(tolerance), capacity_) {}
  std::size_t capacity() const override { return capacity_; }
  std::size_t width() const override { return V::width; }
  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, T* states,
             Verdict* verdicts) override {
    map_.begin(samples, index);
    driver_.run(map_, index.size(), {states, verdicts});
  }
  LaneFactors<T> factors() const override { return map_.kept_factors(); }

 private:
  // Whoever takes them over works on half registers (gradient/ does).
  static bool keeps_factors(std::size_t n) {
    return std::is_same_v<Options, Rosenbrock> && V::width == half_lanes<T> && n >= least_kept &&
           n <= dense_limit;
  }

  std::size_t capacity_;
  NetworkMap<V> map_;
  Driver<V, Options> driver_;
};

// Without recurrence: one exact sweep.
template <class V>
class SweepChunkSolver final : public ChunkSolver<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  explicit SweepChunkSolver(const PackedNetwork<T>& network)
      : n_(network.neurons()), capacity_(chunk_capacity<V>(n_)), map_(network, capacity_, false), z_(n_) {}
  std::size_t capacity() const override { return capacity_; }
  std::size_t width() const override { return V::width; }
  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, T* states,
             Verdict* verdicts) override {
    map_.begin(samples, index);
    for (std::size_t s = 0; s < index.size(); ++s) {
      if (s % V::width == 0) map_.sweep(s / V::width, z_.data());
      bool finite = true;
      for (std::size_t i = 0; i < n_; ++i) {
        const T value = z_[i].lane(s % V::width);
        states[s * n_ + i] = value;
        finite = finite && value - value == T(0);
      }
      verdicts[s] = {finite ? Outcome::settled : Outcome::not_finite, 1, 0.0};
    }
  }

 private:
  std::size_t n_, capacity_;
  NetworkMap<V> map_;
  AlignedBuffer<V> z_;
};

// A share that fits half a register wastes less in one: a training step with batches of six is a third faster.
// Tried and left: two registers in step for tiny networks, to hide latencies; a twentieth faster, and half as much
// again to compile.
template <class T>
std::size_t width_for(const PackedNetwork<T>& network, const Solver& solver, std::size_t share) {
  const bool narrow =
      network.recurrent && std::holds_alternative<Rosenbrock>(solver) && share <= half_lanes<T>;
  return narrow ? half_lanes<T> : native_lanes<T>;
}

template <class T, class Options>
ChunkSolver<T>* make_of_width(const PackedNetwork<T>& network, const Options& options, double tolerance,
                              std::size_t width) {
  if constexpr (std::is_same_v<Options, Rosenbrock>)
    if (width == half_lanes<T>)
      return new NetworkChunkSolver<Lanes<T, half_lanes<T>>, Options>(network, options, tolerance);
  return new NetworkChunkSolver<Lanes<T>, Options>(network, options, tolerance);
}

template <class T>
ChunkSolver<T>* make_network_solver(const PackedNetwork<T>& network, const Solver& solver, double tolerance,
                                    std::size_t width) {
  if (!network.recurrent) return new SweepChunkSolver<Lanes<T>>(network);
  ChunkSolver<T>* made = nullptr;
  std::visit(
      [&](const auto& options) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(options)>, Auto>)
          made = make_of_width<T>(network, options, tolerance, width);
      },
      solver);
  return made;
}

ChunkSolver<float>* make_float(const PackedNetwork<float>& network, const Solver& solver, double tolerance,
                               std::size_t width) {
  return make_network_solver<float>(network, solver, tolerance, width);
}
ChunkSolver<double>* make_double(const PackedNetwork<double>& network, const Solver& solver, double tolerance,
                                 std::size_t width) {
  return make_network_solver<double>(network, solver, tolerance, width);
}
std::size_t width_float(const PackedNetwork<float>& network, const Solver& solver, std::size_t share) {
  return width_for<float>(network, solver, share);
}
std::size_t width_double(const PackedNetwork<double>& network, const Solver& solver, std::size_t share) {
  return width_for<double>(network, solver, share);
}

template <class Options>
void run_problems(const Problem& problem, std::size_t count, const Options& options, double tolerance,
                  double* states, Verdict* verdicts) {
  const std::size_t n = problem.size, capacity = std::min(count, chunk_capacity<Doubles>(n));
  Driver<Doubles, Options> driver(options, n, tolerance, capacity);
  for (std::size_t first = 0; first < count; first += capacity) {
    const std::size_t some = std::min(capacity, count - first);
    ProblemMap map(problem, first, some, needs_factors(options));
    driver.run(map, some, {states + first * n, verdicts + first});
    for (std::size_t i = 0; i < some; ++i) verdicts[first + i].evaluations = map.calls(i);
  }
}

void solve_all_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance,
                        double* states, Verdict* verdicts) {
  std::visit(
      [&](const auto& options) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(options)>, Auto>)
          run_problems(problem, count, options, tolerance, states, verdicts);
      },
      solver);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

HWY_EXPORT(make_float);
HWY_EXPORT(make_double);
HWY_EXPORT(solve_all_problems);
HWY_EXPORT(width_float);
HWY_EXPORT(width_double);

template <>
std::size_t best_width(const PackedNetwork<float>& network, const Solver& solver, std::size_t share) {
  return HWY_DYNAMIC_DISPATCH(width_float)(network, solver, share);
}
template <>
std::size_t best_width(const PackedNetwork<double>& network, const Solver& solver, std::size_t share) {
  return HWY_DYNAMIC_DISPATCH(width_double)(network, solver, share);
}

template <>
std::unique_ptr<ChunkSolver<float>> make_chunk_solver(const PackedNetwork<float>& network,
                                                      const Solver& solver, double tolerance,
                                                      std::size_t width) {
  return std::unique_ptr<ChunkSolver<float>>(
      HWY_DYNAMIC_DISPATCH(make_float)(network, solver, tolerance, width));
}
template <>
std::unique_ptr<ChunkSolver<double>> make_chunk_solver(const PackedNetwork<double>& network,
                                                       const Solver& solver, double tolerance,
                                                       std::size_t width) {
  return std::unique_ptr<ChunkSolver<double>>(
      HWY_DYNAMIC_DISPATCH(make_double)(network, solver, tolerance, width));
}
void solve_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance,
                    double* states, Verdict* verdicts) {
  HWY_DYNAMIC_DISPATCH(solve_all_problems)(problem, count, solver, tolerance, states, verdicts);
}

}  // namespace irn
#endif
