// What training lowers, a sample at a time.
//   squares        mean over the targets of (y - t)^2
//   cross-entropy  -sum t log softmax(y), for targets that are one class in m; outputs should be `identity`
// If there are fewer targets than outputs, the targets belong to the first outputs and the others are free.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

#include "irn/data/samples.h"
#include "irn/network/architecture.h"

namespace irn {

struct Squares {
  static constexpr std::string_view name = "squares";
};
struct CrossEntropy {
  static constexpr std::string_view name = "cross-entropy";
};
using Loss = std::variant<Squares, CrossEntropy>;

// Throws irn::Error unless there are 1 to as many targets as outputs.
template <class T>
void check_targets(const Samples<T>& samples, const Architecture& architecture);

// The loss of one sample; `slopes` (one an output) receives dL/dy.
template <class T>
double loss_and_slopes(const Loss& loss, std::span<const T> outputs, std::span<const T> targets,
                       std::span<T> slopes);

// Cross-entropy alone.
template <class T>
double cross_entropy(std::span<const T> outputs, std::span<const T> targets);

}  // namespace irn
