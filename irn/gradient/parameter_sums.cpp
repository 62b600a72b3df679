#include "irn/gradient/parameter_sums.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "irn/kernels/convolution.h"
#include "irn/kernels/flush_denormals.h"
#include "irn/kernels/outer.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

// Checks the bits, many numbers at a time.
template <class T>
bool finite_bits(std::span<const T> values) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  Bits full = 0;
  for (const T& v : values) full |= static_cast<Bits>((std::bit_cast<Bits>(v) & exponent) == exponent);
  return full == 0;
}

// out[i][j] = sum over the pairs of delta[i] source[j], for `rows` rows of a block from `row` on.
template <class T>
void sum_weights(const Block& block, std::size_t row, std::size_t rows, const Pairs<T>& pairs,
                 std::size_t neurons, std::size_t source_size, T* out) {
  kernels::sum_outer<T>(pairs.rows, pairs.deltas + block.row + row, neurons, rows, pairs.sources + block.col,
                        source_size, block.cols, out);
}

// How threads share a block: its numbers come in rows, of a matrix or of a kernel's out channels, or all at
// once.
struct NumberRows {
  std::size_t rows, size;
};
NumberRows number_rows(const Block& block) {
  if (block.dense()) return {block.rows, block.cols};
  if (const Convolution* c = convolution_of(block.op))
    return {c->geometry().out_channels, c->geometry().numbers_a_channel()};
  return {1, block.parameters};
}

// In partial sums side by side, which do not wait for each other.
template <class T>
T sum_of(const T* values, std::size_t count) {
  T parts[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    for (std::size_t k = 0; k < 8; ++k) parts[k] += values[i + k];
  for (; i < count; ++i) parts[0] += values[i];
  return ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

// The kernel's sums for `channels` out channels from `channel` on; for a transposed convolution the two sides
// change places.
template <class T>
void sum_kernel(const Block& block, std::size_t channel, std::size_t channels, const Pairs<T>& pairs,
                std::size_t neurons, std::size_t source_size, T* out) {
  const ConvolutionShape shape = convolution_of(block.op)->geometry();
  const T *u = pairs.deltas + block.row, *v = pairs.sources + block.col;
  std::size_t u_stride = neurons, v_stride = source_size;
  if (std::holds_alternative<TransposedConvolution>(block.op)) std::swap(u, v), std::swap(u_stride, v_stride);
  kernels::sum_convolution<T>(shape, channel, channels, pairs.rows, u, u_stride, v, v_stride, out);
}

}  // namespace

bool all_finite(std::span<const float> values) { return finite_bits(values); }
bool all_finite(std::span<const double> values) { return finite_bits(values); }

template <class T>
ParameterSums<T>::ParameterSums(const Architecture& architecture, const std::vector<T>& numbers,
                                ThreadPool& threads)
    : architecture_(architecture), numbers_(numbers), threads_(threads) {
  for (std::size_t b = 0; b < architecture_.blocks().size(); ++b) {
    const Block& block = architecture_.blocks()[b];
    if (block.parameters == 0) continue;
    const std::size_t piece = rows_a_task(block), rows = number_rows(block).rows;
    for (std::size_t row = 0; row < rows; row += piece)
      tasks_.push_back({b, row, std::min(piece, rows - row)});
  }
}

// Tall enough that the states are read few times, short enough that every thread has two pieces. The bits of
// a sum do not depend on the shape, except where OpenBLAS computes it.
template <class T>
std::size_t ParameterSums<T>::rows_a_task(const Block& block) const {
  if (convolution_of(block.op)) {
    const std::size_t share = number_rows(block).rows / (2 * threads_.size());
    return std::max((share + convolution_panel - 1) / convolution_panel, std::size_t{1}) * convolution_panel;
  }
  if (!block.dense()) return 1;
  if (block.cols >= kernels::blas_columns) return 96;
  constexpr std::size_t tile = 6;
  const std::size_t share = block.rows / (2 * threads_.size());
  return std::clamp((share + tile - 1) / tile * tile, 2 * tile, 8 * tile);
}

template <class T>
bool ParameterSums<T>::add(const Pairs<T>& states, const Pairs<T>& inputs, std::size_t slice,
                           std::size_t slices, T share, std::span<T> out) {
  assert(slice < slices && out.size() == architecture_.parameters());
  if (slice > 0) more_.resize(out.size());
  std::atomic<bool> finite = true;
  threads_.for_each(tasks_.size() + 1, [&](std::size_t k, std::size_t) {
    const kernels::FlushDenormals flush;
    const std::span<T> sums = k < tasks_.size() ? sum_block(tasks_[k], states, inputs, slice == 0, out)
                                                : sum_biases(inputs, slice == 0, out);
    if (slice + 1 < slices) return;
    for (T& v : sums) v *= share;
    if (!all_finite(sums)) finite = false;
  });
  return finite;
}

template <class T>
std::span<T> ParameterSums<T>::sum_block(const RowRange& range, const Pairs<T>& states,
                                         const Pairs<T>& inputs, bool first, std::span<T> out) {
  const Block& block = architecture_.blocks()[range.block];
  const bool from_input = block.from_input();
  const std::size_t row_size = number_rows(block).size, at = block.weights + range.row * row_size,
                    size = range.rows * row_size;
  const std::size_t n = architecture_.neurons(), source_size = from_input ? architecture_.inputs() : n;
  const Pairs<T>& pairs = from_input ? inputs : states;
  T* to = (first ? out.data() : more_.data()) + at;
  const bool summed = first || !from_input;
  if (summed && block.dense())
    sum_weights(block, range.row, range.rows, pairs, n, source_size, to);
  else if (summed && convolution_of(block.op))
    sum_kernel(block, range.row, range.rows, pairs, n, source_size, to);
  else if (summed) {
    assert(numbers_.size() == architecture_.parameters());
    sum_gradient(block, numbers_.data() + block.weights, pairs.rows, pairs.deltas + block.row, n,
                 pairs.sources + block.col, source_size, to);
  }
  if (!first && !from_input)
    for (std::size_t i = at; i < at + size; ++i) out[i] += more_[i];
  return out.subspan(at, size);
}

template <class T>
std::span<T> ParameterSums<T>::sum_biases(const Pairs<T>& inputs, bool first, std::span<T> out) const {
  const std::size_t n = architecture_.neurons();
  const std::span<T> bias = out.subspan(architecture_.biases());
  if (!first) return bias;
  std::fill(bias.begin(), bias.end(), T(0));
  for (std::size_t l = 1; l <= architecture_.layers().size(); ++l) {
    const Layer& layer = architecture_.layers()[l - 1];
    const T* deltas = inputs.deltas + architecture_.first_neuron(l);
    T* to = out.data() + architecture_.first_bias(l);
    const std::size_t shared_by = layer.size / layer.biases();
    for (std::size_t s = 0; s < inputs.rows; ++s)
      if (shared_by == 1)
        for (std::size_t i = 0; i < layer.size; ++i) to[i] += deltas[s * n + i];
      else
        for (std::size_t i = 0; i < layer.biases(); ++i)
          to[i] += sum_of(deltas + s * n + i * shared_by, shared_by);
  }
  return bias;
}

template <class T>
void weigh_rows(std::span<const T> factors, std::size_t size, std::size_t copies, T* rows) {
  for (std::size_t c = 0; c < copies; ++c)
    for (const T factor : factors) {
      if (factor == T(0)) std::fill_n(rows, size, T(0));
      if (factor != T(0) && factor != T(1))
        for (std::size_t i = 0; i < size; ++i) rows[i] *= factor;
      rows += size;
    }
}

template <class T>
const T* without_left_out(std::span<const T> factors, std::size_t size, std::size_t copies, const T* rows,
                          std::vector<T>& copy) {
  bool copied = false;
  for (std::size_t s = 0; s < factors.size(); ++s)
    for (std::size_t c = 0; factors[s] == T(0) && c < copies; ++c) {
      const std::size_t at = (c * factors.size() + s) * size;
      if (all_finite(std::span(rows + at, size))) continue;
      if (!copied) copy.assign(rows, rows + copies * factors.size() * size);
      copied = true;
      std::fill_n(copy.data() + at, size, T(0));
    }
  return copied ? copy.data() : rows;
}

template class ParameterSums<float>;
template class ParameterSums<double>;
template void weigh_rows(std::span<const float>, std::size_t, std::size_t, float*);
template void weigh_rows(std::span<const double>, std::size_t, std::size_t, double*);
template const float* without_left_out(std::span<const float>, std::size_t, std::size_t, const float*,
                                       std::vector<float>&);
template const double* without_left_out(std::span<const double>, std::size_t, std::size_t, const double*,
                                        std::vector<double>&);

}  // namespace irn
