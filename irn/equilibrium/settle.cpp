#include "irn/equilibrium/settle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/equilibrium/chunk_solver.h"
#include "irn/kernels/flush_denormals.h"

namespace irn {
namespace {

// A dense factorisation a sample, 16 side by side, takes 64 n^2 bytes a thread: 256 MiB at this size.
constexpr std::size_t largest_dense = 2048;

// How many parts of this size it takes to hold the whole.
std::size_t parts_of(std::size_t whole, std::size_t part) { return (whole + part - 1) / part; }

Solver resolve(const Solver& solver, std::size_t n) {
  if (!std::holds_alternative<Auto>(solver)) return solver;
  if (n <= dense_limit) return Rosenbrock{};
  return RosenbrockKrylov{};
}

bool is_dense(const Solver& solver) {
  return std::visit([](const auto& options) { return needs_factors(options); }, solver);
}

// What the solver is for n unknowns.
Solver checked(const Solver& asked, std::size_t n) {
  const Solver solver = resolve(asked, n);
  check(solver);
  if (is_dense(solver) && n > largest_dense)
    throw Error("solver " + text_of(solver) + " factors a " + std::to_string(n) + " x " + std::to_string(n) +
                " matrix a sample; above " + std::to_string(largest_dense) +
                " neurons take newton-krylov or anderson");
  return solver;
}

template <class T>
double checked_tolerance(double asked) {
  if (asked == 0) return default_tolerance<T>();
  if (!(asked < 1))
    throw Error("tolerance " + write_value(asked) +
                " is no bound: residuals are measured against 1; ask for less");
  if (!(asked >= least_tolerance<T>()))
    throw Error("tolerance " + write_value(asked) + " is below what " +
                (sizeof(T) == 4 ? "float" : "double") + " can reach; ask for at least " +
                write_value(least_tolerance<T>()) + (sizeof(T) == 4 ? " or use double" : ""));
  return asked;
}

}  // namespace

Solver solver_from_text(std::string_view text) {
  const Solver solver = parse_choice<Solver>(text, "solver");
  check(solver);
  return solver;
}
std::string text_of(const Solver& solver) { return to_text(solver); }

void check(const Solver& solver) {
  std::visit(
      [](auto options) {
        for (const FieldText& field : fields_of(options)) {
          double value = 0;
          read_value(field.value, value);
          const bool may_be_zero = field.key == "launch" || field.key == "shortcut" ||
                                   (field.key == "memory" && options.name == Anderson::name);
          if (!(value > 0 || (may_be_zero && value == 0)))
            throw Error("solver " + std::string(options.name) + ": " + field.key + " is " + field.value +
                        (may_be_zero ? "; it must not be below zero" : "; it must be above zero"));
          if (field.key == "memory" && value > 1000)
            throw Error("solver " + std::string(options.name) + ": memory is " + field.value +
                        "; at most 1000 make sense");
        }
      },
      solver);
}

// 16 units in the last place of a state of order one: what rounding in F leaves of a residual.
template <class T>
double least_tolerance() {
  return 16 * double(std::numeric_limits<T>::epsilon());
}
template <class T>
double default_tolerance() {
  return sizeof(T) == 4 ? 1e-5 : 1e-8;
}
template double least_tolerance<float>();
template double least_tolerance<double>();
template double default_tolerance<float>();
template double default_tolerance<double>();

template <class T>
struct Settler<T>::Parts {
  Parts(const Network<T>& network, const SettleOptions& options, ThreadPool& pool, PackedParts parts)
      : solver(checked(options.solver, network.architecture().neurons())),
        packed(network, with_factors(parts, solver, network.architecture().recurrent())),
        tolerance(checked_tolerance<T>(options.tolerance)),
        threads(pool) {}

  static PackedParts with_factors(PackedParts parts, const Solver& solver, bool recurrent) {
    parts.dense_a |= recurrent && is_dense(solver);
    return parts;
  }

  // What one thread works with.
  struct Worker {
    std::unique_ptr<ChunkSolver<T>> solver;
    std::vector<std::uint64_t> index;  // of settle_parts(): the samples of a chunk, and where they settle
    Equilibria<T> states;
  };
  // For each number of lanes in use; made when first needed, and again when there is more to do at once.
  struct Crew {
    ChunkShape shape{};
    std::vector<Worker> workers;
  };
  Crew& crew_for(std::size_t count, std::size_t grain) {
    const std::size_t share = parts_of(parts_of(count, threads.size()), grain) * grain;
    const ChunkShape best = best_shape<T>(packed, solver, std::min(count, share));
    Crew& crew = crews[best.width];
    if (crew.shape.capacity >= best.capacity) return crew;
    std::vector<Worker> made(threads.size());
    for (Worker& worker : made) worker.solver = make_chunk_solver<T>(packed, solver, tolerance, best);
    crew = {best, std::move(made)};
    return crew;
  }

  // Calls body(first, size, worker) for consecutive chunks of 0 .. count - 1, whole grains each.
  //
  // Where there is but a chunk for every thread, all are of one size. Where there is more, they begin as large as a solver takes
  // them, which keeps lanes filled, and become smaller towards the end, so that no thread waits long for the last one.
  template <class Body>
  void for_each_chunk(const Crew& crew, std::size_t count, std::size_t grain, const Body& body) {
    constexpr std::size_t least_groups = 8;  // a chunk this small wastes an eighth of its lanes
    const std::size_t many = threads.size(), share = parts_of(parts_of(count, many), grain);
    const std::size_t most = std::max<std::size_t>(crew.shape.capacity / grain, 1);
    const std::size_t least = std::min(most, parts_of(least_groups * crew.shape.width, grain));
    const std::size_t even = parts_of(share, parts_of(share, most));
    ends.clear();
    for (std::size_t done = 0; done < count; done = ends.back()) {
      const std::size_t left = parts_of(count - done, grain);
      const std::size_t size =
          share <= most || many == 1 ? even : std::clamp(parts_of(left, 2 * many), least, most);
      ends.push_back(std::min(count, done + size * grain));
    }
    threads.for_each(ends.size(), [&](std::size_t task, std::size_t worker) {
      const kernels::FlushDenormals flush;
      const std::size_t first = task == 0 ? 0 : ends[task - 1];
      body(first, ends[task] - first, worker);
    });
  }

  Solver solver;
  PackedNetwork<T> packed;
  double tolerance;
  ThreadPool& threads;
  std::map<std::size_t, Crew> crews;
  std::vector<std::size_t> ends;  // of chunks
  LaneFactors<T> factors;         // of the last call
};

template <class T>
Settler<T>::Settler(const Network<T>& network, const SettleOptions& options, ThreadPool& threads,
                    PackedParts parts)
    : parts_(std::make_unique<Parts>(network, options, threads, parts)) {}
template <class T>
Settler<T>::~Settler() = default;
template <class T>
Settler<T>::Settler(Settler&&) noexcept = default;

template <class T>
void Settler<T>::update(const Network<T>& network) {
  parts_->packed.repack(network, &parts_->threads);
}
template <class T>
const Solver& Settler<T>::solver() const {
  return parts_->solver;
}
template <class T>
double Settler<T>::tolerance() const {
  return parts_->tolerance;
}

template <class T>
const PackedNetwork<T>& Settler<T>::packed() const {
  return parts_->packed;
}

template <class T>
LaneFactors<T> Settler<T>::factors() const {
  return parts_->factors;
}
template <class T>
ThreadPool& Settler<T>::threads() const {
  return parts_->threads;
}

template <class T>
void Settler<T>::check(const Samples<T>& samples) const {
  const Architecture& architecture = parts_->packed.architecture();
  if (samples.inputs() == architecture.inputs()) return;
  throw Error("the samples have " + std::to_string(samples.inputs()) + " inputs, network " +
              architecture.text() + " takes " + std::to_string(architecture.inputs()));
}

template <class T>
void Settler<T>::settle(const Samples<T>& samples, std::span<const std::uint64_t> index, Equilibria<T>& out) {
  Parts& p = *parts_;
  const std::size_t n = p.packed.neurons();
  check(samples);
  p.factors = {};
  out.neurons = n;
  out.states.resize(index.size() * n);
  out.verdicts.resize(index.size());
  if (index.empty()) return;
  auto& crew = p.crew_for(index.size(), 1);
  p.for_each_chunk(
      crew, index.size(), crew.shape.width, [&](std::size_t first, std::size_t size, std::size_t worker) {
        ChunkSolver<T>& solver = *crew.workers[worker].solver;
        solver.solve(samples, index.subspan(first, size), &out.states[first * n], &out.verdicts[first]);
        if (size == index.size()) p.factors = solver.factors();
      });
}

template <class T>
void Settler<T>::settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count,
                              std::size_t part, const Visitor& visit) {
  Parts& p = *parts_;
  check(samples);
  p.factors = {};
  if (count == 0) return;
  const std::size_t n = p.packed.neurons();
  auto& crew = p.crew_for(count, part);
  p.for_each_chunk(crew, count, part, [&](std::size_t offset, std::size_t size, std::size_t worker) {
    auto& [solver, index, states] = crew.workers[worker];
    index.resize(size);
    std::iota(index.begin(), index.end(), std::uint64_t(first + offset));
    states.neurons = n;
    states.states.resize(size * n);
    states.verdicts.resize(size);
    for (std::size_t done = 0; done < size;
         done += crew.shape.capacity)  // one part may be more than a solver takes
      solver->solve(samples, std::span(index).subspan(done, std::min(crew.shape.capacity, size - done)),
                    &states.states[done * n], &states.verdicts[done]);
    visit(first + offset, states, worker);
  });
}

template <class T>
Equilibria<T> Settler<T>::settle(const Samples<T>& samples) {
  std::vector<std::uint64_t> index(samples.size());
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Equilibria<T> out;
  settle(samples, index, out);
  return out;
}

template class Settler<float>;
template class Settler<double>;

Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options) {
  if (problem.size == 0) throw Error("a problem needs at least one unknown; its size is 0");
  if (!problem.map) throw Error("a problem needs its map z -> F(z); none was given");
  const Solver solver = checked(options.solver, problem.size);
  Equilibria<double> out{problem.size, std::vector<double>(count * problem.size),
                         std::vector<Verdict>(count)};
  solve_problems(problem, count, solver, checked_tolerance<double>(options.tolerance), out.states.data(),
                 out.verdicts.data());
  return out;
}

}  // namespace irn
