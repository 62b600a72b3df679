#include "irn/analysis/certificates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "irn/analysis/diagonal_stability-inl.h"
#include "irn/analysis/stability-inl.h"
#include "irn/base/decompositions-inl.h"
#include "irn/network/certificate.h"
#include "irn/network/convolution_loop.h"
#include "irn/network/operator_algebra.h"

namespace irn {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double none = -std::numeric_limits<double>::infinity();

// One loop: A over its neurons, how far an entry may be off if operators were multiplied out, and the neurons'
// smallest and largest slopes.
struct LoopMatrix {
  std::vector<Eigen::Index> neurons;
  Matrix a, errors;
  Vector high, low;

  // S A and its errors; exact, since slopes are powers of two.
  Matrix scaled() const { return high.asDiagonal() * a; }
  Matrix scaled_errors() const { return high.asDiagonal() * errors; }
};

template <class T>
LoopMatrix matrix_of(const NetworkOf<T>& network, const Loop& loop,
                     const std::vector<Eigen::Index>& neurons) {
  const Architecture& architecture = network.architecture();
  const Eigen::Index n = index_of(loop.neurons);
  LoopMatrix result{neurons, Matrix::Zero(n, n), Matrix::Zero(n, n), Vector(n), Vector(n)};
  for (const std::size_t k : loop.blocks) {
    const Block& b = architecture.blocks()[k];
    const DenseBlock w = dense_in_double(b, network.parameters().data() + b.weights);
    const auto add = [&](const std::vector<double>& entries, Matrix& to) {
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      to.block(index_of(loop.first[b.to]), index_of(loop.first[b.from]), index_of(b.rows),
               index_of(b.cols)) +=
          Eigen::Map<const Rows>(entries.data(), index_of(b.rows), index_of(b.cols));
    };
    add(w.entries, result.a);
    if (!w.errors.empty()) add(w.errors, result.errors);
  }
  for (const std::size_t l : loop.layers) {
    const auto& [size, f, shape] = architecture.layers()[l - 1];
    result.high.segment(index_of(loop.first[l]), index_of(size)).setConstant(max_slope(f));
    result.low.segment(index_of(loop.first[l]), index_of(size)).setConstant(min_slope(f));
  }
  return result;
}

// The largest of d_i r_i over slopes d_i in their range, with r_i = (A' w)_i / w_i. A' is A with all entries
// made positive; for the flow the diagonal keeps its signs.
double weighted_bound(const LoopMatrix& loop, const Vector& w, bool flow) {
  Matrix positive = loop.a.cwiseAbs();
  if (flow) positive.diagonal() = loop.a.diagonal();
  const Vector rows = (positive * w).cwiseQuotient(w);
  double largest = none;
  for (Eigen::Index i = 0; i < rows.size(); ++i)
    largest = std::max(largest, (rows[i] > 0 ? loop.high[i] : loop.low[i]) * rows[i]);
  return largest;
}

// w that makes all (N w)_i / w_i nearly equal, to Perron's eigenvalue of N = S A': power iteration on N + c
// I, which has no negative entry.
// Any w > 0 gives a bound; the iteration only makes it a good one.
Vector perron_weights(const LoopMatrix& loop, bool flow) {
  Matrix n = loop.high.asDiagonal() * loop.a.cwiseAbs();
  if (flow) n.diagonal() = loop.high.cwiseProduct(loop.a.diagonal());
  n.diagonal().array() +=
      std::max(0.0, -n.diagonal().minCoeff()) + 0.1 * n.cwiseAbs().rowwise().sum().maxCoeff();
  Vector w = Vector::Ones(n.rows());
  for (int k = 0; k < 2000; ++k) {
    const Vector next = n * w;
    const Vector ratio = next.cwiseQuotient(w);
    if (!(ratio.maxCoeff() > (1 + 1e-9) * ratio.minCoeff())) break;
    w = (next / next.maxCoeff()).cwiseMax(1e-100);
  }
  return w;
}

double euclidean_bound(const Matrix& m) {
  const Eigen::MatrixXd square = m.transpose() * m;
  return std::sqrt(std::max(0.0, symmetric_eigenvalues(square).maxCoeff()));
}

// Merges a certificate of one loop into that of the network: the worst bound counts, and the certificate
// holds if it holds for all loops.
void join(Certificate& whole, const LoopMatrix& loop, double bound, bool holds,
          const Vector* weights = nullptr) {
  whole.bound = std::max(whole.bound, bound);
  whole.holds &= holds;
  for (std::size_t k = 0; weights && k < loop.neurons.size(); ++k)
    whole.weights[static_cast<std::size_t>(loop.neurons[k])] = (*weights)[index_of(k)];
}

class Collector {
 public:
  explicit Collector(std::size_t neurons) {
    for (std::size_t k = 0; k < certificate_names.size(); ++k) {
      const auto kind = static_cast<CertificateKind>(k);
      const bool weighs = kind == CertificateKind::diagonal_stability ||
                          kind == CertificateKind::weighted_maximum_norm ||
                          kind == CertificateKind::iteration;
      all.push_back({kind, none, true, std::vector<double>(weighs ? neurons : 0, 1.0)});
    }
  }

  void add(const LoopMatrix& loop, const CertificateOptions& options) {
    add_weighted(loop, true, CertificateKind::weighted_maximum_norm);
    add_weighted(loop, false, CertificateKind::iteration);
    const double plain = weighted_bound(loop, Vector::Ones(loop.a.rows()), true);
    join(of(CertificateKind::maximum_norm), loop, plain, below_one(plain, loop, Vector::Ones(loop.a.rows())));
    const Matrix m = loop.scaled();
    const double norm = euclidean_bound(m);
    join(of(CertificateKind::euclidean_norm), loop, norm,
         norm < 1 && proves_contraction(m, loop.scaled_errors()));
    add_diagonal(loop, m, options);
  }
  // A loop too large for add(), but bounded without a matrix.
  void add_bounded(const LoopMatrix& loop, double bound) {
    for (Certificate& certificate : all)
      certificate.kind == CertificateKind::diagonal_stability ? join(certificate, loop, bound, bound < 1)
                                                              : join(certificate, loop, HUGE_VAL, false);
  }
  // A loop too large for add().
  void add_unknown(const LoopMatrix& loop) {
    for (Certificate& certificate : all) join(certificate, loop, HUGE_VAL, false);
  }

  std::vector<Certificate> all;

 private:
  Certificate& of(CertificateKind kind) { return all[static_cast<std::size_t>(kind)]; }
  // Sums of n products and a quotient are off by at most (n + 2) eps times the same sums of absolute values, and
  // by the errors of A; twice that is used.
  static bool below_one(double bound, const LoopMatrix& loop, const Vector& w) {
    const double size = weighted_bound(loop, w, false);
    const double errors = (loop.scaled_errors() * w).cwiseQuotient(w).maxCoeff();
    return bound + 2 * ((double(w.size()) + 2) * eps * (1 + size) + errors) < 1;
  }
  void add_weighted(const LoopMatrix& loop, bool flow, CertificateKind kind) {
    const Vector w = perron_weights(loop, flow);
    const double bound = weighted_bound(loop, w, flow);
    join(of(kind), loop, bound, below_one(bound, loop, w), &w);
  }
  void add_diagonal(const LoopMatrix& loop, const Matrix& m, const CertificateOptions& options) {
    Vector p = loop.high.cwiseInverse();
    if (loop.neurons.size() <= options.optimised) {
      const DiagonalStability best = best_diagonal(m, options.accuracy);
      if (best.bound < diagonal_bound(m, p)) p = rounded_weights(best.p);
    }
    const double bound = diagonal_bound(m, p);
    join(of(CertificateKind::diagonal_stability), loop, bound,
         bound < 1 && proves_stability(m, loop.scaled_errors(), p), &p);
  }
};

}  // namespace

std::string_view promise(CertificateKind kind) {
  switch (kind) {
    case CertificateKind::diagonal_stability:
      return "one equilibrium for every input, which the flow reaches from everywhere";
    case CertificateKind::weighted_maximum_norm:
      return "one equilibrium for every input; the flow contracts to it from everywhere at a known rate, in "
             "a weighted maximum norm";
    case CertificateKind::maximum_norm:
      return "one equilibrium for every input; the flow contracts to it from everywhere at a known rate, in "
             "the maximum norm";
    case CertificateKind::euclidean_norm:
      return "one equilibrium for every input; flow and plain iteration contract to it from everywhere, in "
             "the Euclidean norm";
    case CertificateKind::iteration:
      return "one equilibrium for every input; flow and plain iteration contract to it from everywhere, in a "
             "weighted maximum norm";
  }
  return "";
}

const Certificate* Certificates::strongest() const {
  const auto found = std::find_if(all.begin(), all.end(), [](const Certificate& c) { return c.holds; });
  return found == all.end() ? nullptr : &*found;
}

template <class T>
Certificates certificates(const NetworkOf<T>& network, const CertificateOptions& options) {
  const Dynamics dynamics(network);
  Certificates result;
  result.recurrent = network.architecture().recurrent();
  Collector collector(dynamics.neurons());
  const std::vector<Loop> all = loops(network.architecture());
  result.plain_bound = none;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const bool small = all[k].neurons <= largest_analysed_loop;
    if (!small && ConvolutionLoop::fits(network.architecture(), all[k])) {
      const double bound = ConvolutionLoop(network.architecture(), all[k]).bound(network.parameters().data());
      collector.add_bounded({.neurons = dynamics.loops()[k]}, bound);
      result.plain_bound = std::max(result.plain_bound, bound);
      continue;
    }
    if (!small) {
      collector.add_unknown({.neurons = dynamics.loops()[k]});
      result.plain_bound = HUGE_VAL;
      continue;
    }
    const LoopMatrix loop = matrix_of(network, all[k], dynamics.loops()[k]);
    collector.add(loop, options);
    result.plain_bound =
        std::max(result.plain_bound, diagonal_bound(loop.scaled(), loop.high.cwiseInverse()));
  }
  result.all = std::move(collector.all);
  const Vector rest = Vector::Zero(index_of(dynamics.neurons()));
  const Vector nothing = Vector::Zero(index_of(network.architecture().inputs()));
  result.at_rest = stability_of(dynamics, dynamics.slopes_at(rest, dynamics.drive(nothing)));
  return result;
}
template Certificates certificates(const NetworkOf<float>&, const CertificateOptions&);
template Certificates certificates(const NetworkOf<double>&, const CertificateOptions&);

}  // namespace irn
