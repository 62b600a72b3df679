// The prediction of a network for one row, in the terms of its targets.
//   regression       the outputs y, scaled back: y * scale + mean, one for each target
//   classification   p_k = e^y_k / sum_j e^y_j over the classes. The label is the class with the largest
//                    probability. If the encoding has a threshold other than 0.5, the label is the second of
//                    the two classes if its probability reaches the threshold
// If the network has more outputs than the targets take, the first ones belong to the targets.
//
// A state that did not settle is no answer, unless the model answers with an iterate (Outcome::iterated). Its
// numbers are NaN and its label is empty, unless the caller asks for a substitute; `basis` then names it.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "irn/data/encoding.h"
#include "irn/equilibrium/outcome.h"

namespace irn {

// The substitute for a missing answer:
//   empty      nothing
//   last       the outputs at the end of the search, if they are finite: a guess that is as far off as the
//              search was from its goal
//   fallback   Encoding::fallback, the best answer without a look at the row. Its error is known: the spread
//              of the targets. (A single sweep through a recurrent network, by contrast, is an answer that no
//              training ever aimed at.)
enum class Unsettled : unsigned char { empty, last, fallback };
inline constexpr std::array<std::string_view, 3> unsettled_names = {"empty", "last", "fallback"};

constexpr std::string_view name(Unsettled unsettled) {
  return unsettled_names[static_cast<std::size_t>(unsettled)];
}

// What the values of a prediction are.
enum class Basis : unsigned char { none, settled, iterated, last, fallback };
inline constexpr std::array<std::string_view, 5> basis_names = {"none", "settled", "iterated", "last",
                                                                "fallback"};
constexpr std::string_view name(Basis basis) { return basis_names[static_cast<std::size_t>(basis)]; }

struct Prediction {
  Verdict verdict = {};       // outcome, residual, evaluations
  Basis basis = Basis::none;  // what the values are; `last` and `fallback` are no answers of the network
  std::vector<double> values = {};         // of regression, one a target column
  std::vector<double> probabilities = {};  // of classification, in the order of the target's categories
  std::string_view label = {};             // of classification; lies in the encoding it was made with

  bool settled() const { return verdict.outcome == Outcome::settled; }
  bool answered() const { return has_answer(verdict.outcome); }
};

// Throws irn::Error if there is nothing to fall back on.
void check_unsettled(Unsettled unsettled, const Encoding& encoding);

// `outputs` are those of one sample, at least encoding.target_width() of them. `out` keeps its memory from
// call to call.
template <class T>
void decode(const Encoding& encoding, std::span<const T> outputs, const Verdict& verdict, Unsettled unsettled,
            Prediction& out);

}  // namespace irn
