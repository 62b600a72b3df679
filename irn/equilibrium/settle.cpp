#include "irn/equilibrium/settle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/equilibrium/chunks.h"
#include "irn/kernels/flush_denormals.h"

namespace irn {
namespace {

// A dense factorisation a sample, 16 side by side, takes 64 n^2 bytes a thread: 256 MiB at this size.
constexpr std::size_t largest_dense = 2048;

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
          constexpr double most_steps = 1e6;  // counted in the numbers of the lanes, floats among them
          if ((field.key == "steps" || field.key == "launch") && value > most_steps)
            throw Error("solver " + std::string(options.name) + ": " + field.key + " is " + field.value +
                        "; at most 1000000 can be counted");
        }
        if constexpr (std::is_same_v<decltype(options), Reversible>)
          if (!(options.damping < 1)) throw Error("solver reversible: damping must lie in (0, 1)");
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
  // One for each number of lanes in use, for chunks up to a capacity; made anew when there is more to do at once.
  struct Team {
    ChunkShape shape{};
    std::vector<Worker> workers;
  };
  Team& team_for(std::size_t count, std::size_t grain) {
    const std::size_t share = divide_up(divide_up(count, threads.size()), grain) * grain;
    const ChunkShape best = best_shape<T>(packed, solver, std::min(count, share));
    Team& team = teams[best.width];
    if (team.shape.capacity < best.capacity) team = {best, std::vector<Worker>(threads.size())};
    return team;
  }
  ChunkSolver<T>& solver_of(Worker& worker, ChunkShape shape) const {
    if (!worker.solver) worker.solver = make_chunk_solver<T>(packed, solver, tolerance, shape);
    return *worker.solver;
  }

  // Calls body(first, size, worker, its solver) for the chunks of 0 .. count - 1. A single one needs the memory of one thread only;
  // else all have theirs from the first call on.
  template <class Body>
  void for_each_chunk(Team& team, std::size_t count, std::size_t grain, const Body& body) {
    cut_into_chunks(count, threads.size(), grain, team.shape, ends);
    if (ends.size() > 1)
      for (Worker& worker : team.workers) solver_of(worker, team.shape);
    threads.for_each(ends.size(), [&](std::size_t task, std::size_t worker) {
      const kernels::FlushDenormals flush;
      const std::size_t first = task == 0 ? 0 : ends[task - 1];
      body(first, ends[task] - first, worker, solver_of(team.workers[worker], team.shape));
    });
  }

  Solver solver;
  PackedNetwork<T> packed;
  double tolerance;
  ThreadPool& threads;
  std::map<std::size_t, Team> teams;
  std::vector<std::size_t> ends;  // of chunks
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
  const std::size_t n = p.packed.neurons(), count = index.size();
  check(samples);
  out.neurons = n;
  out.states.resize(count * n);
  out.verdicts.assign(count, {});  // if something is refused half way, nothing old is left that has settled
  if (count == 0) return;
  auto& team = p.team_for(count, 1);
  p.for_each_chunk(team, count, team.shape.width,
                   [&](std::size_t first, std::size_t size, std::size_t, ChunkSolver<T>& solver) {
                     solver.solve(samples, index.subspan(first, size), &out.states[first * n],
                                  &out.verdicts[first]);
                   });
}

template <class T>
void Settler<T>::settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count,
                              std::size_t part, const Visitor& visit) {
  Parts& p = *parts_;
  if (part == 0) throw Error("a part needs at least one sample");
  check(samples);
  if (count == 0) return;
  const std::size_t n = p.packed.neurons();
  auto& team = p.team_for(count, part);
  const std::size_t capacity = team.shape.capacity, most = std::min(count, std::max(part, capacity));
  for (auto& worker : team.workers) {
    worker.index.reserve(most);
    worker.states.neurons = n;
    worker.states.states.reserve(most * n);
    worker.states.verdicts.reserve(most);
  }
  const auto settle_chunk = [&](std::size_t offset, std::size_t size, std::size_t worker,
                                ChunkSolver<T>& solver) {
    auto& [own, index, out] = team.workers[worker];
    index.resize(size), out.states.resize(size * n), out.verdicts.resize(size);
    std::iota(index.begin(), index.end(), std::uint64_t(first + offset));
    for (std::size_t done = 0; done < size; done += capacity)  // one part may be more than a solver takes
      solver.solve(samples, std::span(index).subspan(done, std::min(capacity, size - done)),
                   &out.states[done * n], &out.verdicts[done]);
    visit(first + offset, out, worker);
  };
  p.for_each_chunk(team, count, part, settle_chunk);
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
