#include "experiments/closed_forms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace irn::experiments {
namespace {

// The blocks of "k-h-o" in their order.
enum BlockIndex : std::size_t { q2, w2, r, q1, w1 };

Matrix block(const NetworkOf<double>& network, std::size_t index) {
  const Block& b = network.architecture().blocks()[index];
  Matrix m(b.rows, b.cols);
  std::copy_n(network.parameters().data() + b.weights, m.values.size(), m.values.data());
  return m;
}

// f' times a matrix: scales its rows.
Matrix scaled(std::span<const double> slopes, Matrix m) {
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.cols; ++j) m(i, j) *= slopes[i];
  return m;
}

Matrix diagonal(std::span<const double> values) {
  Matrix m(values.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) m(i, i) = values[i];
  return m;
}

// 1 - a - b - ...
template <class... Matrices>
Matrix one_minus(const Matrix& first, const Matrices&... others) {
  Matrix m(first.rows, first.cols);
  for (std::size_t i = 0; i < m.rows; ++i) m(i, i) = 1;
  for (const Matrix* a : {&first, &others...})
    for (std::size_t i = 0; i < m.values.size(); ++i) m.values[i] -= a->values[i];
  return m;
}

// result[output][place of (j, m)] = left(output, j) right[m], over the entries of a block.
void fill(Matrix& result, const Block& b, const Matrix& left, std::span<const double> right) {
  for (std::size_t i = 0; i < left.rows; ++i)
    for (std::size_t j = 0; j < b.rows; ++j)
      for (std::size_t m = 0; m < b.cols; ++m) result(i, b.weights + j * b.cols + m) = left(i, j) * right[m];
}

void fill_bias(Matrix& result, std::size_t first, const Matrix& left) {
  for (std::size_t i = 0; i < left.rows; ++i)
    for (std::size_t j = 0; j < left.cols; ++j) result(i, first + j) = left(i, j);
}

std::vector<double> slopes_of(std::span<const double> y) {
  std::vector<double> slopes(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) slopes[i] = slope_from_value(Activation::sigmoid, y[i]);
  return slopes;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.cols; ++k)
      for (std::size_t j = 0; j < b.cols; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Matrix inverse(Matrix a) {
  const std::size_t n = a.rows;
  Matrix x = diagonal(std::vector<double>(n, 1.0));
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j)), std::swap(x(k, j), x(pivot, j));
    const double scale = 1 / a(k, k);
    for (std::size_t j = 0; j < n; ++j) a(k, j) *= scale, x(k, j) *= scale;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a(i, k);
      if (i == k) continue;
      for (std::size_t j = 0; j < n; ++j) a(i, j) -= factor * a(k, j), x(i, j) -= factor * x(k, j);
    }
  }
  return x;
}

std::vector<std::size_t> places(const Architecture& a, std::string_view name) {
  const std::size_t hidden = a.layers()[0].size;
  constexpr std::array<std::pair<std::string_view, BlockIndex>, 5> blocks = {
      {{"W1", w1}, {"Q1", q1}, {"W2", w2}, {"Q2", q2}, {"R", r}}};
  std::size_t first = name == "T2" ? a.biases() : a.biases() + hidden;
  std::size_t count = name == "T2" ? hidden : a.outputs();
  for (const auto& [block_name, index] : blocks)
    if (name == block_name) {
      const Block& b = a.blocks()[index];
      first = b.weights, count = b.rows * b.cols;
    }
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

Matrix closed_forms(const NetworkOf<double>& network, std::span<const double> state,
                    std::span<const double> input) {
  const Architecture& a = network.architecture();
  const std::span<const double> y2 = state.first(a.first_output()), y1 = state.subspan(a.first_output());
  const std::vector<double> f1 = slopes_of(y1), f2 = slopes_of(y2);
  const Matrix hidden = inverse(one_minus(scaled(f2, block(network, w2))));  // (1 - f2 W2)^-1
  const Matrix through = product(scaled(f1, block(network, q1)), hidden);    // f1 Q1 (1 - f2 W2)^-1
  const Matrix s =
      inverse(one_minus(scaled(f1, block(network, w1)), product(through, scaled(f2, block(network, r)))));
  const Matrix left1 = product(s, diagonal(f1));
  const Matrix left2 = product(product(s, through), diagonal(f2));
  Matrix result(a.outputs(), a.parameters());
  fill(result, a.blocks()[w1], left1, y1);
  fill(result, a.blocks()[q1], left1, y2);
  fill(result, a.blocks()[q2], left2, input);
  fill(result, a.blocks()[r], left2, y1);
  fill(result, a.blocks()[w2], left2, y2);
  fill_bias(result, a.biases(), left2);
  fill_bias(result, a.biases() + y2.size(), left1);
  return result;
}

Matrix one_layer_form(const NetworkOf<double>& network, std::span<const double> state) {
  const Architecture& a = network.architecture();
  const std::span<const double> y1 = state.subspan(a.first_output());
  const std::vector<double> f1 = slopes_of(y1);
  Matrix result(a.outputs(), a.parameters());
  fill(result, a.blocks()[w1], product(inverse(one_minus(scaled(f1, block(network, w1)))), diagonal(f1)), y1);
  return result;
}

}  // namespace irn::experiments
