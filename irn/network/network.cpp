#include "irn/network/network.h"

#include <algorithm>
#include <cmath>

#include "irn/base/error.h"
#include "irn/base/memory.h"
#include "irn/base/random.h"

namespace irn {
namespace {

// Which part of the parameter vector a value stands in, for messages.
std::string place_of(const Architecture& architecture, std::size_t index) {
  for (const Block& b : architecture.blocks())
    if (index >= b.weights && index < b.weights + b.rows * b.cols)
      return Architecture::block_name(b) + " row " + std::to_string((index - b.weights) / b.cols) +
             " column " + std::to_string((index - b.weights) % b.cols);
  return "bias " + std::to_string(index - architecture.biases());
}

template <class T>
void check(const Architecture& architecture, std::span<const T> values) {
  if (values.size() != architecture.parameters())
    throw Error("network " + architecture.text() + " has " + std::to_string(architecture.parameters()) +
                " parameters, but " + std::to_string(values.size()) + " were given");
  const auto bad = std::find_if(values.begin(), values.end(), [](T v) { return !std::isfinite(v); });
  if (bad != values.end())
    throw Error("parameter " + place_of(architecture, static_cast<std::size_t>(bad - values.begin())) +
                " of network " + architecture.text() + " is not finite");
}

double half_width(const Architecture& architecture, const Block& block, Start start) {
  if (start == Start::paper) return 0.5;
  std::size_t fan_in = 0;
  for (const Block& b : architecture.blocks())
    if (b.to == block.to && b.forward()) fan_in += b.cols;
  const Activation f = architecture.layers()[block.to - 1].activation;
  const double variance = (f == Activation::relu ? 2.0 : 1.0) / static_cast<double>(fan_in);
  return std::sqrt(3.0 * variance);  // a uniform value in [-w, w) has variance w^2 / 3
}

template <class T>
std::vector<T> zeros(std::size_t rows, std::size_t columns, const char* name, const Architecture& of) {
  const auto what = [&] {
    return "the " + std::string(name) + " of network " + of.text() + ", " + std::to_string(rows) + " x " +
           std::to_string(columns);
  };
  return within_memory([&] { return std::vector<T>(allocatable(rows, columns), T(0)); }, what);
}

}  // namespace

template <class T>
Network<T>::Network(Architecture architecture, Start start, std::uint64_t seed)
    : architecture_(std::move(architecture)),
      parameters_(zeros<T>(1, architecture_.parameters(), "parameters", architecture_)) {
  // Stream numbers name the connection, not its position: adding a block leaves the others' values alone.
  const std::size_t nodes = architecture_.layers().size() + 1;
  for (const Block& b : architecture_.blocks()) {
    if (!b.forward()) continue;
    const Stream stream(seed, b.to * nodes + b.from);
    const double width = half_width(architecture_, b, start);
    for (std::size_t i = 0; i < b.rows * b.cols; ++i)
      parameters_[b.weights + i] = static_cast<T>(width * (2.0 * stream.uniform(i) - 1.0));
  }
  if (start == Start::scaled) return;
  const Stream stream(seed, 0);
  for (std::size_t i = 0; i < architecture_.neurons(); ++i)
    parameters_[architecture_.biases() + i] = static_cast<T>(stream.uniform(i) - 0.5);
}

template <class T>
Network<T>::Network(Architecture architecture, std::vector<T> parameters)
    : architecture_(std::move(architecture)), parameters_(std::move(parameters)) {
  check<T>(architecture_, parameters_);
}

template <class T>
void Network<T>::set_parameters(std::span<const T> values) {
  check(architecture_, values);
  std::copy(values.begin(), values.end(), parameters_.begin());
}

template <class T>
std::vector<double> Network<T>::dense_a() const {
  const std::size_t n = architecture_.neurons();
  std::vector<double> a = zeros<double>(n, n, "matrix A", architecture_);
  for (const Block& b : architecture_.blocks())
    for (std::size_t i = 0; !b.from_input() && i < b.rows; ++i)
      for (std::size_t j = 0; j < b.cols; ++j)
        a[(b.row + i) * n + b.col + j] = double(parameters_[b.weights + i * b.cols + j]);
  return a;
}

template <class T>
std::vector<double> Network<T>::dense_b() const {
  const std::size_t m = architecture_.inputs();
  std::vector<double> matrix = zeros<double>(architecture_.neurons(), m, "matrix B", architecture_);
  for (const Block& b : architecture_.blocks())
    for (std::size_t i = 0; b.from_input() && i < b.rows; ++i)
      for (std::size_t j = 0; j < m; ++j)
        matrix[(b.row + i) * m + j] = double(parameters_[b.weights + i * m + j]);
  return matrix;
}

template class Network<float>;
template class Network<double>;

}  // namespace irn
