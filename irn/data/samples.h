// A source of supervised samples: a finite sequence of pairs (input, target), each with a weight, in random
// access. All functions are const and may be called from any number of threads at once; every call gives a
// sample the same values. Batches, epochs and shuffling are the trainer's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace irn {

template <class T>
class Samples {
 public:
  virtual ~Samples() = default;
  virtual std::size_t size() const = 0;
  virtual std::size_t inputs() const = 0;
  virtual std::size_t targets() const = 0;

  // out[k * width + lane] = input k of sample index[lane]; lanes from index.size() to width are set to 0.
  virtual void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const = 0;
  // These samples will be asked for next: a chance to prefetch them.
  virtual void expect(std::span<const std::uint64_t>) const {}
  // out[s * inputs() + k] = input k of sample index[s].
  virtual void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const = 0;
  // An id for inputs that never change, so that a device may keep a copy; 0 if they may change. Override it
  // together with inputs_as_rows().
  virtual std::uint64_t inputs_id() const { return 0; }
  // out[s * targets() + k] = target k of sample index[s].
  virtual void targets_as_rows(std::span<const std::uint64_t> index, T* out) const = 0;
  // out[s] = how much sample index[s] counts in sums and means: 2 counts it twice, 0 not at all.
  virtual void weights(std::span<const std::uint64_t> index, T* out) const {
    std::fill_n(out, index.size(), T(1));
  }
  // Gates are factors that change a network for one sample (dropout): with gates m its map is
  // z = f(A (m z) + B x + b). A sample has one for each neuron, or none; gates() is their number.
  // out[s * gates() + i] = the gate of neuron i for sample index[s]. A network with a certificate takes gates from
  // 0 to 1, or to 1 / (1 - dropout) in training.
  virtual std::size_t gates() const { return 0; }
  virtual void gates_as_rows(std::span<const std::uint64_t>, T*) const {}
};

// For implementations: a new, unique inputs_id().
std::uint64_t new_inputs_id();
// For implementations: irn::Error if an index is not below `size`, or if there are more samples than lanes.
void check_samples(std::span<const std::uint64_t> index, std::size_t size);
void check_lanes(std::span<const std::uint64_t> index, std::size_t size, std::size_t width);
// For code that uses weights, weights[s] for sample index[s]: irn::Error if one is negative or not finite.
template <class T>
void check_weights(std::span<const std::uint64_t> index, std::span<const T> weights);

}  // namespace irn
