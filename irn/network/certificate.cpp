#include "irn/network/certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/base/decompositions-inl.h"
#include "irn/base/error.h"
#include "irn/network/convolution_loop.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

using Matrix = Eigen::MatrixXd;

void check_size(const Loop& loop) {
  if (loop.neurons > largest_certified_loop)
    throw Error("a certificate needs the matrix of a loop; one of " + std::to_string(loop.neurons) +
                " neurons is too large, at most " + std::to_string(largest_certified_loop) +
                " are taken; train without one");
}

}  // namespace

bool can_be_certified(const Architecture& architecture) {
  const std::vector<Loop> all = loops(architecture);
  return std::all_of(all.begin(), all.end(), [&](const Loop& loop) {
    return ConvolutionLoop::fits(architecture, loop) || loop.neurons <= largest_certified_loop;
  });
}

namespace {

struct SymmetricPart {
  std::vector<double> x;
  double errors = 0;  // of blocks that were multiplied out: the largest sum of a row
};

template <class T>
SymmetricPart symmetric_part_of(const NetworkOf<T>& network, const Loop& loop) {
  check_size(loop);
  const Architecture& architecture = network.architecture();
  const std::size_t n = loop.neurons;
  std::vector<double> x(n * n), errors(n);
  for (const std::size_t index : loop.blocks) {
    const Block& b = architecture.blocks()[index];
    const DenseBlock w = dense_in_double(b, network.parameters().data() + b.weights);
    const double scale = 0.5 * std::sqrt(max_slope(architecture.layers()[b.to - 1].activation) *
                                         max_slope(architecture.layers()[b.from - 1].activation));
    const std::size_t row = loop.first[b.to], column = loop.first[b.from];
    for (std::size_t i = 0; i < b.rows; ++i)
      for (std::size_t j = 0; j < b.cols; ++j) {
        const std::size_t entry = i * b.cols + j;
        const double value = scale * w.entries[entry];
        x[(row + i) * n + column + j] += value, x[(column + j) * n + row + i] += value;
        if (w.errors.empty()) continue;
        const double error = scale * w.errors[entry];
        errors[row + i] += error, errors[column + j] += error;
      }
  }
  return {std::move(x), *std::max_element(errors.begin(), errors.end())};
}

// M = I - X is positive definite if Cholesky's method, in floating point, succeeds on M - c I with c above
// the error by all its roundings, (n + 1) eps / (1 - ...) trace(M) (Rump, BIT 46 (2006) 433). The roundings
// in M itself, three for each entry, are bounded by its row sums, those of blocks that were multiplied out by
// `errors`. c is twice the sum of these.
bool is_certified(const SymmetricPart& part) {
  const auto n = static_cast<Eigen::Index>(std::sqrt(double(part.x.size())) + 0.5);
  Matrix m = -Eigen::Map<const Matrix>(part.x.data(), n, n);
  if (!m.allFinite()) return false;
  const double rounded = 3 * m.cwiseAbs().rowwise().sum().maxCoeff();
  m.diagonal().array() += 1.0;
  const double trace = m.diagonal().cwiseAbs().sum();
  const double eps = std::numeric_limits<double>::epsilon();
  m.diagonal().array() -= 2 * (eps * (rounded + double(n + 2) * trace) + part.errors);
  return cholesky_succeeds(m);
}

}  // namespace

template <class T>
std::vector<double> symmetric_part(const NetworkOf<T>& network, const Loop& loop) {
  return symmetric_part_of(network, loop).x;
}

template <class T>
double certificate_bound(const NetworkOf<T>& network) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const Loop& loop : loops(network.architecture())) {
    if (ConvolutionLoop::fits(network.architecture(), loop)) {
      const ConvolutionLoop images(network.architecture(), loop);
      largest = std::max(largest, images.bound(network.parameters().data()));
      continue;
    }
    const std::vector<double> x = symmetric_part(network, loop);
    const auto n = static_cast<Eigen::Index>(loop.neurons);
    largest = std::max(largest, symmetric_eigenvalues(Eigen::Map<const Matrix>(x.data(), n, n))[n - 1]);
  }
  return largest;
}

bool is_certified(const std::vector<double>& symmetric_part) {
  return is_certified(SymmetricPart{symmetric_part});
}

template <class T>
bool is_certified(const NetworkOf<T>& network) {
  const std::vector<Loop> all = loops(network.architecture());
  return std::all_of(all.begin(), all.end(), [&](const Loop& loop) {
    if (ConvolutionLoop::fits(network.architecture(), loop))
      return ConvolutionLoop(network.architecture(), loop).bound(network.parameters().data()) < 1;
    return is_certified(symmetric_part_of(network, loop));
  });
}

template std::vector<double> symmetric_part(const NetworkOf<float>&, const Loop&);
template std::vector<double> symmetric_part(const NetworkOf<double>&, const Loop&);
template double certificate_bound(const NetworkOf<float>&);
template double certificate_bound(const NetworkOf<double>&);
template bool is_certified(const NetworkOf<float>&);
template bool is_certified(const NetworkOf<double>&);

}  // namespace irn
