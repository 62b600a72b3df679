// A block of A or B is a linear operator W, rows x cols, with numbers of its own. An operator says what it is made of, a product of
// factors, and how it starts; products, gradients, tensors of a file and bounds follow from the factors.
//
//   dense       W, every neuron to every other: rows * cols numbers
//   diagonal    W = diag(w), each neuron to its own: n numbers, for blocks with as many rows as columns
//   lowrankR    W = L R of rank R: two thin matrices, R (rows + cols) numbers
//   own         the caller's (own_operator.h)
//
// A new operator is one struct here with `name`, text(), factors() and half_widths(), and one word in the list. If it has a field, that is
// the number behind its name.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace irn {

class OwnOperator;

// One factor of the product, the first to be applied first. Its numbers are a part of its block's.
struct Factor {
  enum class Kind : unsigned char { matrix, diagonal, own };
  Kind kind = Kind::matrix;
  std::size_t rows = 0, cols = 0;
  std::string name = {};                   // of its tensor in a model file, behind the block's; may be empty
  const OwnOperator* own = nullptr;        // of Kind::own
  std::vector<std::size_t> shape() const;  // of its tensor: {rows, cols}, row-major, or {numbers}
  std::size_t parameters() const;
};

struct Dense {
  static constexpr std::string_view name = "dense";
  std::string text() const { return "dense"; }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  // Numbers of a factor start uniform in [-w, w), one w a factor, so that those of W are of variance width^2 / 3. Of a recurrent block
  // width is 0: W starts as zero, in a way from which it can be trained.
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
  bool operator==(const Dense&) const = default;
};

struct Diagonal {
  static constexpr std::string_view name = "diagonal";
  std::string text() const { return "diagonal"; }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
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
  bool operator==(const LowRank&) const = default;
};

// The caller's, by the name it was registered with and a number of its own.
struct Own {
  static constexpr std::string_view name = "";
  std::string registered;
  std::size_t number = 0;
  std::shared_ptr<const OwnOperator> made = nullptr;  // for one shape; see Architecture
  std::string text() const { return registered + (number > 0 ? std::to_string(number) : ""); }
  std::vector<Factor> factors(std::size_t rows, std::size_t cols) const;
  std::vector<double> half_widths(std::size_t rows, std::size_t cols, double width) const;
  bool operator==(const Own& other) const { return registered == other.registered && number == other.number; }
};

// The one list of operators. The first is the default.
using Operator = std::variant<Dense, Diagonal, LowRank, Own>;

inline bool is_dense(const Operator& op) { return std::holds_alternative<Dense>(op); }
std::string to_text(const Operator& op);
// "diagonal", "lowrank8", "mine", "mine3": a word and perhaps a number, 0 if there is none. Throws irn::Error for unknown ones.
Operator operator_from_text(std::string_view word, std::size_t number);
// An operator of a registered name, for blocks of this shape (own_operator.h).
std::shared_ptr<const OwnOperator> make_own(const std::string& name, std::size_t number, std::size_t rows,
                                            std::size_t cols);
// The factors of an operator of this shape. Throws irn::Error if it cannot have it.
std::vector<Factor> factors_of(const Operator& op, std::size_t rows, std::size_t cols);

}  // namespace irn
