#include "irn/network/operator.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/network/own_operator.h"

namespace irn {
namespace {

std::string shape_text(std::size_t rows, std::size_t cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

struct Registry {
  std::mutex mutex;
  std::map<std::string, OperatorMaker, std::less<>> makers;
};
Registry& registry() {
  static Registry all;
  return all;
}

// The names of irn's own operators.
std::vector<std::string_view> built_in_names() {
  std::vector<std::string_view> all = names<Operator>();
  std::erase(all, Own::name);
  return all;
}

// Reads the text after the name: by the operator's parse(), or as a number, its only field, or it must be
// empty.
template <class Op>
Op read_rest(Op op, std::string_view rest) {
  if constexpr (requires { Op::parse(rest); }) return Op::parse(rest);
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const bool whole = code == std::errc() && end == rest.data() + rest.size();
  if (!rest.empty() && !whole)
    throw Error("operator " + std::string(Op::name) + std::string(rest) + ": expected a number at '" +
                std::string(rest) + "'");
  if constexpr (requires { op.fields([](std::string_view, std::size_t&) {}); })
    op.fields([&](std::string_view, std::size_t& field) { field = number; });
  else if constexpr (std::is_same_v<Op, Own>)
    op.number = number;
  else if (!rest.empty())
    throw Error("operator " + std::string(Op::name) + " takes no number, but has " + std::string(rest));
  return op;
}

}  // namespace

std::vector<std::size_t> Factor::shape() const {
  if (kind == Kind::matrix) return {rows, cols};
  if (kind == Kind::convolution)
    return {convolution.out_channels, convolution.group_inputs(), convolution.kernel_height,
            convolution.kernel_width};
  return {parameters()};
}

std::size_t Factor::parameters() const {
  if (kind == Kind::own) return own->parameters();
  if (kind == Kind::convolution) return every_number != 0 ? 0 : convolution.numbers();
  return kind == Kind::matrix ? rows * cols : rows;
}

std::vector<Factor> Dense::factors(std::size_t rows, std::size_t cols) const {
  return {{Factor::Kind::matrix, rows, cols}};
}
std::vector<double> Dense::half_widths(std::size_t, std::size_t, double width) const { return {width}; }

std::vector<Factor> Diagonal::factors(std::size_t rows, std::size_t cols) const {
  if (rows != cols)
    throw Error("a block of " + shape_text(rows, cols) +
                " cannot be diagonal; connect layers of the same size, or make it dense or lowrank");
  return {{Factor::Kind::diagonal, rows, cols, "diagonal"}};
}
std::vector<double> Diagonal::half_widths(std::size_t, std::size_t, double width) const { return {width}; }

std::vector<Factor> LowRank::factors(std::size_t rows, std::size_t cols) const {
  if (rank == 0 || rank > std::min(rows, cols))
    throw Error("a block of " + shape_text(rows, cols) + " has a rank of 1 to " +
                std::to_string(std::min(rows, cols)) + ", not " + std::to_string(rank) +
                "; write it like lowrank" +
                std::to_string(std::max<std::size_t>(1, std::min(rows, cols) / 4)));
  return {{Factor::Kind::matrix, rank, cols, "right"}, {Factor::Kind::matrix, rows, rank, "left"}};
}
// R keeps the variance of its input, L gives W its variance. R never starts as zero: if both were zero,
// neither would ever have a gradient.
std::vector<double> LowRank::half_widths(std::size_t, std::size_t cols, double width) const {
  const double reads = static_cast<double>(cols);
  return {std::sqrt(3 / reads), width * std::sqrt(reads / static_cast<double>(rank))};
}

std::vector<Factor> Own::factors(std::size_t rows, std::size_t cols) const {
  return {{Factor::Kind::own, rows, cols, registered, made.get()}};
}
std::vector<double> Own::half_widths(std::size_t, std::size_t, double width) const {
  return {made->half_width(width)};
}

const Convolution* convolution_of(const Operator& op) {
  if (const auto* plain = std::get_if<Convolution>(&op)) return plain;
  const auto* transposed = std::get_if<TransposedConvolution>(&op);
  return transposed ? &transposed->of : nullptr;
}

std::string to_text(const Operator& op) {
  return std::visit([](const auto& o) { return o.text(); }, op);
}

Operator operator_from_text(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of("0123456789"));
  const std::string_view rest = text.substr(word.size());
  {
    const std::lock_guard lock(registry().mutex);
    if (registry().makers.contains(word)) return read_rest(Own{std::string(word)}, rest);
  }
  Operator choice;
  bool found = false;
  for_each_choice<Operator>([&]<class Op>(const Op& op) {
    if (word.empty() || Op::name != word) return;
    choice = read_rest(op, rest), found = true;
  });
  if (!found) options_detail::refuse_name(word, "operator", built_in_names());
  return choice;
}

Operator between(const Operator& op, const ImageShape& from, const ImageShape& to) {
  return std::visit(
      [&](const auto& o) -> Operator {
        if constexpr (requires { o.between(from, to); })
          return o.between(from, to);
        else
          return o;
      },
      op);
}

std::vector<Factor> factors_of(const Operator& op, std::size_t rows, std::size_t cols) {
  return std::visit([&](const auto& o) { return o.factors(rows, cols); }, op);
}

std::shared_ptr<const OwnOperator> make_own(const std::string& name, std::size_t number, std::size_t rows,
                                            std::size_t cols) {
  OperatorMaker maker;
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().makers.find(name);
    if (found == registry().makers.end())
      throw Error("operator '" + name + "' is not registered; call register_operator() first");
    maker = found->second;
  }
  auto made = maker(rows, cols, number);
  if (!made)
    throw Error("operator " + name + " was not made: its maker gave nothing for " + shape_text(rows, cols));
  return made;
}

void register_operator(const std::string& name, OperatorMaker maker) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_letter))
    throw Error("'" + name + "' cannot name an operator: a name is made of the letters a to z");
  const auto names = built_in_names();
  if (std::find(names.begin(), names.end(), name) != names.end())
    throw Error("operator " + name + " is irn's own; choose another name");
  if (!maker) throw Error("operator " + name + " needs a function that makes it");
  const std::lock_guard lock(registry().mutex);
  registry().makers[name] = std::move(maker);
}

}  // namespace irn
