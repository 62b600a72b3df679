#include "irn/train/loss.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "irn/base/error.h"

namespace irn {
namespace {

template <class T>
double squares(std::span<const T> y, std::span<const T> t, std::span<T> slopes) {
  double sum = 0;
  const T share = T(2) / static_cast<T>(t.size());
  for (std::size_t k = 0; k < t.size(); ++k) {
    const T error = y[k] - t[k];
    slopes[k] = share * error;
    sum += double(error) * double(error);
  }
  return sum / double(t.size());
}

// Softmax relative to the largest output: nothing overflows.
template <class T>
struct Softmax {
  Softmax(std::span<const T> y, std::span<const T> t)
      : top(double(*std::max_element(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(t.size())))) {
    double picked = 0;
    for (std::size_t k = 0; k < t.size(); ++k) {
      total += std::exp(double(y[k]) - top);
      picked += double(t[k]) * (double(y[k]) - top);
    }
    cross_entropy = std::log(total) - picked;
  }
  double top, total = 0, cross_entropy;
};

template <class T>
double cross_entropy_and_slopes(std::span<const T> y, std::span<const T> t, std::span<T> slopes) {
  const Softmax<T> softmax(y, t);
  for (std::size_t k = 0; k < t.size(); ++k)
    slopes[k] = static_cast<T>(std::exp(double(y[k]) - softmax.top) / softmax.total - double(t[k]));
  return softmax.cross_entropy;
}

}  // namespace

template <class T>
void check_targets(const Samples<T>& samples, const Architecture& architecture) {
  if (samples.targets() >= 1 && samples.targets() <= architecture.outputs()) return;
  throw Error("the samples have " + std::to_string(samples.targets()) + " targets, network " +
              architecture.text() + " has " + std::to_string(architecture.outputs()) +
              " outputs; there must be 1 to as many targets as outputs");
}
template void check_targets(const Samples<float>&, const Architecture&);
template void check_targets(const Samples<double>&, const Architecture&);

template <class T>
double cross_entropy(std::span<const T> outputs, std::span<const T> targets) {
  return Softmax<T>(outputs, targets).cross_entropy;
}

template <class T>
double loss_and_slopes(const Loss& loss, std::span<const T> outputs, std::span<const T> targets,
                       std::span<T> slopes) {
  std::fill(slopes.begin(), slopes.end(), T(0));
  return std::holds_alternative<Squares>(loss) ? squares(outputs, targets, slopes)
                                               : cross_entropy_and_slopes(outputs, targets, slopes);
}

template double cross_entropy(std::span<const float>, std::span<const float>);
template double cross_entropy(std::span<const double>, std::span<const double>);
template double loss_and_slopes(const Loss&, std::span<const float>, std::span<const float>,
                                std::span<float>);
template double loss_and_slopes(const Loss&, std::span<const double>, std::span<const double>,
                                std::span<double>);

}  // namespace irn
