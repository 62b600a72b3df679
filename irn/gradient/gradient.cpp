#include "irn/gradient/gradient.h"

#include <algorithm>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

constexpr std::size_t most_steps = 1'000'000;

void check_steps(std::string_view gradient, std::string_view what, std::size_t steps) {
  if (steps >= 1 && steps <= most_steps) return;
  throw Error("gradient " + std::string(gradient) + ": " + std::string(what) + " is " +
              std::to_string(steps) + "; give 1 to " + std::to_string(most_steps));
}

void check_options(const ExactGradient&) {}
void check_options(const SemiGradient&) {}
void check_options(const TruncatedGradient& o) {
  check_steps(o.name, "terms", o.terms);
  if (!(o.damping > 0 && o.damping <= 1)) throw Error("gradient truncated: damping must lie in (0, 1]");
}
void check_options(const UnrolledGradient& o) { check_steps(o.name, "steps", o.steps); }
void check_options(const ReversibleGradient& o) {
  check_steps(o.name, "steps", o.steps);
  if (!(o.damping > 0 && o.damping < 1)) throw Error("gradient reversible: damping must lie in (0, 1)");
}

}  // namespace

void check(const Gradient& gradient) {
  std::visit([](const auto& options) { check_options(options); }, gradient);
}

template <>
Gradient from_text<Gradient>(std::string_view text) {
  const Gradient gradient = parse_choice<Gradient>(text, "gradient");
  check(gradient);
  return gradient;
}
std::string to_text(const Gradient& gradient) { return to_text<>(gradient); }

std::optional<Solver> iteration_of(const Gradient& gradient) {
  if (const auto* unrolled = std::get_if<UnrolledGradient>(&gradient)) return Iterate{unrolled->steps};
  if (const auto* reversible = std::get_if<ReversibleGradient>(&gradient))
    return Reversible{reversible->steps, reversible->damping};
  return {};
}

SettleOptions settling_of(const GradientOptions& options) {
  const std::optional<Solver> iteration = iteration_of(options.gradient);
  if (!iteration) return options.settle;
  const Solver& asked = options.settle.solver;
  if (!std::holds_alternative<Auto>(asked) && to_text(asked) != to_text(*iteration))
    throw Error("gradient " + to_text(options.gradient) + " trains what " + to_text(*iteration) +
                " answers; solver " + to_text(asked) +
                " would answer otherwise: leave the solver to the gradient");
  return {.solver = *iteration, .tolerance = options.settle.tolerance, .device = options.settle.device};
}

std::vector<HeadRange> head_ranges(const Architecture& architecture, const GradientOptions& options) {
  if (options.heads.empty()) return {{architecture.first_output(), architecture.outputs()}};
  const std::size_t layers = architecture.layers().size();
  std::vector<HeadRange> heads;
  for (auto layer = options.heads.begin(); layer != options.heads.end(); ++layer) {
    if (*layer < 1 || *layer > layers)
      throw Error("a head is layer " + std::to_string(*layer) + ", but network " + to_text(architecture) +
                  " has layers 1 to " + std::to_string(layers));
    if (std::find(options.heads.begin(), layer, *layer) != layer)
      throw Error("layer " + std::to_string(*layer) + " is named as a head twice");
    heads.push_back({architecture.first_neuron(*layer), architecture.layers()[*layer - 1].size});
  }
  return heads;
}

}  // namespace irn
