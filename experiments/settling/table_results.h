// The trainings on generated tables, looked up by case and method.
#pragma once

#include "experiments/settling/measured.h"
#include "experiments/settling/table_training.h"

namespace irn::experiments {

inline constexpr Activation table_activations[] = {Activation::relu, Activation::tanh, Activation::sigmoid};

// A table with an activation.
struct Case {
  const GeneratedTable* table;
  Activation activation;
};
std::vector<Case> cases();

class Trained {
 public:
  // Both arguments must outlive it.
  Trained(const SettlingSettings& settings, const Results& results)
      : settings_(settings), results_(results) {}

  Measured at(const Case& c, const Method& m) const;       // value: the share of right answers
  Measured overall(const Method& m) const;                 // the mean over all cases, for each repeat
  std::size_t lost(const Case& c, const Method& m) const;  // held-out rows without an answer
  std::size_t lost(const Method& m) const;
  double settled_last(const Case& c, const Method& m) const;  // with the weights after the last epoch
  std::size_t held_out_rows() const { return cases().size() * settings_.repeats * settings_.held_out; }

 private:
  template <class Visit>
  void each(const Case& c, const Method& m, const Visit& visit) const;

  const SettlingSettings& settings_;
  const Results& results_;
};

// The difference of right answers, a - b: over all cases, and the number of cases with certainly more or
// fewer.
struct Comparison {
  Estimate overall;
  std::size_t better = 0, worse = 0;
  std::string words() const;
  Json numbers() const { return {{"difference", json(overall)}, {"better", better}, {"worse", worse}}; }
};
Comparison compare(const Trained& trained, std::string_view a, std::string_view b);

}  // namespace irn::experiments
