// A block of A or B is a linear operator W, rows x cols, with its own numbers. An operator gives its factors,
// whose product it is, and its initial numbers. Products with states, gradients, tensors of a file and bounds
// follow from the factors.
//
//   dense       W, every neuron to every other: rows * cols numbers
//   diagonal    W = diag(w), each neuron to its own: n numbers, for blocks with as many rows as columns
//   lowrankR    W = L R of rank R: two thin matrices, R (rows + cols) numbers
//   conv, tconv, pool, up   between layers that are images (image_operators.h)
//   own         the caller's (own_operator.h)
//
// A new operator is one struct here with `name`, text(), factors(), half_widths() and fan_in(), and one word
// in the list. If it has fields(), its single field is the number after the name; an operator with more than
// a number there has parse(). An operator that needs the shapes of its layers has between().
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "irn/network/factor.h"
#include "irn/network/image_operators.h"

namespace irn {

struct Dense {
  static constexpr std::string_view name = "dense";
  std::string text() const { return "dense"; }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  // The w of each factor, whose numbers start uniform in [-w, w), so that the entries of W have the variance
  // width^2 / 3. For recurrent blocks width is 0: W starts as zero, but can be trained from there.
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
  // The number of terms in one entry of the result.
  double fan_in(std::size_t cols) const { return static_cast<double>(cols); }
  bool operator==(const Dense&) const = default;
};

struct Diagonal {
  static constexpr std::string_view name = "diagonal";
  std::string text() const { return "diagonal"; }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
  double fan_in(std::size_t) const { return 1; }
  bool operator==(const Diagonal&) const = default;
};

struct LowRank {
  static constexpr std::string_view name = "lowrank";
  std::size_t rank = 1;
  std::string text() const { return "lowrank" + std::to_string(rank); }
  template <class Visit>
  void fields(Visit&& visit) {
    visit("rank", rank);
  }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
  double fan_in(std::size_t cols) const { return static_cast<double>(cols); }
  bool operator==(const LowRank&) const = default;
};

// An operator of the caller's, given by its registered name and a number.
struct Own {
  static constexpr std::string_view name = "";
  std::string registered;
  std::size_t number = 0;
  std::shared_ptr<const OwnOperator> made = nullptr;  // for one shape; see Architecture
  std::string text() const { return registered + (number > 0 ? std::to_string(number) : ""); }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
  double fan_in(std::size_t cols) const { return static_cast<double>(cols); }
  bool operator==(const Own& other) const { return registered == other.registered && number == other.number; }
};

// The only list of operators. The first is the default.
using Operator =
    std::variant<Dense, Diagonal, LowRank, Convolution, TransposedConvolution, Pool, Upsample, Own>;

inline bool is_dense(const Operator& op) { return std::holds_alternative<Dense>(op); }
// The convolution if the operator is one or the transpose of one; else null.
const Convolution* convolution_of(const Operator& op);
std::string to_text(const Operator& op);
// "diagonal", "lowrank8", "conv5s2", "mine", "mine3": a name and its sizes. Throws irn::Error for unknown
// names.
Operator operator_from_text(std::string_view text);
// This operator between layers of these shapes (none() for layers that are not images). Throws irn::Error if
// it does not fit.
Operator between(const Operator& op, const ImageShape& from, const ImageShape& to);
// A registered operator, for blocks of this shape (own_operator.h).
std::shared_ptr<const OwnOperator> make_own(const std::string& name, std::size_t number, std::size_t rows,
                                            std::size_t cols);
// The factors of an operator of this shape. Throws irn::Error if the operator cannot have this shape.
std::vector<Factor> factors_of(const Operator& op, std::size_t rows, std::size_t cols);

}  // namespace irn
