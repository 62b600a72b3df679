#include "irn/kernels/plain_lanes-inl.h"
// The order matters: text over lanes is compiled for the kind of lanes included before it.
#include "irn/analysis/dynamics-inl.h"
#include "irn/base/error.h"
#include "irn/kernels/convolution_product-inl.h"
#include "irn/network/own_operator.h"

namespace irn {
namespace {

// A number as a lane. Not fused: for code that must run on processors of every age, a fused operation is a
// call for each multiplication, and takes five times as long.
struct Lane {
  using Scalar = double;
  double v = 0;
  Lane() = default;
  explicit Lane(double number) : v(number) {}
  friend Lane mul_add(Lane a, Lane b, Lane c) { return Lane(a.v * b.v + c.v); }
};

Vector convolved(const Factor& factor, const double* w, const Vector& v, bool transposed) {
  std::vector<Lane> from(static_cast<std::size_t>(v.size())), to(transposed ? factor.cols : factor.rows);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = Lane(v[index_of(i)]);
  PackedConvolution<double> packed{ConvolutionRoute(factor.convolution, factor.flipped != transposed)};
  const std::vector<double> fixed(factor.every_number != 0 ? factor.convolution.numbers() : 0,
                                  factor.every_number);
  packed.pack(fixed.empty() ? w : fixed.data());
  plain::add_convolution<Lane>(packed, from.data(), to.data());
  Vector out(index_of(to.size()));
  for (std::size_t i = 0; i < to.size(); ++i) out[index_of(i)] = to[i].v;
  return out;
}

// F v or F^T v of one factor of a block, with its numbers w.
Vector times(const Factor& factor, const double* w, const Vector& v, bool transposed) {
  const Eigen::Index rows = index_of(factor.rows), cols = index_of(factor.cols);
  switch (factor.kind) {
    case Factor::Kind::matrix: {
      const Eigen::Map<const Matrix> matrix(w, rows, cols);
      return transposed ? Vector(matrix.transpose() * v) : Vector(matrix * v);
    }
    case Factor::Kind::diagonal:
      return Eigen::Map<const Vector>(w, rows).cwiseProduct(v);
    case Factor::Kind::convolution:
      return convolved(factor, w, v, transposed);
    case Factor::Kind::own:
      break;
  }
  Vector out = Vector::Zero(transposed ? cols : rows);
  transposed ? factor.own->multiply_transposed(w, 1, v.data(), out.data())
             : factor.own->multiply(w, 1, v.data(), out.data());
  return out;
}

Vector times(const Block& block, const double* w, Vector v, bool transposed) {
  const std::vector<Factor> factors = block.factors();
  if (!transposed)
    for (const Factor& factor : factors) v = times(factor, w, v, false), w += factor.parameters();
  else
    for (auto factor = (w += block.parameters, factors.rbegin()); factor != factors.rend(); ++factor)
      v = times(*factor, w -= factor->parameters(), v, true);
  return v;
}

std::vector<Eigen::Index> neurons_of(const Loop& loop, const Architecture& architecture) {
  std::vector<Eigen::Index> neurons;
  for (const std::size_t l : loop.layers)
    for (std::size_t i = 0; i < architecture.layers()[l - 1].size; ++i)
      neurons.push_back(index_of(architecture.first_neuron(l) + i));
  return neurons;
}

}  // namespace

template <class T>
Dynamics::Dynamics(const NetworkOf<T>& network)
    : architecture_(network.architecture()),
      numbers_(network.parameters().begin(), network.parameters().end()) {
  for (const Layer& layer : architecture_.layers()) f_.insert(f_.end(), layer.size, layer.activation);
  if (dense())
    a_ = Eigen::Map<const Matrix>(network.dense_a().data(), index_of(neurons()), index_of(neurons()));
  layers_of_loops_ = irn::loops(architecture_);
  for (const Loop& loop : layers_of_loops_) loops_.push_back(neurons_of(loop, architecture_));
}
template Dynamics::Dynamics(const NetworkOf<float>&);
template Dynamics::Dynamics(const NetworkOf<double>&);

Vector Dynamics::product(const Vector& v, bool input, bool transposed) const {
  Vector out = Vector::Zero(index_of(input && transposed ? architecture_.inputs() : neurons()));
  for (const Block& b : architecture_.blocks()) {
    if (b.from_input() != input) continue;
    const Eigen::Index row = index_of(b.row), col = index_of(b.col);
    const Eigen::Index rows = index_of(b.rows), cols = index_of(b.cols);
    const double* w = numbers_.data() + b.weights;
    if (transposed)
      out.segment(col, cols) += times(b, w, v.segment(row, rows), true);
    else
      out.segment(row, rows) += times(b, w, v.segment(col, cols), false);
  }
  return out;
}

Vector Dynamics::a_times(const Vector& v) const {
  return dense() ? Vector(a_ * v) : product(v, false, false);
}
Vector Dynamics::a_transposed_times(const Vector& v) const {
  return dense() ? Vector(a_.transpose() * v) : product(v, false, true);
}
Vector Dynamics::loop_times(std::size_t loop, const Vector& v) const {
  const Loop& own = layers_of_loops_[loop];
  Vector out = Vector::Zero(v.size());
  for (const std::size_t k : own.blocks) {
    const Block& b = architecture_.blocks()[k];
    out.segment(index_of(own.first[b.to]), index_of(b.rows)) += times(
        b, numbers_.data() + b.weights, v.segment(index_of(own.first[b.from]), index_of(b.cols)), false);
  }
  return out;
}
Vector Dynamics::drive(const Vector& x) const {
  Vector biases(index_of(neurons()));
  write_biases(architecture_, numbers_.data(), biases.data());
  return b_times(x) + biases;
}
Vector Dynamics::activated(Vector u) const {
  for (Eigen::Index i = 0; i < u.size(); ++i) u[i] = activate(f_[static_cast<std::size_t>(i)], u[i]);
  return u;
}
Vector Dynamics::slopes(const Vector& value) const {
  Vector d(value.size());
  for (Eigen::Index i = 0; i < d.size(); ++i)
    d[i] = slope_from_value(f_[static_cast<std::size_t>(i)], value[i]);
  return d;
}

void check_state(const Dynamics& dynamics, std::size_t inputs, std::size_t neurons) {
  const Architecture& architecture = dynamics.architecture();
  if (inputs == architecture.inputs() && neurons == architecture.neurons()) return;
  throw Error("given are " + std::to_string(inputs) + " inputs and a state of " + std::to_string(neurons) +
              " neurons; network " + to_text(architecture) + " has " + std::to_string(architecture.inputs()) +
              " and " + std::to_string(architecture.neurons()));
}
void check_dense(const Dynamics& dynamics, const char* what) {
  if (!dynamics.dense())
    throw Error(std::string(what) + " needs a matrix a sample; a network of " +
                std::to_string(dynamics.neurons()) + " neurons is too large, at most " +
                std::to_string(dense_analysis_limit) + " are taken");
}

}  // namespace irn
