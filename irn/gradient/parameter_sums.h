// The gradient of the parameters: sums of outer products of deltas with what they meet (of blocks that are not dense: of their factors),
//   dA = sum delta z^T,   dB = sum delta x^T,   db = sum delta
// Threads share the work by rows, so that the order of a sum, and with it its bits, does not depend on them.
#pragma once

#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/network/architecture.h"

namespace irn {

// Row-major: deltas [row][neuron], sources [row][what they meet: a state or an input].
template <class T>
struct Pairs {
  std::size_t rows = 0;
  const T* deltas = nullptr;
  const T* sources = nullptr;
};

template <class T>
class ParameterSums {
 public:
  // `numbers`: all parameters, for blocks that are not dense; it must outlive the sums and may change between them.
  ParameterSums(const Architecture& architecture, const std::vector<T>& numbers, ThreadPool& threads);

  // Slice `slice` of `slices`: `states` makes dA, the first slice also dB and db of `inputs`; the last multiplies all by `share`. Tells,
  // of the last slice, whether all is finite: a sum of finite terms can overflow.
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
  std::vector<T> more_;  // of a slice after the first, before it is added
};

bool all_finite(std::span<const float> values);
bool all_finite(std::span<const double> values);

// Rows [copy][sample][size] times the sample's factor. What is not finite times 0 is 0 here.
template <class T>
void weigh_rows(std::span<const T> factors, std::size_t size, std::size_t copies, T* rows);

// The rows themselves, or, where one with the factor 0 is not finite (0 times it would not be 0), a copy in which those are 0.
template <class T>
const T* without_left_out(std::span<const T> factors, std::size_t size, std::size_t copies, const T* rows,
                          std::vector<T>& copy);

extern template class ParameterSums<float>;
extern template class ParameterSums<double>;

}  // namespace irn
