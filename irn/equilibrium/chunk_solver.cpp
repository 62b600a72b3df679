#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/equilibrium/chunk_solver.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/equilibrium/chunk_solver.h"
#include "irn/equilibrium/anderson-inl.h"
#include "irn/equilibrium/broyden-inl.h"
#include "irn/equilibrium/driver-inl.h"
#include "irn/equilibrium/explicit-inl.h"
#include "irn/equilibrium/implicit-inl.h"
#include "irn/equilibrium/problem_map-inl.h"
#include "irn/equilibrium/rosenbrock-inl.h"
#include "irn/network/network_map-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// Which step belongs to which options. Auto has been resolved before.
template <class T, class Options>
struct StepOf;
template <class T>
struct StepOf<T, FixedPoint> { using type = RelaxStep<T>; };
template <class T>
struct StepOf<T, Euler> { using type = RelaxStep<T>; };
template <class T>
struct StepOf<T, RungeKutta4> { using type = RungeKutta4Step<T>; };
template <class T>
struct StepOf<T, RungeKutta45> { using type = RungeKutta45Step<T>; };
template <class T>
struct StepOf<T, Anderson> { using type = AndersonStep<T>; };
template <class T>
struct StepOf<T, Broyden> { using type = BroydenStep<T>; };
template <class T>
struct StepOf<T, Newton> { using type = NewtonStep<T>; };
template <class T>
struct StepOf<T, PseudoTransient> { using type = PseudoTransientStep<T>; };
template <class T>
struct StepOf<T, Rosenbrock> { using type = RosenbrockStep<T>; };
template <class T>
struct StepOf<T, NewtonKrylov> { using type = NewtonKrylovStep<T>; };

// As many samples a chunk as leave their drives in the second-level cache, and enough of them that lanes standing idle
// at the end of a chunk do not count.
template <class T>
std::size_t chunk_capacity(std::size_t n) {
  constexpr std::size_t width = Lanes<T>::width, bytes = 256 * 1024;
  const std::size_t groups = bytes / (2 * n * width * sizeof(T));
  return width * (groups < 4 ? 4 : groups > 64 ? 64 : groups);
}

template <class T, class Options>
class NetworkChunkSolver final : public ChunkSolver<T> {
 public:
  NetworkChunkSolver(const PackedNetwork<T>& network, const Options& options, double tolerance)
      : capacity_(chunk_capacity<T>(network.neurons())),
        map_(network, capacity_, needs_factors(options)),
        driver_(options, network.neurons(), static_cast<T>(tolerance)) {}
  std::size_t capacity() const override { return capacity_; }
  std::size_t width() const override { return Lanes<T>::width; }
  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, T* states, Verdict* verdicts) override {
    map_.begin(samples, index);
    driver_.run(map_, index.size(), {states, verdicts});
  }

 private:
  std::size_t capacity_;
  NetworkMap<T> map_;
  Driver<T, typename StepOf<T, Options>::type> driver_;
};

// Without recurrence: one exact sweep.
template <class T>
class SweepChunkSolver final : public ChunkSolver<T> {
 public:
  explicit SweepChunkSolver(const PackedNetwork<T>& network)
      : n_(network.neurons()), capacity_(chunk_capacity<T>(n_)), map_(network, capacity_, false), z_(n_ * width_) {}
  std::size_t capacity() const override { return capacity_; }
  std::size_t width() const override { return width_; }
  void solve(const Samples<T>& samples, std::span<const std::uint64_t> index, T* states, Verdict* verdicts) override {
    map_.begin(samples, index);
    for (std::size_t s = 0; s < index.size(); ++s) {
      if (s % width_ == 0) map_.sweep(s / width_, z_.data());
      bool finite = true;
      for (std::size_t i = 0; i < n_; ++i) {
        const T value = z_[i * width_ + s % width_];
        states[s * n_ + i] = value;
        finite = finite && value - value == T(0);
      }
      verdicts[s] = {finite ? Outcome::settled : Outcome::not_finite, 1, 0.0};
    }
  }

 private:
  static constexpr std::size_t width_ = Lanes<T>::width;
  std::size_t n_, capacity_;
  NetworkMap<T> map_;
  AlignedBuffer<T> z_;
};

template <class T>
ChunkSolver<T>* make_network_solver(const PackedNetwork<T>& network, const Solver& solver, double tolerance) {
  if (!network.recurrent) return new SweepChunkSolver<T>(network);
  ChunkSolver<T>* made = nullptr;
  std::visit(
      [&](const auto& options) {
        using Options = std::decay_t<decltype(options)>;
        if constexpr (!std::is_same_v<Options, Auto>)
          made = new NetworkChunkSolver<T, Options>(network, options, tolerance);
      },
      solver);
  return made;
}

ChunkSolver<float>* make_float(const PackedNetwork<float>& network, const Solver& solver, double tolerance) {
  return make_network_solver<float>(network, solver, tolerance);
}
ChunkSolver<double>* make_double(const PackedNetwork<double>& network, const Solver& solver, double tolerance) {
  return make_network_solver<double>(network, solver, tolerance);
}

template <class Options>
void run_problems(const Problem& problem, std::size_t count, const Options& options, double tolerance, double* states,
                  Verdict* verdicts) {
  ProblemMap map(problem, count, needs_factors(options));
  Driver<double, typename StepOf<double, Options>::type> driver(options, problem.size, tolerance);
  driver.run(map, count, {states, verdicts});
  for (std::size_t i = 0; i < count; ++i) verdicts[i].evaluations = map.calls(i);
}

void solve_all_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance, double* states,
                        Verdict* verdicts) {
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

template <>
std::unique_ptr<ChunkSolver<float>> make_chunk_solver(const PackedNetwork<float>& network, const Solver& solver,
                                                      double tolerance) {
  return std::unique_ptr<ChunkSolver<float>>(HWY_DYNAMIC_DISPATCH(make_float)(network, solver, tolerance));
}
template <>
std::unique_ptr<ChunkSolver<double>> make_chunk_solver(const PackedNetwork<double>& network, const Solver& solver,
                                                       double tolerance) {
  return std::unique_ptr<ChunkSolver<double>>(HWY_DYNAMIC_DISPATCH(make_double)(network, solver, tolerance));
}
void solve_problems(const Problem& problem, std::size_t count, const Solver& solver, double tolerance, double* states,
                    Verdict* verdicts) {
  HWY_DYNAMIC_DISPATCH(solve_all_problems)(problem, count, solver, tolerance, states, verdicts);
}

}  // namespace irn
#endif
