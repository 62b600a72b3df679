// What a network says about one row, in the words of its targets.
//   regression       the outputs y, scaled back: y * scale + mean, one a target
//   classification   p_k = e^y_k / sum_j e^y_j over the classes; the label is the class of the largest
// If the network has more outputs than the targets take, the first ones are theirs.
//
// A state that did not settle is no answer, unless the model answers with an iterate (Outcome::iterated): its numbers are NaN and its label is empty, unless the last iterate is asked
// for by name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/equilibrium/outcome.h"

namespace irn {

struct Prediction {
  Verdict verdict = {};                    // outcome, residual, evaluations
  std::vector<double> values = {};         // of regression, one a target column
  std::vector<double> probabilities = {};  // of classification, in the order of the target's categories
  std::string_view label = {};             // of classification; lies in the encoding it was made with

  bool settled() const { return verdict.outcome == Outcome::settled; }
  bool answered() const { return has_answer(verdict.outcome); }
};

enum class Unsettled : unsigned char { hide, show_last_iterate };

// `outputs` are those of one sample, at least encoding.target_width() of them. `out` keeps its memory between calls.
template <class T>
void decode(const Encoding& encoding, std::span<const T> outputs, const Verdict& verdict, Unsettled unsettled,
            Prediction& out);

}  // namespace irn
