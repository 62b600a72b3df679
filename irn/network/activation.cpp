#include "irn/network/activation.h"

#include <cmath>

namespace irn {

double activate(Activation f, double u) {
  switch (f) {
    case Activation::sigmoid:
      return 1.0 / (1.0 + std::exp(-u));
    case Activation::tanh:
      return std::tanh(u);
    case Activation::relu:
      return u > 0 ? u : 0.0;
    case Activation::softplus:
      return u > 0 ? u + std::log1p(std::exp(-u)) : std::log1p(std::exp(u));
    case Activation::identity:
      return u;
  }
  return u;
}

double slope_from_value(Activation f, double s) {
  switch (f) {
    case Activation::sigmoid:
      return s * (1.0 - s);
    case Activation::tanh:
      return 1.0 - s * s;
    case Activation::relu:
      return s > 0 ? 1.0 : 0.0;
    case Activation::softplus:
      return -std::expm1(-s);
    case Activation::identity:
      return 1.0;
  }
  return 1.0;
}

double max_slope(Activation f) { return f == Activation::sigmoid ? 0.25 : 1.0; }
double min_slope(Activation f) { return f == Activation::identity ? 1.0 : 0.0; }
bool is_bounded(Activation f) { return f == Activation::sigmoid || f == Activation::tanh; }

}  // namespace irn
