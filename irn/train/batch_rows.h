// A batch whose inputs are computed once, by all threads: for samples whose inputs cost more than a copy.
// Sample s of the batch is sample index[s] of the samples given to fill().
#pragma once

#include <cstdint>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/samples.h"

namespace irn {

template <class T>
class BatchRows : public Samples<T> {
 public:
  // Borrows samples and index until the next call.
  void fill(const Samples<T>& samples, std::span<const std::uint64_t> index, ThreadPool& threads);
  // 0, 1, 2, ...: the whole batch.
  std::span<const std::uint64_t> all() const { return all_; }

  std::size_t size() const override { return index_.size(); }
  std::size_t inputs() const override { return samples_->inputs(); }
  std::size_t targets() const override { return samples_->targets(); }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override;
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  void targets_as_rows(std::span<const std::uint64_t> index, T* out) const override;
  void weights(std::span<const std::uint64_t> index, T* out) const override;
  std::size_t gates() const override { return samples_->gates(); }
  void gates_as_rows(std::span<const std::uint64_t> index, T* out) const override;

 private:
  const Samples<T>* samples_ = nullptr;
  std::span<const std::uint64_t> index_;
  std::vector<std::uint64_t> all_;
  std::vector<T> rows_;
};

extern template class BatchRows<float>;
extern template class BatchRows<double>;

}  // namespace irn
