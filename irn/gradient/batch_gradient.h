// The gradient of a batch, forward and back (gradient.h lists the kinds).
//
//   BatchGradient<float> gradient(network, {.gradient = ExactGradient{}}, threads);
//   Forward<float> forward = gradient.forward(samples, index);
//   GradientResult<float> result = gradient.backward(forward, slopes);   // any number of times
//
// The gradient of the parameters is the weighted mean  sum_s w_s g_s / sum_s w_s  over the samples used. What is left out, and
// why, each sample says; it weighs nothing, and costs no other sample its gradient. All is always finite.
#pragma once

#include <memory>
#include <span>

#include "irn/gradient/forward.h"
#include "irn/gradient/gradient.h"

namespace irn {

template <class T>
struct GradientResult {
  std::vector<T> parameters;  // mean over the samples used; zero if none was
  std::vector<T> inputs;  // [sample][input], of each sample's own loss, not weighted; empty unless asked for
  std::vector<GradientOutcome> outcomes;  // one a sample
  std::vector<double> amplification;      // |u| / |g| in the maximum norm
  // Products with A^T D that finding u in a Krylov space took; none where factors or one sweep gave it.
  std::vector<double> products;
  std::size_t used = 0;
};

// For one caller at a time.
template <class T>
class BatchGradient {
 public:
  BatchGradient(const Network<T>& network, const GradientOptions& options, ThreadPool& threads);
  ~BatchGradient();
  BatchGradient(BatchGradient&&) noexcept;

  // Its parameters changed: what forward() found before is of no use to backward() any more.
  void update(const Network<T>& network);

  // States of samples index[0..]: equilibria, or where an iterated gradient's iteration ends. `out` keeps its memory between calls.
  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out);
  Forward<T> forward(const Samples<T>& samples, std::span<const std::uint64_t> index);

  // From dL/dz of the neurons that the loss sees, [sample][neurons of the heads, in their order], and a weight a sample (none
  // given: 1 each). `out` keeps its memory between calls.
  void backward(const Forward<T>& forward, std::span<const T> slopes, GradientResult<T>& out,
                std::span<const T> weights = {});
  GradientResult<T> backward(const Forward<T>& forward, std::span<const T> slopes,
                             std::span<const T> weights = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class BatchGradient<float>;
extern template class BatchGradient<double>;

}  // namespace irn
