// The exact gradient against the closed forms of the paper's appendices, and on wide networks against dense
// algebra.
#include <gtest/gtest.h>

#include "tests/support/batch_gradient.h"

namespace irn {
namespace {

using Matrix = PlainNetwork::Matrix;
using Vector = Eigen::VectorXd;

// sum_i g_i J_ijm with J = M delta_v, that is (J)_ijm = M_ij v_m: the gradient of the matrix that multiplies
// v.
Matrix contracted(const Vector& g, const Matrix& m, const Vector& v) {
  return m.transpose() * g * v.transpose();
}

Matrix inverse(const Matrix& m) { return m.inverse(); }
Matrix one(Eigen::Index n) { return Matrix::Identity(n, n); }

// The part of a parameter vector that belongs to the connection from -> to.
template <class Values>
Matrix block_of(const Architecture& architecture, const Values& values, std::size_t from, std::size_t to) {
  for (const Block& b : architecture.blocks())
    if (b.from == from && b.to == to)
      return Eigen::Map<const Matrix>(values.data() + b.weights, static_cast<Eigen::Index>(b.rows),
                                      static_cast<Eigen::Index>(b.cols));
  return {};
}
template <class Values>
Vector bias_of(const Architecture& architecture, const Values& values, std::size_t layer) {
  return Eigen::Map<const Vector>(values.data() + architecture.biases() + architecture.first_neuron(layer),
                                  static_cast<Eigen::Index>(architecture.layers()[layer - 1].size));
}
void expect_near(const Matrix& given, const Matrix& want, const char* what) {
  EXPECT_LE((given - want).cwiseAbs().maxCoeff(), 1e-10 * (1 + want.cwiseAbs().maxCoeff())) << what;
}

struct Solved {
  explicit Solved(LossCase given)
      : c(std::move(given)),
        a(c.network.architecture()),
        x(c.inputs[0]),
        g(c.slopes[0]),
        gradient(batch_gradient<double>(c, tight(ExactGradient{})).parameters) {
    const PlainNetwork plain(c.network);
    z = plain.polish(plain.flow_limit(x), x);
    slopes = plain.slopes(z);
  }
  Matrix weights(std::size_t from, std::size_t to) const {
    return block_of(a, c.network.parameters(), from, to);
  }
  Matrix given(std::size_t from, std::size_t to) const { return block_of(a, gradient, from, to); }
  Vector given_bias(std::size_t layer) const { return bias_of(a, gradient, layer); }
  Vector part(const Vector& v, std::size_t layer) const {
    return v.segment(static_cast<Eigen::Index>(a.first_neuron(layer)),
                     static_cast<Eigen::Index>(a.layers()[layer - 1].size));
  }

  LossCase c;
  const Architecture& a;
  Vector x, g;
  std::vector<double> gradient;
  Vector z, slopes;
};

TEST(ClosedForms, OneLayer) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Solved s(LossCase(from_text<Architecture>("3-5"), seed, 0.9, 1));
    const Matrix d = s.slopes.asDiagonal(), j_t = inverse(one(5) - d * s.weights(1, 1)) * d;
    expect_near(s.given(1, 1), contracted(s.g, j_t, s.z), "J_W");
    expect_near(s.given(0, 1), contracted(s.g, j_t, s.x), "J_Q");
    expect_near(s.given_bias(1), j_t.transpose() * s.g, "J_T");
  }
}

// l_1 is the output layer (2 here), l_2 the hidden one (1 here); R leads back from the output.
struct TwoLayers : Solved {
  using Solved::Solved;
  Vector y1 = part(z, 2), y2 = part(z, 1);
  Matrix d1 = part(slopes, 2).asDiagonal(), d2 = part(slopes, 1).asDiagonal();
  Matrix hidden = inverse(one(4) - d2 * weights(1, 1)) * d2;
  Matrix s = inverse(one(3) - d1 * weights(2, 2) - d1 * weights(1, 2) * hidden * weights(2, 1));
  Matrix from_output = s * d1;
  Matrix from_hidden = s * d1 * weights(1, 2) * hidden;
};

TEST(ClosedForms, TwoLayersAllMatrices) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const TwoLayers t(LossCase(from_text<Architecture>("5-4-3"), seed, 0.9, 1));
    expect_near(t.given(2, 2), contracted(t.g, t.from_output, t.y1), "W l1");
    expect_near(t.given(1, 2), contracted(t.g, t.from_output, t.y2), "Q l1");
    expect_near(t.given_bias(2), t.from_output.transpose() * t.g, "T l1");
    expect_near(t.given(0, 1), contracted(t.g, t.from_hidden, t.x), "Q l2");
    expect_near(t.given(2, 1), contracted(t.g, t.from_hidden, t.y1), "R");
    expect_near(t.given(1, 1), contracted(t.g, t.from_hidden, t.y2), "W l2");
    expect_near(t.given_bias(1), t.from_hidden.transpose() * t.g, "T l2");
  }
}

TEST(ClosedForms, TwoLayersWithoutFeedbackReduceToTheFormOfOne) {
  LossCase c(from_text<Architecture>("5-4-3"), 7, 0.9, 1);
  for (const Block& b : c.network.architecture().blocks())
    if (b.from > b.to) std::ranges::fill(c.network.parameters().subspan(b.weights, b.rows * b.cols), 0.0);
  const TwoLayers t(c);
  const Matrix j_t = inverse(one(3) - t.d1 * t.weights(2, 2)) * t.d1;
  expect_near(t.given(2, 2), contracted(t.g, j_t, t.y1), "W l1");
  expect_near(t.given(1, 2), contracted(t.g, j_t, t.y2), "Q l1");
}

// u = (I - D A)^-T g, then dA = (D u) z^T and so on, for the whole network at once.
TEST(ClosedForms, AWideNetworkAgreesWithDenseAlgebra) {
  for (const double gain : {0.8, 2.0}) {
    const Solved s(LossCase(from_text<Architecture>("6-60-50tanh-4"), 3, gain, 1));
    const PlainNetwork plain(s.c.network);
    const Eigen::Index n = s.z.size();
    Vector g = Vector::Zero(n);
    g.tail(4) = s.g;
    const Matrix d = s.slopes.asDiagonal();
    const Vector delta = d * (one(n) - d * plain.a).transpose().lu().solve(g);
    for (const Block& b : s.a.blocks()) {
      const Vector source = b.from_input() ? s.x : s.part(s.z, b.from);
      expect_near(s.given(b.from, b.to), s.part(delta, b.to) * source.transpose(),
                  Architecture::block_name(b).c_str());
    }
  }
}

// z_i = weight z_{i-1} + ..., around a ring of n neurons.
template <class T>
NetworkOf<T> ring(std::size_t n, double weight) {
  const Architecture architecture = from_text<Architecture>("1-" + std::to_string(n) + "identity/lateral");
  std::vector<T> parameters(architecture.parameters(), T(0));
  for (const Block& block : architecture.blocks())
    for (std::size_t i = 0; !block.from_input() && i < n; ++i)
      parameters[block.weights + i * n + (i + n - 1) % n] = static_cast<T>(weight);
  return NetworkOf<T>(architecture, parameters);
}
template <class T>
GradientResult<T> gradient_of_ring(std::size_t n, double weight, OnFold on_fold) {
  ThreadPool threads(1);
  CpuGradient<T> gradient(ring<T>(n, weight), {.on_fold = on_fold}, threads);
  std::vector<T> slopes(n, T(0));
  slopes[7] = 1;
  return gradient.backward(gradient.forward(SampleTable<T>(1, 0, {T(1)}, {}), std::vector<std::uint64_t>{0}),
                           slopes);
}

// u_i = g_i + weight u_{i+1}: back along the ring from neuron 7, all the way round.
template <class T>
void expect_ring(std::size_t n, double weight, double tolerance) {
  SCOPED_TRACE(std::to_string(n) + " neurons, weight " + std::to_string(weight));
  const GradientResult<T> result = gradient_of_ring<T>(n, weight, OnFold::leave_out);
  EXPECT_EQ(name(result.outcomes[0]), "used");
  const double round = 1 / (1 - std::pow(weight, double(n)));
  EXPECT_NEAR(result.amplification[0], round, tolerance * round);
  const std::size_t biases = ring<T>(n, weight).architecture().biases();
  for (std::size_t steps = 0; steps < n; ++steps)
    EXPECT_NEAR(double(result.parameters[biases + (7 + n - steps) % n]),
                std::pow(weight, double(steps)) * round, tolerance * round)
        << steps;
}

TEST(ClosedForms, ARingIsNoFoldHoweverManyProductsItTakes) {
  for (const std::size_t n : {100u, 150u, 400u}) {
    expect_ring<float>(n, 0.99, 5e-4);
    expect_ring<double>(n, 0.99, 1e-10);
  }
}

// 60 vectors gain so little that the search gives up, and it does not report a fold. What is left, a tenth,
// is small enough for `keep`.
TEST(ClosedForms, AnAdjointThatIsNotFoundIsSaidToBeThat) {
  for (const OnFold on_fold : {OnFold::leave_out, OnFold::limit, OnFold::keep}) {
    const auto result = gradient_of_ring<float>(400, 0.9999, on_fold);
    EXPECT_EQ(name(result.outcomes[0]), on_fold == OnFold::keep ? "used" : "no_adjoint");
    EXPECT_TRUE(std::isfinite(result.amplification[0]));
    EXPECT_EQ(result.used, on_fold == OnFold::keep ? 1u : 0u);
  }
}

// A ring z_i = 0.85 z_{i-1} + ...: a Krylov space reaches one neuron further with every product. The 60
// vectors of one cycle leave 0.85^60 = 6e-5, and only more cycles make the answer exact.
TEST(ClosedForms, AWideNetworkIsExactWhereOneCycleOfGmresIsNotEnough) {
  expect_ring<double>(120, 0.85, 1e-10);
  EXPECT_GT(gradient_of_ring<double>(120, 0.85, OnFold::leave_out).products[0], 60);
}

}  // namespace
}  // namespace irn
