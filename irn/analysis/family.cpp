#include "irn/analysis/family.h"

#include <algorithm>

#include <Eigen/Core>

#include "irn/base/error.h"
#include "irn/network/loops.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }
Vector vector_of(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(), index(values.size()));
}

// A, B and b as full matrices.
struct Weights {
  Matrix a, b;
  Vector bias;

  template <class T>
  explicit Weights(const NetworkOf<T>& network) {
    const Architecture& architecture = network.architecture();
    const Eigen::Index n = index(architecture.neurons()), m = index(architecture.inputs());
    a = Eigen::Map<const Matrix>(network.dense_a().data(), n, n);
    b = Eigen::Map<const Matrix>(network.dense_b().data(), n, m);
    bias.resize(n);
    for (Eigen::Index i = 0; i < n; ++i)
      bias(i) = double(network.parameters()[architecture.biases() + static_cast<std::size_t>(i)]);
  }
};

// F(z, p) = f((A + p A') z + c + p c').
class AffineFamily : public Family {
 public:
  AffineFamily(const Architecture& architecture, Matrix a, Matrix a_slope, Vector c, Vector c_slope)
      : a_(std::move(a)), a_slope_(std::move(a_slope)), c_(std::move(c)), c_slope_(std::move(c_slope)) {
    for (const Layer& layer : architecture.layers()) f_.insert(f_.end(), layer.size, layer.activation);
    for (const Loop& loop : loops(architecture)) {
      groups_.emplace_back();
      for (const std::size_t layer : loop.layers)
        for (std::size_t i = 0; i < architecture.layers()[layer - 1].size; ++i)
          groups_.back().push_back(architecture.first_neuron(layer) + i);
    }
  }

  std::size_t size() const override { return f_.size(); }
  std::vector<std::vector<std::size_t>> groups() const override { return groups_; }

  void evaluate(std::span<const double> z, double p, std::span<double> value, std::span<double> jacobian,
                std::span<double> slope) const override {
    const Eigen::Index n = index(size());
    const Eigen::Map<const Vector> state(z.data(), n);
    const Vector moved = a_slope_ * state + c_slope_, drive = a_ * state + c_ + p * moved;
    Eigen::Map<Matrix> j(jacobian.data(), n, n);
    j = a_ + p * a_slope_;
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      value[k] = activate(f_[k], drive(i));
      const double d = slope_from_value(f_[k], value[k]);
      j.row(i) *= d;
      slope[k] = d * moved(i);
    }
  }

 private:
  Matrix a_, a_slope_;
  Vector c_, c_slope_;
  std::vector<Activation> f_;
  std::vector<std::vector<std::size_t>> groups_;
};

void check_input(const Architecture& architecture, std::span<const double> x, const char* what) {
  if (x.size() == architecture.inputs()) return;
  throw Error(std::string(what) + " has " + std::to_string(x.size()) + " numbers, the network " +
              std::to_string(architecture.inputs()) + " inputs");
}

void refuse_own(const Architecture& architecture, std::size_t k) {
  for (const Block& block : architecture.blocks())
    if (std::holds_alternative<Own>(block.op) && k >= block.weights && k < block.weights + block.parameters)
      throw Error("a number of the operator " + to_text(block.op) +
                  " cannot be moved: nothing says that its block depends on it in a straight line");
}

template <class T>
Weights with_parameter(const NetworkOf<T>& network, std::size_t k, double value) {
  std::vector<double> parameters(network.parameters().begin(), network.parameters().end());
  parameters[k] = value;
  return Weights(NetworkOf<double>(network.architecture(), std::move(parameters)));
}

}  // namespace

template <class T>
std::unique_ptr<Family> family_over_input(const NetworkOf<T>& network, std::span<const double> x,
                                          std::span<const double> direction) {
  check_input(network.architecture(), x, "the input");
  check_input(network.architecture(), direction, "the direction");
  const Weights w(network);
  return std::make_unique<AffineFamily>(network.architecture(), w.a, Matrix::Zero(w.a.rows(), w.a.cols()),
                                        w.b * vector_of(x) + w.bias, w.b * vector_of(direction));
}

// Every number stands in one factor of one block, so A, B and b are straight lines in each: two values of it give the line.
template <class T>
std::unique_ptr<Family> family_over_parameter(const NetworkOf<T>& network, std::span<const double> x,
                                              std::size_t k) {
  check_input(network.architecture(), x, "the input");
  if (k >= network.architecture().parameters())
    throw Error("there is no parameter " + std::to_string(k) + "; the network has " +
                std::to_string(network.architecture().parameters()));
  refuse_own(network.architecture(), k);
  const Weights at0 = with_parameter(network, k, 0), at1 = with_parameter(network, k, 1);
  const Vector input = vector_of(x);
  return std::make_unique<AffineFamily>(network.architecture(), at0.a, at1.a - at0.a,
                                        at0.b * input + at0.bias,
                                        (at1.b - at0.b) * input + at1.bias - at0.bias);
}

template <class T>
std::unique_ptr<Family> family_over_gain(const NetworkOf<T>& network, std::span<const double> x) {
  const Architecture& architecture = network.architecture();
  check_input(architecture, x, "the input");
  const Weights w(network);
  Matrix on_loops = Matrix::Zero(w.a.rows(), w.a.cols());
  for (const Loop& loop : loops(architecture))
    for (const std::size_t k : loop.blocks) {
      const Block& block = architecture.blocks()[k];
      const auto place = [&](auto& matrix) {
        return matrix.block(index(block.row), index(block.col), index(block.rows), index(block.cols));
      };
      place(on_loops) = place(w.a);
    }
  return std::make_unique<AffineFamily>(architecture, w.a - on_loops, on_loops, w.b * vector_of(x) + w.bias,
                                        Vector::Zero(w.a.rows()));
}

#define IRN_INSTANTIATE(T)                                                                             \
  template std::unique_ptr<Family> family_over_input(const NetworkOf<T>&, std::span<const double>,     \
                                                     std::span<const double>);                         \
  template std::unique_ptr<Family> family_over_parameter(const NetworkOf<T>&, std::span<const double>, \
                                                         std::size_t);                                 \
  template std::unique_ptr<Family> family_over_gain(const NetworkOf<T>&, std::span<const double>);
IRN_INSTANTIATE(float)
IRN_INSTANTIATE(double)
#undef IRN_INSTANTIATE

}  // namespace irn
