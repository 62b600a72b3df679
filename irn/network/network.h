// A network: an architecture and the numbers in its blocks.
//
// All parameters are in one vector (Architecture::blocks gives their places), so that optimisers, files and
// gradients need not know the architecture.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "irn/network/architecture.h"

namespace irn {

// Initial parameters.
//   paper   forward blocks and biases uniform in [-0.5, 0.5), recurrent blocks zero
//   scaled  forward blocks uniform with variance 1 / (inputs of the neuron), or 2 / (...) if it is relu;
//           biases and recurrent blocks zero. This keeps the drive of wide layers of order one
enum class Start : unsigned char { paper, scaled };
inline constexpr std::array<std::string_view, 2> start_names = {"paper", "scaled"};

template <class T>
class NetworkOf {
 public:
  // Parameters are a pure function of (architecture, start, seed). Each block has its own random stream,
  // which depends on its two nodes and the number of layers; the biases have stream 0.
  NetworkOf(Architecture architecture, Start start, std::uint64_t seed);
  // Refuses a vector of the wrong length or with a value that is not finite.
  NetworkOf(Architecture architecture, std::vector<T> parameters);

  const Architecture& architecture() const { return architecture_; }
  std::span<const T> parameters() const { return parameters_; }
  // For optimisers, which must keep all values finite.
  std::span<T> parameters() { return parameters_; }
  void set_parameters(std::span<const T> values);

  // The full A (neurons x neurons) and B (neurons x inputs), row-major, with zeros for absent blocks: for
  // reference code.
  std::vector<double> dense_a() const;
  std::vector<double> dense_b() const;

 private:
  Architecture architecture_;
  std::vector<T> parameters_;
};

extern template class NetworkOf<float>;
extern template class NetworkOf<double>;

}  // namespace irn
