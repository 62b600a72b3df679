// From samples to the equilibria of a network, on a pool of threads: what the engine of the processor is made of
// (irn/engine/cpu_engine.h). irn/engine/settler.h is the class to use, on whichever engine.
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

// Solves for one network again and again: packed weights and the memory of every thread live here. For one caller at a time.
template <class T>
class CpuSettler {
 public:
  // `needs`: what else a gradient that shares packed() needs of it. `source`: a device that solves the
  // chunks; it must outlive the settler.
  CpuSettler(const NetworkOf<T>& network, const SettleOptions& options, ThreadPool& threads,
             PackedNeeds needs = {}, const ChunkSource<T>* source = nullptr);
  ~CpuSettler();
  CpuSettler(CpuSettler&&) noexcept;

  void update(const NetworkOf<T>& network);  // its parameters changed

  // Samples index[0..] of `samples`; `out` keeps its memory between calls. The states are those that the flow
  // reaches from `starts`: one start for all samples or one for each, row-major [sample][neuron]; if that is
  // empty, from rest, z = 0.
  void settle(const Samples<T>& samples, std::span<const std::uint64_t> index, Equilibria<T>& out,
              std::span<const T> starts = {});
  Equilibria<T> settle(const Samples<T>& samples, std::span<const T> starts = {});  // all of them

  // Settles samples first .. first + count - 1 and keeps nothing of them. The thread that has settled samples
  // begin, begin + 1, ... calls visit(begin, states, worker) at once; calls come in any order. Each covers
  // whole parts, of `part` samples each, counted from `first`; how many parts depends on the threads. `visit`
  // must not use the settler.
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
