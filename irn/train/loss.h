// What training lowers, for one sample with outputs y, targets t and e = y - t:
//   squared        mean over the targets of e^2
//   cross-entropy  -sum t log softmax(y), for targets that are one class in m; outputs should be `identity`.
//                  With `smoothing` s the targets are (1 - s) t + s / m instead, so that no class is ever
//                  certain (Szegedy et al.: "Rethinking the inception architecture", 2016)
//   absolute       mean over the targets of |e|: an error far off pulls no harder than a small one
//   huber          mean over the targets of e^2 / 2 where |e| <= delta, and of delta (|e| - delta / 2) beyond
//                  (Huber: "Robust estimation of a location parameter", 1964)
// and whatever the caller's program computes (CustomLoss). If there are fewer targets than outputs, the
// targets belong to the first outputs and the others are free.
//
// A new loss is an aggregate and a word in the list. A loss that is not a function of the errors has its
// formula below and in loss.cpp. Does not weigh samples or outputs against each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "irn/base/text_form.h"

namespace irn {

struct SquaredLoss {
  static constexpr std::string_view name = "squared";
  double value(double error) const { return error * error; }
  template <class T>
  T slope(T error) const {
    return 2 * error;
  }
};

struct CrossEntropy {
  static constexpr std::string_view name = "cross-entropy";
  static constexpr bool classes = true;  // targets are one class in m
  double smoothing = 0;
  template <class Visit>
  void fields(Visit&& visit) {
    visit("smoothing", smoothing);
  }
};

struct AbsoluteLoss {
  static constexpr std::string_view name = "absolute";
  double value(double error) const { return std::abs(error); }
  template <class T>
  T slope(T error) const {
    return static_cast<T>((error > 0) - (error < 0));
  }
};

struct HuberLoss {
  static constexpr std::string_view name = "huber";
  double delta = 1;
  template <class Visit>
  void fields(Visit&& visit) {
    visit("delta", delta);
  }
  double value(double error) const {
    const double size = std::abs(error);
    return size <= delta ? size * size / 2 : delta * (size - delta / 2);
  }
  template <class T>
  T slope(T error) const {
    return std::clamp(error, static_cast<T>(-delta), static_cast<T>(delta));
  }
};

// The mean over the targets of a function of the error.
template <class L>
concept LossOfErrors = requires(const L& loss, double error) {
  loss.value(error);
  loss.slope(error);
};

// The one list of losses that have a name. The first is the default.
using NamedLoss = std::variant<SquaredLoss, CrossEntropy, AbsoluteLoss, HuberLoss>;

// A loss that the caller's program computes. `value_and_slopes` returns L(y, t), which may be negative, and
// writes dL/dy into `slopes`, which it receives filled with zeros, one for each output. evaluate() calls it
// from several threads at once. It has no text form.
struct CustomLoss {
  using Function = std::function<double(std::span<const double> outputs, std::span<const double> targets,
                                        std::span<double> slopes)>;
  std::string name;  // for reports
  Function value_and_slopes;
  bool classes = false;  // targets are one class in m: answers are judged by their accuracy, not by R2
};

using Loss = std::variant<NamedLoss, CustomLoss>;

// "huber:delta=0.5" and back. Both throw irn::Error for unknown names, values out of range, and a loss
// without a text form.
template <>
Loss from_text<Loss>(std::string_view text);
std::string to_text(const Loss& loss);
std::string to_full_text(const Loss& loss);

void check_loss(const Loss& loss);  // irn::Error for values out of range
std::string_view name_of(const Loss& loss);
bool is_cross_entropy(const Loss& loss);
bool of_classes(const Loss& loss);  // whether targets are one class in m

// The formulas. `slopes` may be empty; otherwise its first entries belong to the targets.
namespace loss_detail {

template <LossOfErrors L, class T>
double compute(const L& loss, std::span<const T> y, std::span<const T> t, std::span<T> slopes) {
  double sum = 0;
  const T share = T(1) / static_cast<T>(t.size());
  for (std::size_t k = 0; k < t.size(); ++k) {
    const T error = y[k] - t[k];
    if (!slopes.empty()) slopes[k] = share * loss.slope(error);
    sum += loss.value(double(error));
  }
  return sum / double(t.size());
}
template <class T>
double compute(const CrossEntropy& loss, std::span<const T> y, std::span<const T> t, std::span<T> slopes);
template <class T>
double compute(const CustomLoss& loss, std::span<const T> y, std::span<const T> t, std::span<T> slopes);

}  // namespace loss_detail

// The loss of one sample. `slopes` has one entry for each output, or none, and receives dL/dy.
template <class T>
double loss_and_slopes(const Loss& loss, std::span<const T> outputs, std::span<const T> targets,
                       std::span<T> slopes) {
  if (const auto* custom = std::get_if<CustomLoss>(&loss))
    return loss_detail::compute(*custom, outputs, targets, slopes);
  for (std::size_t k = targets.size(); k < slopes.size(); ++k) slopes[k] = T(0);  // the free ones
  const auto compute = [&](const auto& l) { return loss_detail::compute(l, outputs, targets, slopes); };
  return std::visit(compute, std::get<NamedLoss>(loss));
}

}  // namespace irn
