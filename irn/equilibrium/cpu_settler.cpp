#include "irn/equilibrium/cpu_settler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/equilibrium/chunks.h"
#include "irn/equilibrium/decided.h"
#include "irn/equilibrium/second_try.h"
#include "irn/equilibrium/tolerance.h"
#include "irn/kernels/flush_denormals.h"
#include "irn/network/check_inputs.h"

namespace irn {
namespace {

// For error messages.
std::string states_of(std::size_t count, std::size_t n) {
  return std::to_string(count) + (count == 1 ? " state of " : " states of ") + std::to_string(n) +
         (n == 1 ? " number" : " numbers");
}

}  // namespace

template <class T>
struct CpuSettler<T>::Inside {
  Inside(const NetworkOf<T>& network, const SettleOptions& options, ThreadPool& pool, PackedNeeds needs,
         const ChunkSource<T>* device)
      : source(device),
        solver(solver_of(network.architecture(), options.solver, options.certified)),
        second(second_of(network.architecture(), options)),
        rules(rules_of(network.architecture(), options)),
        certified(options.certified),
        decide_up_to(options.decide_up_to),
        packed(network, with_factors(needs, network.architecture())),
        threads(pool) {
    if (source && packed.recurrent && !source->takes(packed, solver))
      throw Error("device " + to_text(options.device) + " does not have solver " + to_text(solver) +
                  " for network " + to_text(network.architecture()) + "; take solver auto, or device cpu");
  }

  static Rules<double> rules_of(const Architecture& architecture, const SettleOptions& options) {
    return {.tolerance = checked_tolerance<T>(options.tolerance),
            .floor = checked_floor(options.floor),
            .confirm = options.confirm && !options.certified,
            .bounded = std::ranges::all_of(architecture.layers(),
                                           [](const Layer& layer) { return is_bounded(layer.activation); })};
  }

  static Solver solver_of(const Architecture& architecture, const Solver& asked, bool certified) {
    const std::size_t n = architecture.neurons();
    const Solver solver = solver_for(asked, n, certified);
    if (architecture.recurrent() && !architecture.dense() && needs_factors(solver) && n > dense_limit)
      throw Error("solver " + to_text(solver) + " needs the matrix of network " + to_text(architecture) +
                  ", which blocks that are not dense have up to " + std::to_string(dense_limit) +
                  " neurons only; take auto, anderson or newton-krylov");
    return solver;
  }
  // Without a certificate, samples that end where the flow does not are followed again, closely. With one,
  // which means a single equilibrium, the second solver is the other kind: the flow if the first does not
  // follow it, otherwise anderson. (The flow certainly leads to that equilibrium, but between strong
  // inhibitions it can take more steps than allowed.)
  static std::optional<Solver> second_of(const Architecture& architecture, const SettleOptions& options) {
    if (!architecture.recurrent() || !std::holds_alternative<Auto>(options.solver)) return {};
    if (!options.certified)
      return options.confirm ? std::optional(careful_solver(architecture.neurons())) : std::nullopt;
    if (follows_flow(solver_for(options.solver, architecture.neurons(), true))) return Anderson{.memory = 6};
    return solver_of(architecture, options.solver, false);
  }
  PackedNeeds with_factors(PackedNeeds needs, const Architecture& architecture) const {
    needs.dense_a |= architecture.recurrent() &&
                     (needs_factors(solver) || (second && needs_factors(*second)) || decides(architecture));
    if (source) needs.dense_a |= source->needs().dense_a, needs.dense_b |= source->needs().dense_b;
    return needs;
  }
  // Whether eigenvalues may decide about attraction.
  bool decides(const Architecture& architecture) const {
    const std::size_t n = architecture.neurons();
    return rules.confirm && architecture.recurrent() && !only_iterates(solver) && n <= decide_up_to;
  }

  // The memory of one thread.
  struct Worker {
    std::unique_ptr<ChunkSolver<T>> solver;
    std::vector<std::uint64_t> index;  // for settle_parts(): the samples of a chunk, and their states
    Equilibria<T> states;
  };
  // One for each number of lanes in use, for chunks up to a capacity; replaced when a larger capacity is
  // needed.
  struct Team {
    ChunkShape shape{};
    std::vector<Worker> workers;
  };
  Team& team_for(std::size_t count, std::size_t grain) {
    const std::size_t share = divide_up(divide_up(count, workers_for(count)), grain) * grain;
    const ChunkShape best = shape_for(solver, std::min(count, share));
    Team& team = teams[best.width];
    if (team.shape.capacity < best.capacity) team = {best, std::vector<Worker>(threads.size())};
    return team;
  }
  ChunkSolver<T>& solver_of(Worker& worker, ChunkShape shape) const {
    if (worker.solver) return *worker.solver;
    worker.solver = make_solver(solver, rules, shape);
    if (second)
      worker.solver = std::make_unique<SecondTry<T>>(
          std::move(worker.solver), [this, shape] { return make_second(shape.capacity); },
          certified ? is_unsettled : left_by_auto(packed.neurons()), packed.neurons());
    return *worker.solver;
  }
  std::unique_ptr<ChunkSolver<T>> make_solver(const Solver& chosen, const Rules<double>& by,
                                              ChunkShape shape) const {
    auto made = on_device(chosen) ? source->make(packed, chosen, by, shape)
                                  : make_chunk_solver<T>(packed, chosen, by, shape);
    if (!decides(packed.architecture())) return made;
    return std::make_unique<Decided<T>>(std::move(made), packed, by.tolerance);
  }
  // Takes as many samples as suit this solver, side by side. Without a certificate the tolerance is smaller,
  // so that a sample that started within tolerance of a repelling equilibrium can leave it.
  std::unique_ptr<ChunkSolver<T>> make_second(std::size_t capacity) const {
    Rules<double> by = rules;
    if (!certified)
      by.tolerance = std::max(least_tolerance<T>(), rules.tolerance / 100),
      by.floor = std::min(by.floor, careful_floor);
    return make_solver(*second, by, shape_for(*second, capacity));
  }

  bool on_device(const Solver& chosen) const {
    return source && packed.recurrent && source->takes(packed, chosen);
  }
  ChunkShape shape_for(const Solver& chosen, std::size_t share) const {
    return on_device(chosen) ? source->best_shape(packed, chosen, share)
                             : best_shape<T>(packed, chosen, share);
  }
  std::size_t workers_for(std::size_t count) const {
    if (!on_device(solver)) return threads.size();
    return std::min(threads.size(), divide_up(count, source->least_share()));
  }

  // Calls body(first, size, worker, its solver) for the chunks of 0 .. count - 1. A single chunk needs the
  // memory of one thread only; otherwise all threads have theirs from the first call on.
  template <class Body>
  void for_each_chunk(Team& team, const Samples<T>& samples, std::size_t count, std::size_t grain,
                      const Body& body) {
    if (on_device(solver)) source->prepare(samples, count);
    cut_into_chunks(count, workers_for(count), grain, team.shape, ends);
    if (ends.size() > 1)
      for (Worker& worker : team.workers) solver_of(worker, team.shape);
    threads.for_each(ends.size(), [&](std::size_t task, std::size_t worker) {
      const kernels::FlushDenormals flush;
      const std::size_t first = task == 0 ? 0 : ends[task - 1];
      body(first, ends[task] - first, worker, solver_of(team.workers[worker], team.shape));
    });
  }

  const ChunkSource<T>* source;
  Solver solver;
  std::optional<Solver> second;  // for samples that the first leaves unsettled
  Rules<double> rules;
  bool certified;
  std::size_t decide_up_to;
  PackedNetwork<T> packed;
  ThreadPool& threads;
  std::map<std::size_t, Team> teams;
  std::vector<std::size_t> ends;  // of chunks
};

template <class T>
CpuSettler<T>::CpuSettler(const NetworkOf<T>& network, const SettleOptions& options, ThreadPool& threads,
                          PackedNeeds needs, const ChunkSource<T>* source)
    : inside_(within_memory(
          [&] { return std::make_unique<Inside>(network, options, threads, needs, source); },
          [&] { return "the packed weights of network " + to_text(network.architecture()); })) {}
template <class T>
CpuSettler<T>::~CpuSettler() = default;
template <class T>
CpuSettler<T>::CpuSettler(CpuSettler&&) noexcept = default;

template <class T>
void CpuSettler<T>::update(const NetworkOf<T>& network) {
  inside_->packed.repack(network, &inside_->threads);
}
template <class T>
const Solver& CpuSettler<T>::solver() const {
  return inside_->solver;
}
template <class T>
double CpuSettler<T>::tolerance() const {
  return inside_->rules.tolerance;
}

template <class T>
const PackedNetwork<T>& CpuSettler<T>::packed() const {
  return inside_->packed;
}

template <class T>
ThreadPool& CpuSettler<T>::threads() const {
  return inside_->threads;
}

template <class T>
void CpuSettler<T>::settle(const Samples<T>& samples, std::span<const std::uint64_t> index,
                           Equilibria<T>& out, std::span<const T> starts) {
  Inside& p = *inside_;
  const std::size_t n = p.packed.neurons(), count = index.size();
  check_inputs(samples, p.packed.architecture());
  if (samples.gates() != 0 && p.on_device(p.solver))
    throw Error("dropout: the device does not have it; take device cpu");
  const StartStates<T> from(starts, n, count);
  out.neurons = n;
  const auto settle_all = [&] {
    out.verdicts.assign(count, {});  // so that nothing old looks settled if the call is refused half way
    out.states.resize(allocatable(count, n));
    if (count == 0) return;
    auto& team = p.team_for(count, 1);
    p.for_each_chunk(team, samples, count, team.shape.width,
                     [&](std::size_t first, std::size_t size, std::size_t, ChunkSolver<T>& solver) {
                       solver.solve(samples, index.subspan(first, size), from.from(first),
                                    &out.states[first * n], &out.verdicts[first]);
                     });
  };
  within_memory(settle_all, [&] { return states_of(count, n); });
}

template <class T>
void CpuSettler<T>::settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count,
                                 std::size_t part, const Visitor& visit) {
  Inside& p = *inside_;
  if (part == 0) throw Error("a part needs at least one sample");
  check_inputs(samples, p.packed.architecture());
  if (first > samples.size() || count > samples.size() - first)
    throw Error(std::to_string(count) + " samples from sample " + std::to_string(first) +
                " on do not exist: there are " + std::to_string(samples.size()) + ", numbered from 0");
  if (count == 0) return;
  part = std::min(part, count);
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
      solver.solve(samples, std::span(index).subspan(done, std::min(capacity, size - done)), {},
                   &out.states[done * n], &out.verdicts[done]);
    visit(first + offset, out, worker);
  };
  p.for_each_chunk(team, samples, count, part, settle_chunk);
}

template <class T>
Equilibria<T> CpuSettler<T>::settle(const Samples<T>& samples, std::span<const T> starts) {
  std::vector<std::uint64_t> index;
  within_memory([&] { index.resize(allocatable(samples.size())); },
                [&] { return states_of(samples.size(), inside_->packed.neurons()); });
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Equilibria<T> out;
  settle(samples, index, out, starts);
  return out;
}

template class CpuSettler<float>;
template class CpuSettler<double>;

}  // namespace irn
