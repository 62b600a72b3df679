// What irn check found out about a model and, if one was given, a table. These are values; others turn them
// into text (check_text.h), rows (check_rows.h) or a page (check_page.h).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/irn/check_settings.h"
#include "irn/analysis/branches.h"
#include "irn/analysis/check.h"
#include "irn/analysis/gradient_comparison.h"
#include "irn/analysis/settling_path.h"

namespace irn::app {

// A row of the table that is looked at closely.
struct RowStory {
  std::uint64_t sample = 0;
  std::string place;                                         // "flowers.csv, line 12"
  std::vector<std::pair<std::string, std::string>> columns;  // names and values, of inputs and targets
  std::optional<CloserLook> closer;  // none: too many neurons, or proven to have one equilibrium and no fold
  std::optional<SettlingPath> path;  // the flow from rest; drawn rows keep its states
  std::vector<std::string> answers;  // of its equilibria, in their order
};

// Equilibria over one number.
struct VaryStory {
  std::string what;   // "column petal_length", "weight layer1.layer1:3:2"
  std::string place;  // the row whose inputs are used; empty: the mean of all inputs
  double low = 0, high = 1, present = 0;
  bool date = false;  // the number is days since 1970-01-01
  std::vector<Branch> branches;
  std::string shown;            // what is drawn of a state: "output of class setosa"
  std::size_t neuron = 0;       // the neuron drawn
  double scale = 1, shift = 0;  // and its units
};

// The special points of all branches, ordered by the number that is varied.
std::vector<TurningPoint> turnings_in_order(const VaryStory& vary);

struct GradientStory {
  std::vector<std::string> names;      // of the gradients compared with the exact one
  std::vector<std::uint64_t> samples;  // the samples compared
  GradientComparison comparison;

  std::size_t with_differences() const;  // samples whose exact gradient was compared with differences
};

struct CheckStory {
  std::string model, data, network, precision, solver;
  std::size_t neurons = 0, parameters = 0;
  double tolerance = 0;
  bool certified = false;
  Check check;                      // without a table, of the network alone
  std::vector<std::uint64_t> rows;  // numbers of the samples' rows in the table, counted from 1
  std::vector<std::string> inputs;  // names, one for each unit
  std::size_t dropped = 0;
  std::vector<RowStory> closer;     // the most doubtful first
  std::optional<RowStory> typical;  // the one in the middle by evaluations
  std::optional<VaryStory> vary;
  std::optional<GradientStory> gradients;
  double seconds = 0;              // time the check took
  std::vector<std::string> notes;  // what could not be checked, and why

  bool has_table() const { return !data.empty(); }
  // Every input has exactly one equilibrium, so there are no folds.
  bool proven() const { return check.network.strongest() != nullptr; }
  std::string row_name(std::uint64_t sample) const { return "row " + std::to_string(rows[sample]); }
};

// Looks at a model, and at a table if the settings name one.
template <class T>
CheckStory tell_story(ModelOf<T>& model, const CheckSettings& settings);

}  // namespace irn::app
