#include "irn/data/logic_gates.h"

#include <algorithm>
#include <string>

#include "irn/base/error.h"
#include "irn/base/text.h"

namespace irn {

std::string_view gate_name(unsigned truth_table) {
  if (truth_table >= gate_names.size())
    throw Error("there is no gate with truth table " + std::to_string(truth_table) +
                ": they go from 0 to 15");
  return gate_names[truth_table];
}

unsigned truth_table(std::string_view name) {
  const auto place = std::find(gate_names.begin(), gate_names.end(), name);
  if (place == gate_names.end()) throw Error(unknown_name("gate", name, gate_names));
  return static_cast<unsigned>(place - gate_names.begin());
}

template <class T>
SampleTable<T> logic_gates(std::span<const unsigned> truth_tables) {
  std::vector<T> targets;
  for (unsigned pair = 0; pair < 4; ++pair)
    for (const unsigned table : truth_tables) {
      gate_name(table);  // refuses what is not a gate
      targets.push_back(static_cast<T>(table >> pair & 1u));
    }
  return SampleTable<T>(2, truth_tables.size(), {0, 0, 0, 1, 1, 0, 1, 1}, std::move(targets));
}

template <class T>
SampleTable<T> logic_gate(unsigned truth_table) {
  return logic_gates<T>(std::span(&truth_table, 1));
}

template SampleTable<float> logic_gates(std::span<const unsigned>);
template SampleTable<double> logic_gates(std::span<const unsigned>);
template SampleTable<float> logic_gate(unsigned);
template SampleTable<double> logic_gate(unsigned);

}  // namespace irn
