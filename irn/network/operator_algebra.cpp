#include "irn/network/operator_algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/base/memory.h"
#include "irn/network/own_operator.h"

namespace irn {
namespace {

// out = F v,  with numbers w. The sums of a matrix run in eight parts, as each addition of one chain waits
// for the last.
template <class T>
void multiply(const Factor& f, const T* w, const T* v, T* out) {
  std::fill_n(out, f.rows, T(0));
  if (f.kind == Factor::Kind::own) return f.own->multiply(w, 1, v, out);
  if (f.kind == Factor::Kind::convolution)
    return for_each_entry(f, w, [&](std::size_t i, std::size_t j, T entry) { out[i] += entry * v[j]; });
  for (std::size_t i = 0; i < f.rows; ++i) {
    if (f.kind == Factor::Kind::diagonal) {
      out[i] = w[i] * v[i];
      continue;
    }
    const T* row = w + i * f.cols;
    T sum[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= f.cols; j += 8)
      for (std::size_t k = 0; k < 8; ++k) sum[k] += row[j + k] * v[j + k];
    for (; j < f.cols; ++j) sum[0] += row[j] * v[j];
    out[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  }
}

// out = F^T u
template <class T>
void multiply_transposed(const Factor& f, const T* w, const T* u, T* out) {
  std::fill_n(out, f.cols, T(0));
  if (f.kind == Factor::Kind::own) return f.own->multiply_transposed(w, 1, u, out);
  if (f.kind == Factor::Kind::convolution)
    return for_each_entry(f, w, [&](std::size_t i, std::size_t j, T entry) { out[j] += entry * u[i]; });
  for (std::size_t i = 0; i < f.rows; ++i) {
    if (f.kind == Factor::Kind::diagonal)
      out[i] = w[i] * u[i];
    else
      for (std::size_t j = 0; j < f.cols; ++j) out[j] += u[i] * w[i * f.cols + j];
  }
}

// gradient += dL/dw of u^T F v
template <class T>
void add_gradient(const Factor& f, const T* w, const T* u, const T* v, T* gradient) {
  if (f.kind == Factor::Kind::own) return f.own->add_gradient(w, u, v, gradient);
  if (f.kind == Factor::Kind::convolution) {
    if (f.every_number == 0)
      for_each_tap(f.convolution, [&](std::size_t out, std::size_t in, std::size_t number) {
        gradient[number] += f.flipped ? u[in] * v[out] : u[out] * v[in];
      });
    return;
  }
  for (std::size_t i = 0; i < f.rows; ++i) {
    if (f.kind == Factor::Kind::diagonal)
      gradient[i] += u[i] * v[i];
    else
      for (std::size_t j = 0; j < f.cols; ++j) gradient[i * f.cols + j] += u[i] * v[j];
  }
}

// Where the numbers of each factor begin in those of the block.
std::vector<std::size_t> offsets(const std::vector<Factor>& factors) {
  std::vector<std::size_t> at(factors.size());
  for (std::size_t k = 1; k < factors.size(); ++k) at[k] = at[k - 1] + factors[k - 1].parameters();
  return at;
}

}  // namespace

template <class T>
void write_dense(const Block& block, const T* numbers, T* out, std::size_t stride) {
  if (block.dense()) {
    for (std::size_t i = 0; i < block.rows; ++i)
      std::copy_n(numbers + i * block.cols, block.cols, out + i * stride);
    return;
  }
  const std::vector<Factor> factors = block.factors();
  if (factors.size() == 1 && factors[0].kind == Factor::Kind::convolution) {
    for (std::size_t i = 0; i < block.rows; ++i) std::fill_n(out + i * stride, block.cols, T(0));
    return for_each_entry(factors[0], numbers,
                          [&](std::size_t i, std::size_t j, T entry) { out[i * stride + j] += entry; });
  }
  const std::vector<std::size_t> at = offsets(factors);
  std::vector<T> v, next;
  for (std::size_t j = 0; j < block.cols; ++j) {  // column j is W e_j
    v.assign(block.cols, T(0));
    v[j] = T(1);
    for (std::size_t k = 0; k < factors.size(); ++k) {
      next.resize(factors[k].rows);
      multiply(factors[k], numbers + at[k], v.data(), next.data());
      std::swap(v, next);
    }
    for (std::size_t i = 0; i < block.rows; ++i) out[i * stride + j] = v[i];
  }
}

// An entry is a sum of products. The sizes of its terms add up to that entry of |F_k| ... |F_1|, and each
// factor rounds it at most once for each of its columns.
template <class T>
DenseBlock dense_in_double(const Block& block, const T* numbers) {
  std::vector<double> all(numbers, numbers + block.parameters);
  DenseBlock result{std::vector<double>(block.rows * block.cols), {}};
  write_dense(block, all.data(), result.entries.data(), block.cols);
  if (block.dense()) return result;
  double roundings = 0;
  bool own = false;  // then |F| is not known
  for (const Factor& factor : block.factors())
    roundings += double(factor.cols), own |= factor.kind == Factor::Kind::own;
  for (double& number : all) number = std::abs(number);
  result.errors = result.entries;
  if (!own) write_dense(block, all.data(), result.errors.data(), block.cols);
  for (double& error : result.errors)
    error = roundings * std::numeric_limits<double>::epsilon() * std::abs(error);
  return result;
}

template <class T>
void sum_gradient(const Block& block, const T* numbers, std::size_t samples, const T* u, std::size_t u_stride,
                  const T* v, std::size_t v_stride, T* gradient) {
  const std::vector<Factor> factors = block.factors();
  const std::vector<std::size_t> at = offsets(factors);
  std::fill_n(gradient, block.parameters, T(0));
  std::vector<std::vector<T>> passed(factors.size());  // what factor k is applied to, for k > 0
  for (std::size_t k = 1; k < factors.size(); ++k) passed[k].resize(factors[k].cols);
  std::vector<T> back, next;
  for (std::size_t s = 0; s < samples; ++s) {
    // Such a sample was left out. Its state may not be finite, and 0 times that is not 0.
    const T* delta = u + s * u_stride;
    if (std::all_of(delta, delta + block.rows, [](T d) { return d == T(0); })) continue;
    const T* input = v + s * v_stride;
    for (std::size_t k = 1; k < factors.size(); ++k)
      multiply(factors[k - 1], numbers + at[k - 1], k == 1 ? input : passed[k - 1].data(), passed[k].data());
    back.assign(u + s * u_stride, u + s * u_stride + block.rows);
    for (std::size_t k = factors.size(); k-- > 0;) {
      add_gradient(factors[k], numbers + at[k], back.data(), k == 0 ? input : passed[k].data(),
                   gradient + at[k]);
      if (k == 0) break;
      next.resize(factors[k].cols);
      multiply_transposed(factors[k], numbers + at[k], back.data(), next.data());
      std::swap(back, next);
    }
  }
}

template <class T>
RowBounds row_bounds(const Block& block, const T* numbers) {
  const std::vector<Factor> factors = block.factors();
  RowBounds bounds{std::vector<double>(block.rows), std::vector<double>(block.rows)};
  if (factors.size() == 1 && factors[0].kind == Factor::Kind::diagonal) {
    for (std::size_t i = 0; i < block.rows; ++i) bounds.diagonal[i] = double(numbers[i]);
    return bounds;
  }
  if (factors.size() == 1 && factors[0].kind == Factor::Kind::convolution) {
    for_each_entry(factors[0], numbers, [&](std::size_t i, std::size_t j, T entry) {
      i == j ? bounds.diagonal[i] += double(entry) : bounds.others[i] += std::abs(double(entry));
    });
    return bounds;
  }
  if (factors.size() == 1) {
    std::vector<T> multiplied_out;
    if (!block.dense())
      within_memory([&] { multiplied_out.resize(allocatable(block.rows, block.cols)); },
                    [&] { return "the matrix of block " + Architecture::block_name(block); });
    if (!block.dense()) write_dense(block, numbers, multiplied_out.data(), block.cols);
    const T* w = block.dense() ? numbers : multiplied_out.data();
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.cols; ++j) {
        const double entry = double(w[i * block.cols + j]);
        i == j ? bounds.diagonal[i] = entry : bounds.others[i] += std::abs(entry);
      }
    return bounds;
  }
  // |F_k ... F_1| 1 <= |F_k| ... |F_1| 1. For a product of two matrices, w_ii is a sum over the rank.
  const std::vector<std::size_t> at = offsets(factors);
  std::vector<double> sums(block.cols, 1.0), next;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const Factor& f = factors[k];
    std::vector<double> sizes(f.parameters());
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::abs(double(numbers[at[k] + i]));
    next.resize(f.rows);
    multiply(f, sizes.data(), sums.data(), next.data());
    std::swap(sums, next);
  }
  if (factors.size() == 2 && factors[0].kind == Factor::Kind::matrix &&
      factors[1].kind == Factor::Kind::matrix)
    for (std::size_t i = 0; i < std::min(block.rows, block.cols); ++i)
      for (std::size_t r = 0; r < factors[0].rows; ++r)
        bounds.diagonal[i] +=
            double(numbers[at[1] + i * factors[1].cols + r]) * double(numbers[r * block.cols + i]);
  for (std::size_t i = 0; i < block.rows; ++i) bounds.others[i] = sums[i] - std::abs(bounds.diagonal[i]);
  return bounds;
}

template void write_dense(const Block&, const float*, float*, std::size_t);
template void write_dense(const Block&, const double*, double*, std::size_t);
template DenseBlock dense_in_double(const Block&, const float*);
template DenseBlock dense_in_double(const Block&, const double*);
template void sum_gradient(const Block&, const float*, std::size_t, const float*, std::size_t, const float*,
                           std::size_t, float*);
template void sum_gradient(const Block&, const double*, std::size_t, const double*, std::size_t,
                           const double*, std::size_t, double*);
template RowBounds row_bounds(const Block&, const float*);
template RowBounds row_bounds(const Block&, const double*);

}  // namespace irn
