// Training one layer of two neurons on XOR, many times and in several ways.
//
// Y1 should become XOR. A start is *solved* when all four patterns are settled and |Y1 - target| < 0.2; it is
// examined every ten steps and at the end.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "experiments/part.h"
#include "experiments/settling/method.h"

namespace irn::experiments {

struct XorVariant {
  std::string_view name, label;  // for keys; for legends and tables
  Method method = {};            // its gradient, and what is held
  std::string_view helper = {};  // the gate that Y2 should become; empty: Y2 has no target
  SettleOptions settle = {};
  bool by_default = false;     // irn's default training instead of the paper's
  bool aside = false;          // a comparison apart from the claims: a tenth of the seeds
  int colour = -1, dash = -1;  // in figures; colours as in the figures of the oscillator
};

// The first five are the main ones, in the order of figures and tables.
const std::vector<XorVariant>& xor_variants();
inline constexpr std::size_t main_xor_variants = 5;

// A network's answers to the four patterns 00, 01, 10, 11.
struct XorAnswer {
  std::array<double, 4> y1{}, y2{};
  std::size_t settled = 0;

  double error() const;  // of Y1, mean square; NaN unless all patterns are settled
  bool solved() const;
  unsigned gate() const;  // the truth table of Y2, threshold 1/2
};

// A gate that makes XOR a threshold of (a, b, gate): one with an odd number of ones. A constant, a, b and
// their negations add only linear terms; XOR itself and its negation are not a help but the answer.
bool is_helper(unsigned gate);

// Start i of a reproduction; the same for all variants.
std::uint64_t xor_start(const Protocol& protocol, std::size_t i);

// One training, examined along the way.
struct XorRecord {
  long first_solved = -1;      // step; -1: never
  std::size_t falls = 0;       // times it was solved and then no longer
  double unsettled = 0;        // share of the patterns examined
  std::vector<double> errors;  // of Y1 at every look: the first before any step
  XorAnswer end;
};
inline constexpr std::size_t steps_between_looks = 10;

XorRecord train_xor(const XorVariant& variant, std::uint64_t start, std::size_t steps, double rate,
                    const Watch& watch);

}  // namespace irn::experiments
