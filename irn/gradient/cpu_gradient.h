// The gradient of a batch, forward and back, on a pool of threads: what the engine of the processor is made of (irn/engine/cpu_engine.h).
// irn/engine/batch_gradient.h is the class to use, on whichever engine, and says what the calls mean.
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

  // Its parameters changed: what forward() found before is of no use to backward() any more.
  void update(const NetworkOf<T>& network);
  // For a device that has the parameters. changed_elsewhere(): they changed on the device only. catch_up():
  // updates this copy before it is used.
  void changed_elsewhere();
  void catch_up(const NetworkOf<T>& network);

  // States of samples index[0..]: equilibria, or where an iterated gradient's iteration ends. `out` keeps its memory between calls.
  // `starts` as in CpuSettler. Who is sure that nobody will ask for the inputs may ask for a pass without them, and add them later.
  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out,
               std::span<const T> starts = {}, bool with_inputs = true);
  void add_inputs(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) const;
  Forward<T> forward(const Samples<T>& samples, std::span<const std::uint64_t> index,
                     std::span<const T> starts = {});

  // From dL/dz of the neurons that the loss sees, [sample][neurons of the heads, in their order], and a weight a sample (none
  // given: 1 each). `out` keeps its memory between calls.
  void backward(const Forward<T>& forward, std::span<const T> slopes, GradientResult<T>& out,
                std::span<const T> weights = {});
  GradientResult<T> backward(const Forward<T>& forward, std::span<const T> slopes,
                             std::span<const T> weights = {});

  // irn::Error unless backward() can take these.
  void check_backward(const Forward<T>& forward, std::span<const T> slopes, std::span<const T> weights) const;

  // Shares its weights.
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
