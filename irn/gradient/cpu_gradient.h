// The gradient of a batch, forward and back, on a pool of threads: the core of the processor's engine
// (irn/engine/cpu_engine.h). Use irn/engine/batch_gradient.h instead: it works on every engine, and explains
// the calls.
#pragma once

#include <memory>
#include <span>

#include "irn/equilibrium/cpu_settler.h"
#include "irn/gradient/forward.h"
#include "irn/gradient/gradient_result.h"

namespace irn {

// For one caller at a time.
template <class T>
class CpuGradient {
 public:
  // `source`: as in CpuSettler.
  CpuGradient(const NetworkOf<T>& network, const GradientOptions& options, ThreadPool& threads,
              const ChunkSource<T>* source = nullptr);
  ~CpuGradient();
  CpuGradient(CpuGradient&&) noexcept;

  // The network's parameters changed: backward() refuses what forward() found before.
  void update(const NetworkOf<T>& network);
  // For a device that has the parameters. changed_elsewhere(): they changed on the device only. catch_up()
  // updates this copy before it is used.
  void changed_elsewhere();
  void catch_up(const NetworkOf<T>& network);

  // The states of samples index[0..]: equilibria, or the end of an iterated gradient's iteration. `out` keeps
  // its memory between calls. `starts` is as in CpuSettler. A caller that may not need the inputs can leave
  // them out with `with_inputs`, and add them later with add_inputs().
  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out,
               std::span<const T> starts = {}, bool with_inputs = true);
  void add_inputs(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) const;
  Forward<T> forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                     std::span<const T> starts = {});

  // `slopes`: dL/dz of the neurons that the loss sees, [sample][neurons of the heads, in their order].
  // `weights`: one for each sample; 1 each if empty. `out` keeps its memory between calls.
  void backward(const Forward<T>& forward, std::span<const T> slopes, GradientResult<T>& out,
                std::span<const T> weights = {});
  GradientResult<T> backward(const Forward<T>& forward, std::span<const T> slopes,
                             std::span<const T> weights = {});

  // Throws irn::Error unless backward() can take these.
  void check_backward(const Forward<T>& forward, std::span<const T> slopes, std::span<const T> weights) const;

  // The settler that shares this gradient's weights.
  CpuSettler<T>& settler();
  const CpuSettler<T>& settler() const;

 private:
  void add_gates(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) const;
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

extern template class CpuGradient<float>;
extern template class CpuGradient<double>;

}  // namespace irn
