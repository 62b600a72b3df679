// The gradient of the parameters: sums of outer products of deltas and sources (for the factors of blocks
// that are not dense, sums of their own),
//   dA = sum delta z^T,   dB = sum delta x^T,   db = sum delta
// Threads share the work by rows, so the order of a sum, and with it its bits, does not depend on them.
#pragma once

#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/network/architecture.h"

namespace irn {

// Row-major: deltas [row][neuron], sources [row][neuron or input]: the states or inputs that the weights
// multiply.
template <class T>
struct Pairs {
  std::size_t rows = 0;
  const T* deltas = nullptr;
  const T* sources = nullptr;
};

template <class T>
class ParameterSums {
 public:
  // `numbers`: all parameters, for blocks that are not dense. It must outlive this object and may change
  // between calls.
  ParameterSums(const Architecture& architecture, const std::vector<T>& numbers, ThreadPool& threads);

  // Adds slice `slice` of `slices`. `states` makes dA. The first slice also makes dB and db from `inputs`;
  // the last one multiplies all sums by `share`. Returns for the last slice whether all sums are finite: a
  // sum of finite terms can overflow.
  bool add(const Pairs<T>& states, const Pairs<T>& inputs, std::size_t slice, std::size_t slices, T share,
           std::span<T> out);

 private:
  struct RowRange {
    std::size_t block, row, rows;
  };
  std::size_t rows_a_task(const Block& block) const;
  std::span<T> sum_block(const RowRange& range, const Pairs<T>& states, const Pairs<T>& inputs, bool first,
                         std::span<T> out);
  std::span<T> sum_biases(const Pairs<T>& inputs, bool first, std::span<T> out) const;

  Architecture architecture_;
  const std::vector<T>& numbers_;
  ThreadPool& threads_;
  std::vector<RowRange> tasks_;
  std::vector<T> more_;  // the sums of a slice after the first, before they are added
};

bool all_finite(std::span<const float> values);
bool all_finite(std::span<const double> values);

// Multiplies rows [copy][sample][size] by the sample's factor. The factor 0 makes 0 of numbers that are not
// finite, too.
template <class T>
void weigh_rows(std::span<const T> factors, std::size_t size, std::size_t copies, T* rows);

// Returns `rows`, or, if a row with the factor 0 is not finite (0 times it would not be 0), a copy in which
// such rows are 0.
template <class T>
const T* without_left_out(std::span<const T> factors, std::size_t size, std::size_t copies, const T* rows,
                          std::vector<T>& copy);

extern template class ParameterSums<float>;
extern template class ParameterSums<double>;

}  // namespace irn
