#include "experiments/large_parts.h"
#include "experiments/part.h"
#include "experiments/small_parts.h"

namespace irn::experiments {

std::string_view name(Finding finding) {
  constexpr std::string_view names[] = {"holds", "holds partly", "undecided", "does not hold"};
  return names[static_cast<std::size_t>(finding)];
}

// The one list of parts; the command line, the report and the documentation read it.
const std::vector<Part>& parts() {
  static const std::vector<Part> all = {neuron_part(),       xor_part(),      oscillator_part(),
                                        sweep_part(),        iterated_part(), iteration_part(),
                                        closed_forms_part(), solvers_part(),  readings_part()};
  return all;
}

}  // namespace irn::experiments
