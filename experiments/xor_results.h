// Summaries of the trainings on XOR, as numbers, figures and tables.
#pragma once

#include "experiments/part.h"
#include "experiments/statistics.h"
#include "experiments/xor_training.h"

namespace irn::experiments {

// A stored curve keeps every fifth look, one for each 50 steps.
inline constexpr std::size_t looks_a_curve_point = 5;

std::size_t xor_seeds(const Protocol& protocol, const XorVariant& variant);
std::string xor_key(const XorVariant& variant, std::size_t job);

// All starts of one variant.
struct XorTally {
  std::string label;
  std::size_t seeds = 0, ever_solved = 0, solved = 0;
  std::size_t fell_off = 0;  // solved once, but not at the end
  std::size_t falls = 0;
  std::array<std::size_t, 16> gates{},
      solved_gates{};                 // of Y2 at the end: for all starts, for the solved ones
  std::vector<double> first, errors;  // first solved step, of those ever solved; error at the end
  std::vector<std::vector<double>> curves;
  double unsettled = 0;  // share of the patterns looked at

  Share ever() const { return share(ever_solved, seeds); }
  Share at_end() const { return share(solved, seeds); }
  double mean_falls() const { return double(falls) / double(seeds); }
  std::size_t helpers() const;  // solved starts whose Y2 is a helper
  Json json() const;
  Json gates_json() const;
};

// In the order of xor_variants().
std::vector<XorTally> xor_tallies(const Protocol& protocol, const Results& results);

report::Figure xor_error_figure(const Protocol& protocol, const Results& results,
                                const std::vector<XorTally>& tallies);
report::Figure xor_gate_figure(const std::vector<XorTally>& tallies);
report::Table xor_share_table(const std::vector<XorTally>& tallies);
report::Table xor_answer_table(const Json& shown, std::size_t variant);

}  // namespace irn::experiments
