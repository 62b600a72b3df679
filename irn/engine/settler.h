// From samples to the equilibria of a network: one network, many times, on the engine of a device.
#pragma once

#include "irn/engine/engine.h"

namespace irn {

// Weights and memory are kept between calls. For one caller at a time.
template <class T>
class Settler {
 public:
  Settler(const NetworkOf<T>& network, const SettleOptions& options, ThreadPool& threads)
      : engine_(make_engine(network, options, threads)), certified_(options.certified) {}

  void update(const NetworkOf<T>& network) { engine_->upload(network); }  // its parameters changed

  // Settles samples index[0..] of `samples`; `out` keeps its memory between calls. The states are those that
  // the flow reaches from `starts`: one start for all samples or one for each, row-major [sample][neuron]; if
  // that is empty, from rest, z = 0.
  void settle(const Samples<T>& samples, std::span<const std::uint64_t> index, Equilibria<T>& out,
              std::span<const T> starts = {}) {
    if (certified_) check_gates(samples, index);
    engine_->settle(samples, index, starts, out);
  }
  Equilibria<T> settle(const Samples<T>& samples, std::span<const T> starts = {});  // all of them

  // Settles samples first .. first + count - 1 and keeps nothing of them. The thread that has settled samples
  // begin, begin + 1, ... calls visit(begin, states, worker) at once; calls come in any order. Each covers
  // whole parts, of `part` samples each, counted from `first`; how many parts depends on the threads. `visit`
  // must not use the settler.
  using Visitor = typename Engine<T>::Visitor;
  void settle_parts(const Samples<T>& samples, std::size_t first, std::size_t count, std::size_t part,
                    const Visitor& visit) {
    if (certified_) check_gates(samples, first, count);
    engine_->settle_parts(samples, first, count, part, visit);
  }

  const Architecture& architecture() const { return engine_->architecture(); }
  const Solver& solver() const { return engine_->solver(); }  // what Auto became
  double tolerance() const { return engine_->tolerance(); }
  std::size_t workers() const { return engine_->workers(); }  // the most that may call a visitor at once

 private:
  // Refuses gates for which the certificate says nothing.
  void check_gates(const Samples<T>& samples, std::span<const std::uint64_t> index) const;
  void check_gates(const Samples<T>& samples, std::size_t first, std::size_t count) const;

  std::unique_ptr<Engine<T>> engine_;
  bool certified_;
};

extern template class Settler<float>;
extern template class Settler<double>;

}  // namespace irn
