// The sixteen functions of two bits, as names, as truth tables and as samples.
//   truth table: bit i is the answer to the pair (a, b) with i = 2 a + b, so XOR (01, 10) is 0b0110 = 6
// A network's real outputs are not rounded: those above the caller's threshold count as true.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "irn/data/sample_table.h"

namespace irn {

// In the order of their truth tables.
inline constexpr std::array<std::string_view, 16> gate_names = {
    "FALSE", "NOR",  "B_AND_NOT_A", "NOT_A",       "A_AND_NOT_B", "NOT_B",       "XOR", "NAND",
    "AND",   "XNOR", "B",           "A_IMPLIES_B", "A",           "B_IMPLIES_A", "OR",  "TRUE"};

// Throws irn::Error for a number above 15 or a name that is not in the list.
std::string_view gate_name(unsigned truth_table);
unsigned truth_table(std::string_view name);

// The gate with these four answers (to 00, 01, 10, 11); an answer above the threshold is true.
template <class T>
unsigned truth_table(std::span<const T, 4> answers, T threshold = T(0.5)) {
  unsigned table = 0;
  for (unsigned i = 0; i < 4; ++i) table |= (answers[i] > threshold ? 1u : 0u) << i;
  return table;
}

// The four pairs 00, 01, 10, 11 with one target for each gate, all as 0 and 1.
template <class T>
SampleTable<T> logic_gates(std::span<const unsigned> truth_tables);
template <class T>
SampleTable<T> logic_gate(unsigned truth_table);

}  // namespace irn
