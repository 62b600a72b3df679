// The list of gradients of a loss on the outputs of z = f(A z + B x + b), and their options. The command
// line, the documentation and the tests read this list.
//
// All follow from one adjoint equation, with D = f' at the state and g = dL/dz:
//   u = g + A^T D u       then   dA = (D u) z^T,  dB = (D u) x^T,  db = D u,  dx = B^T D u
//
//   exact      all of A: the implicit function theorem
//   semi       the forward blocks of A only: recurrent activations count as constants (the paper's
//              semi-gradient)
//   truncated  k damped terms of the series for u: the derivative of k steps
//              z <- (1 - damping) z + damping F(z) from the equilibrium, which itself counts as constant
//              ("phantom gradient"; damping 1: Neumann)
//   unrolled   reverse through n plain iterations from the start, the classic iterative network. Its state is
//              z_n, its memory grows with n, and it does not claim an equilibrium.
//   reversible reverse through n steps of a pair of states that can be run backwards (solver.h): their exact
//              gradient, in memory that does not grow with n
//
// A network trained with one of the last two answers with that iteration wherever it is used: settling_of().
//
// This is the list only; irn/engine/batch_gradient.h computes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "irn/base/text_form.h"
#include "irn/equilibrium/equilibria.h"
#include "irn/network/architecture.h"

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
struct ReversibleGradient {
  static constexpr std::string_view name = "reversible";
  std::size_t steps = 30;
  double damping = 0.5;
  template <class V>
  void fields(V&& v) {
    v("steps", steps), v("damping", damping);
  }
};
using Gradient =
    std::variant<ExactGradient, SemiGradient, TruncatedGradient, UnrolledGradient, ReversibleGradient>;
template <>
Gradient from_text<Gradient>(std::string_view text);
std::string to_text(const Gradient& gradient);
// Throws irn::Error for a value that makes no sense (no terms, no steps).
void check(const Gradient& gradient);

// Near a fold, where I - D A is singular, the exact gradient grows without bound. A sample whose
// amplification exceeds the limit is left out, scaled down to the limit, or used unchanged. `keep` also
// accepts a u that misses the adjoint equation by no more than a tenth of g: a direction like that of a
// truncated series. It never accepts a u that is not finite, nor one where I - D A is singular.
enum class OnFold : unsigned char { leave_out, limit, keep };

struct GradientOptions {
  Gradient gradient = ExactGradient{};
  SettleOptions settle = {};
  OnFold on_fold = OnFold::leave_out;
  double amplification_limit = 1e4;
  bool input_gradient = false;
  // The layers that the loss sees, counted from 1; empty: only the last.
  std::vector<std::size_t> heads = {};
};

// The iteration that a gradient differentiates; none for the gradients at an equilibrium.
std::optional<Solver> iteration_of(const Gradient& gradient);
// How samples are settled for this gradient, in training, in evaluation and in the saved model:
// options.settle with the gradient's iteration. Throws irn::Error if options.settle asks for another solver.
SettleOptions settling_of(const GradientOptions& options);

// Consecutive neurons that the loss sees: `size` of them, from `first` on.
struct HeadRange {
  std::size_t first = 0, size = 0;
};
// The ranges of options.heads. Throws irn::Error for a layer that does not exist or is named twice.
std::vector<HeadRange> head_ranges(const Architecture& architecture, const GradientOptions& options);

// What became of one sample's gradient.
//   used         it is in the sum
//   limited      in the sum, scaled down to the limit of amplification
//   fold         left out: beyond that limit, or I - D A is singular to working accuracy
//   no_adjoint   left out: products with A^T D ran out before u was found (wide networks). The amplification
//                is that of the unfinished u, and does not show a fold
//   not_reversed left out: the iteration run backwards did not return to its start (reversible); fewer steps
//                or less damping lose less
//   not_settled  left out: the state is no answer, there is nothing to differentiate
//   not_finite   left out: the state, the slopes or the gradient left the range of numbers
enum class GradientOutcome : std::uint8_t {
  used,
  limited,
  fold,
  no_adjoint,
  not_reversed,
  not_settled,
  not_finite
};
inline constexpr std::array<std::string_view, 7> gradient_outcome_names = {
    "used", "limited", "fold", "no_adjoint", "not_reversed", "not_settled", "not_finite"};
constexpr bool is_used(GradientOutcome outcome) {
  return outcome == GradientOutcome::used || outcome == GradientOutcome::limited;
}
constexpr std::string_view name(GradientOutcome outcome) {
  return gradient_outcome_names[static_cast<std::size_t>(outcome)];
}

}  // namespace irn
