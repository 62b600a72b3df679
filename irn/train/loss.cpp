#include "irn/train/loss.h"

#include <algorithm>
#include <vector>

#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/train/softmax.h"

namespace irn {
namespace loss_detail {

template <class T>
double compute(const CrossEntropy& loss, std::span<const T> y, std::span<const T> t, std::span<T> slopes) {
  const Softmax classes = softmax(y.first(t.size()));
  const double kept = 1 - loss.smoothing, spread = loss.smoothing / double(t.size());
  double picked = 0;
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double wanted = kept * double(t[k]) + spread;
    if (!slopes.empty()) slopes[k] = static_cast<T>(classes.share(double(y[k])) - wanted);
    picked += wanted * (double(y[k]) - classes.top);
  }
  return std::log(classes.total) - picked;
}
template double compute(const CrossEntropy&, std::span<const float>, std::span<const float>,
                        std::span<float>);
template double compute(const CrossEntropy&, std::span<const double>, std::span<const double>,
                        std::span<double>);

// The caller computes in double.
template <class T>
double compute(const CustomLoss& loss, std::span<const T> y, std::span<const T> t, std::span<T> slopes) {
  const std::vector<double> outputs(y.begin(), y.end()), targets(t.begin(), t.end());
  std::vector<double> found(y.size(), 0.0);
  const double value = loss.value_and_slopes(outputs, targets, found);
  std::transform(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(slopes.size()), slopes.begin(),
                 [](double slope) { return static_cast<T>(slope); });
  return value;
}
template double compute(const CustomLoss&, std::span<const float>, std::span<const float>, std::span<float>);
template double compute(const CustomLoss&, std::span<const double>, std::span<const double>,
                        std::span<double>);

}  // namespace loss_detail

namespace {

template <class L>
void check(const L&) {}
void check(const HuberLoss& loss) {
  if (!(loss.delta > 0 && std::isfinite(loss.delta)))
    throw Error("huber: delta must be above zero and finite, not " + write_value(loss.delta));
}

void check(const CrossEntropy& loss) {
  if (!(loss.smoothing >= 0 && loss.smoothing < 1))
    throw Error("cross-entropy: smoothing must be from 0 to below 1, not " + write_value(loss.smoothing));
}

const NamedLoss& with_text(const Loss& loss) {
  if (const auto* custom = std::get_if<CustomLoss>(&loss))
    throw Error("the loss '" + custom->name +
                "' is a program's own and has no text form: a file cannot hold it; leave it out there");
  return std::get<NamedLoss>(loss);
}

}  // namespace

template <>
Loss from_text<Loss>(std::string_view text) {
  Loss loss = parse_choice<NamedLoss>(text, "loss");
  check_loss(loss);
  return loss;
}
std::string to_text(const Loss& loss) { return to_text<>(with_text(loss)); }
std::string to_full_text(const Loss& loss) { return to_full_text<>(with_text(loss)); }

void check_loss(const Loss& loss) {
  if (const auto* named = std::get_if<NamedLoss>(&loss))
    std::visit([](const auto& l) { check(l); }, *named);
  else if (const auto& custom = std::get<CustomLoss>(loss); !custom.value_and_slopes)
    throw Error("the loss '" + custom.name + "' has no function that computes it");
}

std::string_view name_of(const Loss& loss) {
  if (const auto* custom = std::get_if<CustomLoss>(&loss)) return custom->name;
  return std::visit([](const auto& l) { return l.name; }, std::get<NamedLoss>(loss));
}

bool is_cross_entropy(const Loss& loss) {
  const auto* named = std::get_if<NamedLoss>(&loss);
  return named && std::holds_alternative<CrossEntropy>(*named);
}
bool of_classes(const Loss& loss) {
  if (const auto* custom = std::get_if<CustomLoss>(&loss)) return custom->classes;
  return std::visit([]<class L>(const L&) { return requires { requires L::classes; }; },
                    std::get<NamedLoss>(loss));
}

}  // namespace irn
