// A network: an architecture and the numbers in its blocks.
//
// All parameters lie in one vector (see Architecture::blocks for who lies where), so that optimisers, files and
// gradients need not know the architecture.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "irn/network/architecture.h"

namespace irn {

// How parameters start.
//   paper   weights from earlier nodes and biases uniform in [-0.5, 0.5), recurrent blocks zero
//   scaled  forward blocks uniform with variance 1 / (inputs of the neuron) (2 / ... before relu), biases and
//           recurrent blocks zero: keeps the drive of wide layers of order one
enum class Start : unsigned char { paper, scaled };
inline constexpr std::array<std::string_view, 2> start_names = {"paper", "scaled"};

template <class T>
class NetworkOf {
 public:
  // Parameters are a pure function of (architecture, start, seed). A block draws from a stream of its own, named by its two
  // nodes and the number of layers; the biases draw from stream 0.
  NetworkOf(Architecture architecture, Start start, std::uint64_t seed);
  // Refuses a vector of the wrong length or with a value that is not finite.
  NetworkOf(Architecture architecture, std::vector<T> parameters);

  const Architecture& architecture() const { return architecture_; }
  std::span<const T> parameters() const { return parameters_; }
  // For optimisers. Whoever writes here keeps every value finite.
  std::span<T> parameters() { return parameters_; }
  void set_parameters(std::span<const T> values);

  // A (neurons x neurons) and B (neurons x inputs) in full, row-major, absent blocks zero: for reference code.
  std::vector<double> dense_a() const;
  std::vector<double> dense_b() const;

 private:
  Architecture architecture_;
  std::vector<T> parameters_;
};

extern template class NetworkOf<float>;
extern template class NetworkOf<double>;

}  // namespace irn
