// From samples to the equilibria of a network, on a pool of threads. This is the core of the processor's
// engine (irn/engine/cpu_engine.h). Use irn/engine/settler.h, which works with any engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/samples.h"
#include "irn/equilibrium/chunk_solver.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/network/network.h"
#include "irn/network/packed.h"

namespace irn {

// Solves for one network again and again; it holds the packed weights and the memory of every thread. For one
// caller at a time.
template <class T>
class CpuSettler {
 public:
  // `needs`: further forms of packed() that a gradient sharing it needs. `source`: a device that solves the
  // chunks; it must outlive the settler.
  CpuSettler(const NetworkOf<T>& network, const SettleOptions& options, ThreadPool& threads,
             PackedNeeds needs = {}, const ChunkSource<T>* source = nullptr);
  ~CpuSettler();
  CpuSettler(CpuSettler&&) noexcept;

  void update(const NetworkOf<T>& network);  // its parameters changed

  // Settles samples index[0], index[1], ... of `samples`; `out` keeps its memory between calls. The states
  // are those that the flow reaches from `starts`: one start for all samples or one for each, row-major
  // [sample][neuron]. If `starts` is empty, the flow starts at rest, z = 0.
  void settle(const Samples<T>& samples, std::span<const std::uint64_t> index, Equilibria<T>& out,
              std::span<const T> starts = {});
  Equilibria<T> settle(const Samples<T>& samples, std::span<const T> starts = {});  // all of them

  // Settles samples first .. first + count - 1 and stores none of them. The thread that has settled samples
  // begin, begin + 1, ... calls visit(begin, states, worker) at once; calls come in any order. Each call
  // covers whole parts of `part` samples, counted from `first`; how many parts depends on the threads.
  // `visit` must not use the settler.
  using Visitor = std::function<void(std::size_t begin, const Equilibria<T>& states, std::size_t worker)>;
  void settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count, std::size_t part,
                    const Visitor& visit);

  const Solver& solver() const;  // what Auto became
  double tolerance() const;
  const PackedNetwork<T>& packed() const;  // for gradients, which share it
  ThreadPool& threads() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

extern template class CpuSettler<float>;
extern template class CpuSettler<double>;

}  // namespace irn
