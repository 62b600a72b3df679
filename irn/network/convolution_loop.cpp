#include "irn/network/convolution_loop.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace irn {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Symbol = Eigen::MatrixXcd;
using Offset = std::pair<int, int>;  // rows, columns
using Taps = std::map<Offset, Matrix>;

const Convolution& convolution_of(const Block& block) {
  const auto* plain = std::get_if<Convolution>(&block.op);
  return plain ? *plain : std::get<TransposedConvolution>(block.op).of;
}

// Calls visit(offset, out channel, in channel, number) for the numbers of a kernel.
template <class Visit>
void each_number(const ConvolutionShape& c, const Visit& visit) {
  std::size_t number = 0;
  for (std::size_t o = 0; o < c.out_channels; ++o)
    for (std::size_t i = 0; i < c.group_inputs(); ++i)
      for (std::size_t k = 0; k < c.kernel_height; ++k)
        for (std::size_t l = 0; l < c.kernel_width; ++l, ++number)
          visit(
              Offset{int(k * c.dilation) - int(c.padding_height), int(l * c.dilation) - int(c.padding_width)},
              Index(o), Index(o / c.group_outputs() * c.group_inputs() + i), number);
}

Offset opposite(Offset offset) { return {-offset.first, -offset.second}; }

// Frequencies of a grid, `fineness` times as fine as the degree, and what polynomials may rise between them, as a share of their size.
struct Grid {
  std::vector<std::pair<double, double>> frequencies;
  double rise = 0;

  Grid(const Taps& taps, std::size_t fineness) {
    int rows = 0, columns = 0;
    for (const auto& [offset, _] : taps)
      rows = std::max(rows, std::abs(offset.first)), columns = std::max(columns, std::abs(offset.second));
    const std::size_t down = rows == 0 ? 1 : fineness * std::size_t(rows),
                      across = columns == 0 ? 1 : fineness * std::size_t(columns);
    const double turn = 2 * std::numbers::pi, between = std::numbers::pi / double(fineness);
    rise = 1 - std::cos((rows > 0 ? between : 0) + (columns > 0 ? between : 0));
    for (std::size_t y = 0; y < down; ++y)
      for (std::size_t x = 0; x < across; ++x) {
        const std::size_t other = (down - y) % down * across + (across - x) % across;
        if (other >= y * across + x)  // the symbol at -t is the conjugate of that at t
          frequencies.emplace_back(turn * double(y) / double(down), turn * double(x) / double(across));
      }
  }
};

std::complex<double> phase(Offset offset, std::pair<double, double> t) {
  return std::polar(1.0, offset.first * t.first + offset.second * t.second);
}

Symbol symbol_at(const Taps& taps, std::pair<double, double> t) {
  Symbol sum = Symbol::Zero(taps.begin()->second.rows(), taps.begin()->second.cols());
  for (const auto& [offset, w] : taps) sum += phase(offset, t) * w.cast<std::complex<double>>();
  return sum;
}

// What roundings may amount to in eigenvalues of matrices of this size: far more than they do.
double rounding(Index channels, double size) { return 1e-13 * double(channels) * size; }

// The largest eigenvalue on a grid, and a bound of it everywhere.
struct Largest {
  double on_grid, everywhere;
};
Largest largest_eigenvalue(const Taps& taps, std::size_t fineness) {
  const Grid grid(taps, fineness);
  double largest = -std::numeric_limits<double>::infinity(), size = 0;
  for (const auto& t : grid.frequencies) {
    const Symbol h = symbol_at(taps, t);
    const Eigen::SelfAdjointEigenSolver<Symbol> solver(h, Eigen::EigenvaluesOnly);
    largest = std::max(largest, solver.eigenvalues()[h.rows() - 1]);
    size = std::max(size, solver.eigenvalues().cwiseAbs().maxCoeff());
  }
  size /= 1 - grid.rise;  // between grid points, too
  return {largest, largest + size * grid.rise + rounding(taps.begin()->second.rows(), size)};
}

Largest largest_singular_value(const Taps& taps, std::size_t fineness) {
  const Grid grid(taps, fineness);
  double square = 0;
  for (const auto& t : grid.frequencies) {
    const Symbol k = symbol_at(taps, t);
    const Symbol h = k.rows() <= k.cols() ? Symbol(k * k.adjoint()) : Symbol(k.adjoint() * k);
    const Eigen::SelfAdjointEigenSolver<Symbol> solver(h, Eigen::EigenvaluesOnly);
    square = std::max(square, solver.eigenvalues()[h.rows() - 1]);
  }
  const double on_grid = std::sqrt(square), size = on_grid / (1 - grid.rise);
  return {on_grid, size * (1 + 1e-7)};  // the square root of a rounding in the square
}

// Whether all eigenvalues lie below, by Cholesky's method: far cheaper than the eigenvectors.
bool all_below(const Symbol& h, double bound) {
  Symbol rest = -h;
  rest.diagonal().array() += bound;
  return Eigen::LLT<Eigen::Ref<Symbol>>(rest).info() == Eigen::Success;
}

// Fine enough to be told apart from its neighbours; finer ones decide close cases.
constexpr std::size_t finenesses[] = {16, 32, 64, 128};

// A kernel of the loop that adds to one part of X; `weight` is half of the geometric mean of the layers' slopes.
struct Kernel {
  ConvolutionShape shape;
  std::size_t weights;  // where its numbers begin
  bool turned;          // its transpose is what counts: opposite offsets, matrices transposed
};

}  // namespace

// One entry of the small matrix: a layer with itself, or two layers of the loop and one way between them. Kernels with the same stride
// and direction are added before they are measured.
struct ConvolutionLoop::Parts {
  struct Part {
    Index row, col;
    double weight;
    std::vector<Kernel> kernels;
    bool lateral() const { return row == col; }
    template <class T>
    Taps taps(const T* parameters) const;
    template <class T>
    void add(const Taps& change, T* parameters) const;
  };
  std::vector<Part> parts;
  Index layers = 0;
  std::size_t channels = 0;

  // How much of the bound a part may have: the sums of a row of the small matrix are held below it.
  double share(const Part& part) const {
    if (layers == 1) return 1;
    std::vector<double> ways(std::size_t(layers), 0.0);
    for (const Part& p : parts)
      ways[std::size_t(p.row)] += 1, ways[std::size_t(p.col)] += p.lateral() ? 0 : 1;
    return 1 / std::max(ways[std::size_t(part.row)], ways[std::size_t(part.col)]);
  }
};

// S of a layer with itself, symmetric by itself; K between layers.
template <class T>
Taps ConvolutionLoop::Parts::Part::taps(const T* parameters) const {
  Taps taps;
  const auto at = [&](Offset offset, Index rows, Index cols) -> Matrix& {
    Matrix& m = taps[offset];
    if (m.size() == 0) m = Matrix::Zero(rows, cols);
    return m;
  };
  for (const Kernel& kernel : kernels) {
    const Index out = Index(kernel.shape.out_channels), in = Index(kernel.shape.in_channels);
    each_number(kernel.shape, [&](Offset offset, Index o, Index i, std::size_t number) {
      const double w = weight * double(parameters[kernel.weights + number]);
      if (!kernel.turned || lateral()) at(offset, out, in)(o, i) += w;
      if (kernel.turned || lateral()) at(opposite(offset), in, out)(i, o) += w;
    });
  }
  return taps;
}

// Numbers += what the part's kernels can take of a change of its taps; of several kernels each takes its share.
template <class T>
void ConvolutionLoop::Parts::Part::add(const Taps& change, T* parameters) const {
  const double each = 1 / (2 * weight * double(kernels.size())) * (lateral() ? 1 : 2);
  for (const Kernel& kernel : kernels)
    each_number(kernel.shape, [&](Offset offset, Index o, Index i, std::size_t number) {
      const auto found = change.find(kernel.turned ? opposite(offset) : offset);
      if (found == change.end()) return;
      T& w = parameters[kernel.weights + number];
      w = static_cast<T>(double(w) + each * (kernel.turned ? found->second(i, o) : found->second(o, i)));
    });
}

bool ConvolutionLoop::fits(const Architecture& architecture, const Loop& loop) {
  return std::ranges::all_of(loop.blocks, [&](std::size_t b) {
    const Operator& op = architecture.blocks()[b].op;
    return std::holds_alternative<Convolution>(op) || std::holds_alternative<TransposedConvolution>(op);
  });
}

ConvolutionLoop::ConvolutionLoop(const Architecture& architecture, const Loop& loop)
    : parts_(std::make_unique<Parts>()) {
  std::map<std::size_t, Index> place;
  for (const std::size_t l : loop.layers) {
    place[l] = parts_->layers++;
    parts_->channels = std::max(parts_->channels, architecture.layers()[l - 1].shape.channels);
  }
  using Key = std::tuple<Index, Index, std::size_t, bool>;
  std::map<Key, std::size_t> known;
  for (const std::size_t index : loop.blocks) {
    const Block& block = architecture.blocks()[index];
    const Index low = std::min(place[block.from], place[block.to]),
                high = std::max(place[block.from], place[block.to]);
    const ConvolutionShape shape = convolution_of(block).geometry();
    // Of the two ways between layers the one upwards counts: a block that leads down counts by its transpose, and a transposed convolution is one already.
    const bool transposed = std::holds_alternative<TransposedConvolution>(block.op),
               down = low == place[block.to] && low != high, against = transposed != down;
    const bool turned =
        against && shape.stride == 1;  // without stride the transpose is a convolution as well
    const Key key{high, low, shape.stride, against && !turned};
    const auto slope = [&](std::size_t l) { return max_slope(architecture.layers()[l - 1].activation); };
    const double weight = 0.5 * std::sqrt(slope(block.from) * slope(block.to));
    if (!known.contains(key)) {
      known[key] = parts_->parts.size();
      parts_->parts.push_back({high, low, weight, {}});
    }
    parts_->parts[known[key]].kernels.push_back({shape, block.weights, turned});
  }
}
ConvolutionLoop::~ConvolutionLoop() = default;
ConvolutionLoop::ConvolutionLoop(ConvolutionLoop&&) noexcept = default;

std::size_t ConvolutionLoop::channels() const { return parts_->channels; }

template <class T>
double ConvolutionLoop::bound(const T* parameters, double limit) const {
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t fineness : finenesses) {
    Matrix upper = Matrix::Zero(parts_->layers, parts_->layers), on_grid = upper;
    for (const auto& part : parts_->parts) {
      const Taps taps = part.taps(parameters);
      for (const auto& [_, w] : taps)
        if (!w.allFinite()) return std::numeric_limits<double>::infinity();
      if (part.lateral()) {
        const Largest found = largest_eigenvalue(taps, fineness);
        upper(part.row, part.row) += found.everywhere, on_grid(part.row, part.row) += found.on_grid;
        continue;
      }
      const Largest found = largest_singular_value(taps, fineness);
      upper(part.row, part.col) += found.everywhere, on_grid(part.row, part.col) += found.on_grid;
      upper(part.col, part.row) += found.everywhere, on_grid(part.col, part.row) += found.on_grid;
    }
    const auto largest = [](const Matrix& m) {
      return Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
    };
    best = std::min(best, largest(upper));
    if (best < limit || largest(on_grid) >= limit) break;
  }
  return best;
}

template <class T>
void ConvolutionLoop::reduce(T* parameters, double bound, double share) const {
  for (const auto& part : parts_->parts) {
    const Taps taps = part.taps(parameters);
    const double most = bound * parts_->share(part);
    if (!part.lateral()) {
      const double size = largest_singular_value(taps, finenesses[0]).everywhere;
      Taps change = taps;
      for (auto& [_, w] : change) w *= share * (most / size - 1);
      if (size > most) part.add(change, parameters);
      continue;
    }
    // What exceeds, at every frequency, back in the taps; the worst of it tells how much of it they take.
    const Grid grid(taps, 8);
    Taps change;
    for (const auto& [offset, w] : taps) change[offset] = Matrix::Zero(w.rows(), w.cols());
    double worst = most;
    std::pair<double, double> where;
    Eigen::VectorXcd direction;
    for (const auto& t : grid.frequencies) {
      const Symbol h = symbol_at(taps, t);
      if (!h.allFinite()) return;
      if (all_below(h, most)) continue;
      const Eigen::SelfAdjointEigenSolver<Symbol> solver(h);
      const Index n = h.rows();
      if (solver.eigenvalues()[n - 1] <= most) continue;
      Index first = n - 1;
      while (first > 0 && solver.eigenvalues()[first - 1] > most) --first;
      const auto vectors = solver.eigenvectors().rightCols(n - first);
      const Symbol excess = vectors *
                            (solver.eigenvalues().tail(n - first).array() - most).matrix().asDiagonal() *
                            vectors.adjoint();
      for (auto& [offset, w] : change) w -= (std::conj(phase(offset, t)) * excess).real();
      if (solver.eigenvalues()[n - 1] > worst)
        worst = solver.eigenvalues()[n - 1], where = t, direction = solver.eigenvectors().col(n - 1);
    }
    if (worst <= most) continue;
    const double taken = -(direction.adjoint() * symbol_at(change, where) * direction).value().real();
    for (auto& [_, w] : change) w *= share * (worst - most) / taken;
    part.add(change, parameters);
  }
}

template <class T>
void ConvolutionLoop::scale(T* parameters, double factor) const {
  for (const auto& part : parts_->parts)
    for (const Kernel& kernel : part.kernels)
      for (std::size_t i = 0; i < kernel.shape.numbers(); ++i)
        parameters[kernel.weights + i] = static_cast<T>(double(parameters[kernel.weights + i]) * factor);
}

#define IRN_CONVOLUTION_LOOP(T)                                       \
  template double ConvolutionLoop::bound<T>(const T*, double) const;  \
  template void ConvolutionLoop::reduce<T>(T*, double, double) const; \
  template void ConvolutionLoop::scale<T>(T*, double) const;
IRN_CONVOLUTION_LOOP(float)
IRN_CONVOLUTION_LOOP(double)
#undef IRN_CONVOLUTION_LOOP

}  // namespace irn
