// Shares of classes from outputs: p_k = e^y_k / sum_j e^y_j, computed relative to the largest output, so that
// nothing overflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace irn {

struct Softmax {
  double top = 0, total = 0;  // the largest y, and the sum of all powers
  double power(double y) const { return std::exp(y - top); }
  double share(double y) const { return power(y) / total; }
};

// `powers`, if given, receives e^(y_k - top).
template <class T>
Softmax softmax(std::span<const T> y, double* powers = nullptr) {
  Softmax s{.top = double(*std::max_element(y.begin(), y.end()))};
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double power = s.power(double(y[k]));
    if (powers) powers[k] = power;
    s.total += power;
  }
  return s;
}

}  // namespace irn
