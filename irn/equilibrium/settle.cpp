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

  // One solver a thread for each number of lanes in use; made when first needed, kept for ever.
  using Workers = std::vector<std::unique_ptr<ChunkSolver<T>>>;
  Workers& workers_for(std::size_t count) {
    const std::size_t share = (count + threads.size() - 1) / threads.size();
    Workers& chosen = workers[best_width<T>(packed, solver, share)];
    while (chosen.size() < threads.size())
      chosen.push_back(make_chunk_solver<T>(packed, solver, tolerance, best_width<T>(packed, solver, share)));
    return chosen;
  }

  // As many chunks for every thread, none above a worker's capacity, in whole groups of lanes.
  std::size_t chunk(const Workers& chosen, std::size_t count) const {
    const auto parts_of = [](std::size_t whole, std::size_t part) { return (whole + part - 1) / part; };
    const std::size_t share = parts_of(count, threads.size()), width = chosen[0]->width();
    const std::size_t even = parts_of(share, parts_of(share, chosen[0]->capacity()));
    return parts_of(even, width) * width;
  }

  Solver solver;
  PackedNetwork<T> packed;
  double tolerance;
  ThreadPool& threads;
  std::map<std::size_t, Workers> workers;
  LaneFactors<T> factors;  // of the last call
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
  auto& workers = p.workers_for(index.size());
  const std::size_t chunk = p.chunk(workers, index.size());
  const std::size_t chunks = (index.size() + chunk - 1) / chunk;
  p.threads.for_each(chunks, [&](std::size_t task, std::size_t worker) {
    const kernels::FlushDenormals flush;
    const std::size_t first = task * chunk, count = std::min(chunk, index.size() - first);
    workers[worker]->solve(samples, index.subspan(first, count), out.states.data() + first * n,
                           out.verdicts.data() + first);
    if (chunks == 1) p.factors = workers[worker]->factors();
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
