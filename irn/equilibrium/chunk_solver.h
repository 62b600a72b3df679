// One worker's solver: it solves a chunk of samples from start to finish on one thread. It is made once and
// reused for every chunk; a solve allocates nothing. It runs the code of the best instruction set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "irn/data/samples.h"
#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"
#include "irn/network/packed.h"
#include "irn/network/start_states.h"

namespace irn {

struct ChunkShape {
  std::size_t width;     // samples side by side
  std::size_t capacity;  // samples a chunk at most
};

template <class T>
class ChunkSolver {
 public:
  virtual ~ChunkSolver() = default;
  // states: row-major [sample][neurons].
  virtual void solve(const Samples<T>& samples, std::span<const std::uint64_t> index,
                     const StartStates<T>& starts, T* states, Verdict* verdicts) = 0;
};

// Another device that solves chunks. needs() says in which forms it needs the network's numbers.
template <class T>
class ChunkSource {
 public:
  virtual ~ChunkSource() = default;
  virtual PackedNeeds needs() const = 0;
  virtual bool takes(const PackedNetwork<T>& network, const Solver& solver) const = 0;
  virtual ChunkShape best_shape(const PackedNetwork<T>& network, const Solver& solver,
                                std::size_t share) const = 0;
  virtual std::size_t least_share() const = 0;  // for fewer samples another thread is not worth it
  // Called before this number of the samples is searched in chunks, so that data which the chunks share can
  // be copied for all of them at once.
  virtual void prepare(const Samples<T>&, std::size_t) const {}
  virtual std::unique_ptr<ChunkSolver<T>> make(const PackedNetwork<T>& network, const Solver& solver,
                                               const Rules<double>& rules, ChunkShape shape) const = 0;
};

// The best shape if a thread has `share` samples at a time. The answers do not depend on the shape.
template <class T>
ChunkShape best_shape(const PackedNetwork<T>& network, const Solver& solver, std::size_t share);

// `shape.width` is a width that best_shape can return; `shape.capacity` is a multiple of it.
template <class T>
std::unique_ptr<ChunkSolver<T>> make_chunk_solver(const PackedNetwork<T>& network, const Solver& solver,
                                                  const Rules<double>& rules, ChunkShape shape);

}  // namespace irn
