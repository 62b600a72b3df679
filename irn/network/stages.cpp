#include "irn/network/stages.h"

#include <algorithm>

namespace irn {
namespace {

double multiply_adds(const Factor& f) {
  if (f.kind == Factor::Kind::convolution)
    return double(f.convolution.out_size()) * double(f.convolution.numbers_a_channel());
  return f.kind == Factor::Kind::matrix ? double(f.rows) * double(f.cols) : double(f.rows);
}

double multiply_adds(const Block& block) {
  double sum = 0;
  for (const Factor& factor : block.factors()) sum += multiply_adds(factor);
  return sum;
}

}  // namespace

std::optional<Stages> stages_of(const Architecture& architecture) {
  Stages stages{architecture.layers().size() + 1, 0};
  for (const Block& b : architecture.blocks())
    if (!b.forward())
      stages.first_layer = std::min(stages.first_layer, b.to),
      stages.last_layer = std::max(stages.last_layer, b.from);
  double inside = 0, outside = 0;
  for (const Block& b : architecture.blocks())
    if (!b.from_input()) (stages.holds(b.from) && stages.holds(b.to) ? inside : outside) += multiply_adds(b);
  // Below a fifth of the products, the gain is less than the cost of entering and leaving the core.
  constexpr double worth_it = 0.2;
  if (!(outside >= worth_it * (inside + outside)) || stages.last_layer == 0) return {};
  return stages;
}

}  // namespace irn
