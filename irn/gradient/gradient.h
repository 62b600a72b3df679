// Gradients of a loss on the outputs of z = f(A z + B x + b), for every parameter and for the input.
//
// All follow from one adjoint equation, with D = f' at the state and g = dL/dz:
//   u = g + A^T D u       then   dA = (D u) z^T,  dB = (D u) x^T,  db = D u,  dx = B^T D u
//
//   exact      all of A: the implicit function theorem
//   semi       the forward blocks of A only: recurrent activations count as constants (the paper's semi-gradient)
//   truncated  k damped terms of the series for u:  the derivative of k steps z <- (1 - damping) z + damping F(z) that
//              start at the equilibrium, which itself counts as constant ("phantom gradient"; damping 1: Neumann)
//   unrolled   reverse through n plain iterations from rest, the classic iterative network. Its state is z_n, its memory
//              grows with n, and it makes no claim of an equilibrium.
//
// A sample whose equilibrium was not reached is left out. Near a fold, where I - D A is singular, the exact gradient
// grows without bound; every sample reports its amplification |u| / |g|, and OnFold says what happens beyond the limit.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "irn/equilibrium/settle.h"

namespace irn {

struct ExactGradient {
  static constexpr std::string_view name = "exact";
};
struct SemiGradient {
  static constexpr std::string_view name = "semi";
};
struct TruncatedGradient {
  static constexpr std::string_view name = "truncated";
  std::size_t terms = 5;
  double damping = 1.0;
  template <class V>
  void fields(V&& v) {
    v("terms", terms), v("damping", damping);
  }
};
struct UnrolledGradient {
  static constexpr std::string_view name = "unrolled";
  std::size_t steps = 30;
  template <class V>
  void fields(V&& v) {
    v("steps", steps);
  }
};
using Gradient = std::variant<ExactGradient, SemiGradient, TruncatedGradient, UnrolledGradient>;
Gradient gradient_from_text(std::string_view text);
std::string text_of(const Gradient& gradient);

// Beyond the limit of amplification a sample is left out, scaled down to the limit, or used as it is.
enum class OnFold : unsigned char { leave_out, limit, keep };

struct GradientOptions {
  Gradient gradient = ExactGradient{};
  SettleOptions settle = {};
  OnFold on_fold = OnFold::leave_out;
  double amplification_limit = 1e4;
  bool input_gradient = false;
};

// What became of one sample's gradient.
enum class GradientOutcome : std::uint8_t { used, limited, fold, no_adjoint, not_settled, not_finite };

template <class T>
struct GradientResult {
  std::vector<T> parameters;  // mean over the samples used; zero if none was
  std::vector<T> inputs;      // [sample][input], of each sample's own loss; empty unless asked for
  std::vector<GradientOutcome> outcomes;  // one a sample
  std::vector<double> amplification;      // |u| / |g| in the maximum norm
  // Products with A^T D that finding u in a Krylov space took; none where factors or one sweep gave it.
  std::vector<double> products;
  std::size_t used = 0;
};

template <class T>
class BatchGradient {
 public:
  BatchGradient(const Network<T>& network, const GradientOptions& options, ThreadPool& threads);
  ~BatchGradient();
  BatchGradient(BatchGradient&&) noexcept;

  void update(const Network<T>& network);  // its parameters changed

  // States of the batch: equilibria, or z_n for the unrolled gradient.
  const Equilibria<T>& forward(const Samples<T>& samples, std::span<const std::uint64_t> index);
  // The gradient of the batch of the last forward(), from dL/d(output) of each sample, row-major [sample][output].
  // Always finite.
  const GradientResult<T>& backward(std::span<const T> loss_slopes);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class BatchGradient<float>;
extern template class BatchGradient<double>;

}  // namespace irn
