// From samples to equilibria: the front door of the solvers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/samples.h"
#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/problem.h"
#include "irn/equilibrium/solver.h"
#include "irn/network/network.h"
#include "irn/network/packed.h"

namespace irn {

struct SettleOptions {
  Solver solver = Auto{};
  double tolerance = 0;  // of the residual; 0 takes the default of the precision
};

// 1e-5 in float, 1e-8 in double; and the least that can be asked for.
template <class T>
double default_tolerance();
template <class T>
double least_tolerance();

// States and verdicts of a batch. A state whose verdict is neither `settled` nor `iterated` is where a search ended, and no answer.
template <class T>
struct Equilibria {
  std::size_t neurons = 0;
  std::vector<T> states;  // row-major [sample][neuron]
  std::vector<Verdict> verdicts;

  std::size_t size() const { return verdicts.size(); }
  bool settled(std::size_t sample) const { return verdicts[sample].outcome == Outcome::settled; }
  bool answered(std::size_t sample) const { return has_answer(verdicts[sample].outcome); }
  std::span<const T> state(std::size_t sample) const { return {states.data() + sample * neurons, neurons}; }
  Summary summary() const { return summarise(verdicts); }
};

// Solves for one network again and again: packed weights and the memory of every thread live here. For one caller at a time.
template <class T>
class Settler {
 public:
  // `parts`: what a gradient that shares packed() needs of it beside.
  Settler(const Network<T>& network, const SettleOptions& options, ThreadPool& threads,
          PackedParts parts = {});
  ~Settler();
  Settler(Settler&&) noexcept;

  void update(const Network<T>& network);  // its parameters changed

  // Samples index[0..] of `samples`; `out` keeps its memory between calls.
  void settle(const Samples<T>& samples, std::span<const std::uint64_t> index, Equilibria<T>& out);
  Equilibria<T> settle(const Samples<T>& samples);  // all of them

  // Samples first .. first + count - 1, of which nothing is kept: visit(begin, states, worker) is called on the thread that has
  // settled samples begin, begin + 1, ..., as soon as it has, for all of them in any order. What comes at once is made of whole
  // parts, `part` samples each, counted from `first`; how many of them, depends on the threads. `visit` must not use the settler.
  using Visitor = std::function<void(std::size_t begin, const Equilibria<T>& states, std::size_t worker)>;
  void settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count, std::size_t part,
                    const Visitor& visit);

  void check(const Samples<T>& samples) const;  // throws irn::Error unless they have the network's inputs
  const Solver& solver() const;                 // what Auto became
  double tolerance() const;
  const PackedNetwork<T>& packed() const;  // for gradients, which share it
  ThreadPool& threads() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The same solvers on a map of the caller's: `count` problems at once.
Equilibria<double> settle(const Problem& problem, std::size_t count, const SettleOptions& options = {});

extern template class Settler<float>;
extern template class Settler<double>;

}  // namespace irn
