// The texts of all options that the front door takes.
#include "irn/front/or_text.h"
#include "irn/front/training.h"

namespace irn {

template <>
Solver option_from_text(std::string_view text) {
  return solver_from_text(text);
}
template <>
Gradient option_from_text(std::string_view text) {
  return gradient_from_text(text);
}
template <>
OptimiserOptions option_from_text(std::string_view text) {
  return parse_optimiser(text);
}
template <>
Schedule option_from_text(std::string_view text) {
  return parse_schedule(text);
}
template <>
Loss option_from_text(std::string_view text) {
  return parse_loss(text);
}

}  // namespace irn
