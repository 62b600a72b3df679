#include "irn/train/score.h"

#include <algorithm>
#include <limits>

namespace irn {

Score::Score(const Loss& loss, std::size_t targets)
    : classes_(std::holds_alternative<CrossEntropy>(loss)), fits_(classes_ ? 0 : targets) {}

template <class T>
void Score::add(std::span<const T> outputs, std::span<const T> targets) {
  ++samples_;
  if (classes_) right_ += largest<T>(outputs.first(targets.size())) == largest<T>(targets);
  for (std::size_t k = 0; k < fits_.size(); ++k) {
    Fit& fit = fits_[k];
    const double target = double(targets[k]), error = double(outputs[k]) - target, off = target - fit.mean;
    fit.error += error * error;
    fit.mean += off / double(samples_);
    fit.spread += off * (target - fit.mean);
  }
}

double Score::value() const {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (samples_ == 0) return nothing;
  if (classes_) return double(right_) / double(samples_);
  double sum = 0;
  for (const Fit& fit : fits_) sum += fit.spread > 0 ? 1 - fit.error / fit.spread : nothing;
  return sum / double(fits_.size());
}

std::string_view Score::name(const Loss& loss) {
  return std::holds_alternative<CrossEntropy>(loss) ? "accuracy" : "R2";
}

template <class T>
std::size_t largest(std::span<const T> values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

template void Score::add(std::span<const float>, std::span<const float>);
template void Score::add(std::span<const double>, std::span<const double>);
template std::size_t largest(std::span<const float>);
template std::size_t largest(std::span<const double>);

}  // namespace irn
