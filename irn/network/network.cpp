#include "irn/network/network.h"

#include <algorithm>
#include <cmath>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/base/random.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

// The name of a place in the parameter vector, for messages.
std::string place_of(const Architecture& architecture, std::size_t index) {
  for (const Block& b : architecture.blocks())
    if (index >= b.weights && index < b.weights + b.parameters)
      return Architecture::block_name(b) +
             (b.dense() ? " row " + std::to_string((index - b.weights) / b.cols) + " column " +
                              std::to_string((index - b.weights) % b.cols)
                        : " number " + std::to_string(index - b.weights));
  return "bias " + std::to_string(index - architecture.biases());
}

template <class T>
void check(const Architecture& architecture, std::span<const T> values) {
  if (values.size() != architecture.parameters())
    throw Error("network " + to_text(architecture) + " has " + std::to_string(architecture.parameters()) +
                " parameters, but " + std::to_string(values.size()) + " were given");
  const auto bad = std::find_if(values.begin(), values.end(), [](T v) { return !std::isfinite(v); });
  if (bad != values.end())
    throw Error("parameter " + place_of(architecture, static_cast<std::size_t>(bad - values.begin())) +
                " of network " + to_text(architecture) + " is not finite");
}

double half_width(const Architecture& architecture, const Block& block, Start start) {
  if (start == Start::paper) return 0.5;
  double fan_in = 0;
  for (const Block& b : architecture.blocks())
    if (b.to == block.to && b.forward())
      fan_in += std::visit([&](const auto& op) { return op.fan_in(b.cols); }, b.op);
  const Activation f = architecture.layers()[block.to - 1].activation;
  const double variance = (f == Activation::relu ? 2.0 : 1.0) / fan_in;
  return std::sqrt(3.0 * variance);  // a uniform value in [-w, w) has variance w^2 / 3
}

template <class T>
std::vector<T> zeros(std::size_t rows, std::size_t columns, const char* name, const Architecture& of) {
  const auto what = [&] {
    return "the " + std::string(name) + " of network " + to_text(of) + ", " + std::to_string(rows) + " x " +
           std::to_string(columns);
  };
  return within_memory([&] { return std::vector<T>(allocatable(rows, columns), T(0)); }, what);
}

}  // namespace

template <class T>
NetworkOf<T>::NetworkOf(Architecture architecture, Start start, std::uint64_t seed)
    : architecture_(std::move(architecture)),
      parameters_(zeros<T>(1, architecture_.parameters(), "parameters", architecture_)) {
  // Stream numbers depend on the connection, not on its position: a new block leaves the others' values
  // unchanged.
  const std::size_t nodes = architecture_.layers().size() + 1;
  for (const Block& b : architecture_.blocks()) {
    const Stream stream(seed, b.to * nodes + b.from);
    const double width = b.forward() ? half_width(architecture_, b, start) : 0;
    const std::vector<double> widths =
        std::visit([&](const auto& op) { return op.half_widths(b.rows, b.cols, width); }, b.op);
    std::size_t i = 0, end = 0;
    for (std::size_t k = 0; k < widths.size(); ++k) {
      end += b.factors()[k].parameters();
      for (; i < end && widths[k] > 0; ++i)
        parameters_[b.weights + i] = static_cast<T>(widths[k] * (2.0 * stream.uniform(i) - 1.0));
      i = end;
    }
  }
  if (start == Start::scaled) return;
  const Stream stream(seed, 0);
  for (std::size_t i = 0; architecture_.biases() + i < architecture_.parameters(); ++i)
    parameters_[architecture_.biases() + i] = static_cast<T>(stream.uniform(i) - 0.5);
}

template <class T>
NetworkOf<T>::NetworkOf(Architecture architecture, std::vector<T> parameters)
    : architecture_(std::move(architecture)), parameters_(std::move(parameters)) {
  check<T>(architecture_, parameters_);
}

template <class T>
void NetworkOf<T>::set_parameters(std::span<const T> values) {
  check(architecture_, values);
  std::copy(values.begin(), values.end(), parameters_.begin());
}

namespace {

// The blocks of A, or those of B, as one matrix.
template <class T>
std::vector<double> dense_matrix(const NetworkOf<T>& network, bool input) {
  const Architecture& architecture = network.architecture();
  const std::size_t cols = input ? architecture.inputs() : architecture.neurons();
  std::vector<double> matrix = zeros<double>(architecture.neurons(), cols, input ? "matrix B" : "matrix A",
                                             architecture),
                      numbers;
  for (const Block& b : architecture.blocks()) {
    if (b.from_input() != input) continue;
    const auto own = network.parameters().subspan(b.weights, b.parameters);
    numbers.assign(own.begin(), own.end());
    write_dense(b, numbers.data(), matrix.data() + b.row * cols + b.col, cols);
  }
  return matrix;
}

}  // namespace

template <class T>
std::vector<double> NetworkOf<T>::dense_a() const {
  return dense_matrix(*this, false);
}

template <class T>
std::vector<double> NetworkOf<T>::dense_b() const {
  return dense_matrix(*this, true);
}

template class NetworkOf<float>;
template class NetworkOf<double>;

}  // namespace irn
