#include "irn/optim/normalised_weights.h"

#include <algorithm>
#include <cmath>

#include "irn/network/parameter_parts.h"

namespace irn {
namespace {

template <class T>
double dot(std::span<const T> a, std::span<const T> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * double(b[i]);
  return sum;
}

}  // namespace

std::vector<WeightRows> weight_rows(const Architecture& architecture) {
  std::vector<WeightRows> all;
  for (const ParameterPart& part : parameter_parts(architecture))
    if (part.shape.size() > 1) all.push_back({part.first, part.shape[0], part.count / part.shape[0]});
  return all;
}

template <class T>
NormalisedWeights<T>::NormalisedWeights(std::vector<WeightRows> rows, std::size_t parameters)
    : rows_(std::move(rows)), parameters_(parameters) {
  for (const WeightRows& r : rows_) lengths_ += r.rows;
  learnt_.resize(parameters_ + lengths_), gradient_.resize(learnt_.size());
}

// Calls visit(first, size, position of its g) for every row; returns whether all calls returned true.
template <class T>
template <class Visit>
bool NormalisedWeights<T>::for_each_row(const Visit& visit) const {
  bool all = true;
  std::size_t length = parameters_;
  for (const WeightRows& r : rows_)
    for (std::size_t row = 0; row < r.rows; ++row) all &= visit(r.first + row * r.size, r.size, length++);
  return all;
}

template <class T>
void NormalisedWeights<T>::split(std::span<const T> parameters, std::span<const T> gradient) {
  std::copy(parameters.begin(), parameters.end(), learnt_.begin());
  std::copy(gradient.begin(), gradient.end(), gradient_.begin());
  for_each_row([&](std::size_t first, std::size_t size, std::size_t length) {
    const std::span<T> v(&learnt_[first], size), dv(&gradient_[first], size);
    const double g = std::sqrt(dot<T>(v, v));
    learnt_[length] = static_cast<T>(g), gradient_[length] = T(0);
    if (learnt_[length] == T(0)) return true;
    for (T& entry : v) entry = static_cast<T>(double(entry) / g);
    const double dg = dot<T>(v, dv);
    for (std::size_t i = 0; i < size; ++i) dv[i] = static_cast<T>(g * (double(dv[i]) - double(v[i]) * dg));
    gradient_[length] = static_cast<T>(dg);
    return true;
  });
}

template <class T>
bool NormalisedWeights<T>::join(std::span<T> parameters) {
  const bool all = for_each_row([&](std::size_t first, std::size_t size, std::size_t length) {
    const std::span<const T> w = parameters.subspan(first, size);
    const std::span<T> v(&learnt_[first], size);
    const bool had_direction = static_cast<T>(std::sqrt(dot<T>(w, w))) != T(0);  // as split() saw it
    const double scale = had_direction ? double(learnt_[length]) / std::sqrt(dot<T>(v, v)) : 1;
    const bool fits = std::isfinite(static_cast<T>(scale));
    for (std::size_t i = 0; i < size; ++i) v[i] = fits ? static_cast<T>(scale * double(v[i])) : w[i];
    return fits;
  });
  std::copy_n(learnt_.begin(), parameters_, parameters.begin());
  return all;
}

template class NormalisedWeights<float>;
template class NormalisedWeights<double>;

}  // namespace irn
