#include "experiments/large_parts.h"
#include "experiments/part.h"

namespace irn::experiments {

std::string_view name(Verdict verdict) {
  constexpr std::string_view names[] = {"holds", "holds partly", "does not hold"};
  return names[static_cast<std::size_t>(verdict)];
}

// The one list of parts: the command line, the report and the documentation read it.
const std::vector<Part>& parts() {
  static const std::vector<Part> all = {oscillator_part(), sweep_part(), solvers_part(), readings_part()};
  return all;
}

}  // namespace irn::experiments
