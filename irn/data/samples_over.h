// Samples that wrap others: every function but inputs_id() calls theirs unless a derived class overrides it. A class
// that changes inputs need not think of their id; one that leaves them alone should pass on that of the wrapped ones.
#pragma once

#include "irn/data/samples.h"

namespace irn {

template <class T>
class SamplesOver : public Samples<T> {
 public:
  // Borrows the samples.
  explicit SamplesOver(const Samples<T>& samples) : samples_(&samples) {}

  std::size_t size() const override { return samples_->size(); }
  std::size_t inputs() const override { return samples_->inputs(); }
  std::size_t targets() const override { return samples_->targets(); }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override {
    samples_->inputs_as_lanes(index, width, out);
  }
  void expect(std::span<const std::uint64_t> index) const override { samples_->expect(index); }
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    samples_->inputs_as_rows(index, out);
  }
  void targets_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    samples_->targets_as_rows(index, out);
  }
  void weights(std::span<const std::uint64_t> index, T* out) const override { samples_->weights(index, out); }
  std::size_t gates() const override { return samples_->gates(); }
  void gates_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    samples_->gates_as_rows(index, out);
  }

 protected:
  const Samples<T>& samples() const { return *samples_; }

 private:
  const Samples<T>* samples_;
};

}  // namespace irn
