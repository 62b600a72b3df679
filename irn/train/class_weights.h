// Classes that count for more or less than their number: the weight of every sample times that of its class, which is where the
// largest of its targets stands.
//   balanced   sum of all weights / (classes there are * sum of the class's weights): all classes count alike, the sum stays
// A class is weighed through its samples, and so everything that looks at samples sees it: the loss, the gradient, scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "irn/data/samples.h"

namespace irn {

// Where the classes are among the targets; count 0: to the last.
struct ClassTargets {
  std::size_t first = 0, count = 0;
};

// One a class; 1 for a class without samples.
template <class T>
std::vector<double> balanced_class_weights(const Samples<T>& samples, ClassTargets targets = {});

template <class T>
class ClassWeighted : public Samples<T> {
 public:
  // Borrows the samples. The classes are targets first_target, first_target + 1, ..., one for each weight. Looks at the targets
  // of all samples. Throws irn::Error for weights that are negative or not finite, and for more than there are targets.
  ClassWeighted(const Samples<T>& samples, const std::vector<double>& class_weights,
                std::size_t first_target = 0);

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
  void weights(std::span<const std::uint64_t> index, T* out) const override;

 private:
  const Samples<T>* samples_;
  std::vector<T> weights_;  // one a sample
};

extern template class ClassWeighted<float>;
extern template class ClassWeighted<double>;

}  // namespace irn
