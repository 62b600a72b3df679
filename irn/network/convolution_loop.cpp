#include "irn/network/convolution_loop.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "irn/base/decompositions-inl.h"

namespace irn {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Symbol = Eigen::MatrixXcd;
using Offset = std::pair<int, int>;  // rows, columns
using Taps = std::map<Offset, Matrix>;
using Frequency = std::pair<double, double>;  // likewise

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

// The largest distance of a tap from the middle.
struct Degrees {
  int rows = 0, columns = 0;
  explicit Degrees(const Taps& taps) {
    for (const auto& [offset, _] : taps)
      rows = std::max(rows, std::abs(offset.first)), columns = std::max(columns, std::abs(offset.second));
  }
};

// A grid of frequencies, with `fineness` times the degree points along each axis. Each point stands for its
// cell, the frequencies nearer to it than to other points.
struct Grid {
  std::vector<Frequency> frequencies;
  double half_row, half_column;  // from a point to the border of its cell

  Grid(const Degrees& degrees, std::size_t fineness) {
    const std::size_t down = degrees.rows == 0 ? 1 : fineness * std::size_t(degrees.rows),
                      across = degrees.columns == 0 ? 1 : fineness * std::size_t(degrees.columns);
    half_row = std::numbers::pi / double(down), half_column = std::numbers::pi / double(across);
    for (std::size_t y = 0; y < down; ++y)
      for (std::size_t x = 0; x < across; ++x) {
        const std::size_t other = (down - y) % down * across + (across - x) % across;
        if (other >= y * across + x)  // the symbol at -t is the conjugate of that at t
          frequencies.emplace_back(2 * half_row * double(y), 2 * half_column * double(x));
      }
  }
};

// How much a polynomial may rise from a grid point to its largest value in the cell, as a share of its size.
double rise(const Degrees& degrees, std::size_t fineness) {
  const double angle = std::numbers::pi / double(fineness);
  return 1 - std::cos((degrees.rows > 0 ? angle : 0) + (degrees.columns > 0 ? angle : 0));
}

std::complex<double> phase(Offset offset, Frequency t) {
  return std::polar(1.0, offset.first * t.first + offset.second * t.second);
}

Symbol symbol_at(const Taps& taps, Frequency t) {
  const Index rows = taps.begin()->second.rows(), cols = taps.begin()->second.cols();
  Matrix real = Matrix::Zero(rows, cols), imaginary = real;
  for (const auto& [offset, w] : taps) {
    const std::complex<double> turn = phase(offset, t);
    real += turn.real() * w, imaginary += turn.imag() * w;
  }
  return real.cast<std::complex<double>>() +
         std::complex<double>(0, 1) * imaginary.cast<std::complex<double>>();
}

// A bound, far too large, of rounding errors in eigenvalues of matrices of this size.
double rounding(Index channels, double size) { return 1e-13 * double(channels) * size; }

double largest_eigenvalue(const Symbol& h) { return hermitian_eigenvalues(h)[h.rows() - 1]; }

// Whether all eigenvalues are below `bound`, by Cholesky's method: far cheaper than the eigenvalues.
bool all_below(const Symbol& h, double bound) {
  Symbol rest = -h;
  rest.diagonal().array() += bound;
  return cholesky_succeeds(rest);
}

// risen(): the bound in a cell for an eigenvalue e at its grid point. before(): the e with the bound b.
// For a layer with itself: by an amount, a share of the variation of its symbol.
struct ByAmount {
  double size;
  double risen(double e, double rise) const { return e + size * rise; }
  double before(double b, double rise) const { return b - size * rise; }
  double cheap(double) const { return 0.02 * size; }  // an accuracy that a coarse grid has
};
// For squares of singular values: by a factor.
struct ByShare {
  double risen(double e, double rise) const { return e / std::pow(1 - rise, 2); }
  double before(double b, double rise) const { return b * std::pow(1 - rise, 2); }
  double cheap(double e) const { return 0.04 * e; }
};

// A bound of the largest eigenvalue of h(t) over all frequencies t. If that is above `limit`, the bound
// exceeds it by half a per cent. If it is below, by half the distance to `limit`, but at most by the accuracy
// of a coarse grid and at least by a thousandth. Cells that cannot contain the largest are dropped; in the
// others the grid is made finer.
template <class At, class Rising>
double largest_everywhere(const Degrees& degrees, double limit, const At& h, const Rising& rising) {
  constexpr std::size_t coarse = 16, finest = 1024;
  if (degrees.rows == 0 && degrees.columns == 0)
    return largest_eigenvalue(h(Frequency(0, 0)));  // h is constant
  double found = -std::numeric_limits<double>::infinity(), bound = found;
  const auto answer = [&] {
    const double room = limit - found, size = std::abs(found) + 1e-17;
    return found +
           (room > 0 ? std::max(0.001 * size, std::min(0.5 * room, rising.cheap(found))) : 0.005 * size);
  };
  const std::vector<double> rows = degrees.rows > 0 ? std::vector{-0.5, 0.5} : std::vector{0.0},
                            columns = degrees.columns > 0 ? std::vector{-0.5, 0.5} : std::vector{0.0};
  Grid grid(degrees, coarse);
  for (std::size_t fineness = coarse; !grid.frequencies.empty(); fineness *= 2) {
    const double between = rise(degrees, fineness);
    std::vector<Frequency> finer;
    for (const auto& t : grid.frequencies) {
      const Symbol here = h(t);
      if (std::isfinite(found) && all_below(here, rising.before(answer(), between))) continue;
      if (!std::isfinite(found) || !all_below(here, found)) found = std::max(found, largest_eigenvalue(here));
      if (fineness == finest)
        bound = std::max(bound, rising.risen(found, between));
      else
        for (const double y : rows)
          for (const double x : columns)
            finer.emplace_back(t.first + y * grid.half_row, t.second + x * grid.half_column);
    }
    grid.frequencies = std::move(finer);
    grid.half_row /= 2, grid.half_column /= 2;
  }
  return std::max(bound, answer());
}

// For a layer with itself.
double bound_of_eigenvalues(const Taps& taps, double limit) {
  const Degrees degrees(taps);
  const Index channels = taps.begin()->second.rows();
  const auto middle = taps.find({0, 0});
  const Symbol constant = middle == taps.end() ? Symbol::Zero(channels, channels).eval()
                                               : Symbol(middle->second.cast<std::complex<double>>());
  double size = 0;  // of v* (h(t) - constant) v, for any v
  constexpr std::size_t rough = 8;
  for (const auto& t : Grid(degrees, rough).frequencies)
    size = std::max(size, hermitian_eigenvalues(symbol_at(taps, t) - constant).cwiseAbs().maxCoeff());
  size /= 1 - rise(degrees, rough);
  const double bound =
      largest_everywhere(degrees, limit, [&](const auto& t) { return symbol_at(taps, t); }, ByAmount{size});
  return bound + rounding(channels, std::abs(bound) + size + constant.cwiseAbs().rowwise().sum().maxCoeff());
}

// Between two layers: from the symbol times its adjoint, whose eigenvalues are squares.
double bound_of_singular_values(const Taps& taps, double limit) {
  const double square = largest_everywhere(
      Degrees(taps), limit * limit,
      [&](const auto& t) {
        const Symbol k = symbol_at(taps, t);
        return k.rows() <= k.cols() ? Symbol(k * k.adjoint()) : Symbol(k.adjoint() * k);
      },
      ByShare{});
  return std::sqrt(square) * (1 + 1e-7);  // for rounding in the square
}

// A kernel of the loop that adds to one part of X.
struct Kernel {
  ConvolutionShape shape;
  std::size_t weights;  // where its numbers begin
  bool turned;          // take its transpose: opposite offsets, transposed matrices
};

}  // namespace

// Each part adds to one entry of the small matrix: a layer with itself, or a pair of layers. Kernels between
// two layers with the same stride and direction are one part: they are added before they are bounded.
struct ConvolutionLoop::Parts {
  struct Part {
    Index row, col;
    double weight;  // half of the geometric mean of the layers' slopes
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

  // The share of the bound that a part may have, so that the row sums of the small matrix stay below the
  // bound.
  double share(const Part& part) const {
    if (layers == 1) return 1;
    std::vector<double> ways(std::size_t(layers), 0.0);
    for (const Part& p : parts)
      ways[std::size_t(p.row)] += 1, ways[std::size_t(p.col)] += p.lateral() ? 0 : 1;
    return 1 / std::max(ways[std::size_t(part.row)], ways[std::size_t(part.col)]);
  }
};

// For a layer with itself the taps of S, which are symmetric; between layers those of the kernel.
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

// Adds a change of the part's taps to the numbers of its kernels, as far as these have such taps; several
// kernels share it.
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
  return std::ranges::all_of(
      loop.blocks, [&](std::size_t b) { return convolution_of(architecture.blocks()[b].op) != nullptr; });
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
    const ConvolutionShape shape = convolution_of(block.op)->geometry();
    // Parts lead upwards: a block that leads down is replaced by its transpose. A transposed convolution is
    // one already.
    const bool transposed = std::holds_alternative<TransposedConvolution>(block.op),
               down = low == place[block.to] && low != high, against = transposed != down;
    const bool turned = against && shape.stride == 1;  // with stride 1 the transpose is a convolution, too
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
  Matrix upper = Matrix::Zero(parts_->layers, parts_->layers);
  for (const auto& part : parts_->parts) {
    const Taps taps = part.taps(parameters);
    for (const auto& [_, w] : taps)
      if (!w.allFinite()) return std::numeric_limits<double>::infinity();
    const double most = limit * parts_->share(part);
    const double found =
        part.lateral() ? bound_of_eigenvalues(taps, most) : bound_of_singular_values(taps, most);
    upper(part.row, part.col) += found;
    if (!part.lateral()) upper(part.col, part.row) += found;
  }
  return symmetric_eigenvalues(upper).maxCoeff();
}

template <class T>
void ConvolutionLoop::reduce(T* parameters, double bound, double share, std::size_t fineness) const {
  for (const auto& part : parts_->parts) {
    const Taps taps = part.taps(parameters);
    const double most = bound * parts_->share(part);
    if (!part.lateral()) {
      const double size = bound_of_singular_values(taps, most);
      Taps change = taps;
      for (auto& [_, w] : change) w *= share * (most / size - 1);
      if (size > most) part.add(change, parameters);
      continue;
    }
    // The taps of the excess at all frequencies. Its effect at the worst frequency gives the scale of the
    // change.
    const Grid grid(Degrees(taps), fineness);
    Taps change;
    for (const auto& [offset, w] : taps) change[offset] = Matrix::Zero(w.rows(), w.cols());
    double worst = most;
    Frequency where;
    Eigen::VectorXcd direction;
    for (const auto& t : grid.frequencies) {
      const Symbol h = symbol_at(taps, t);
      if (!h.allFinite()) return;
      if (all_below(h, most)) continue;
      const auto [values, vectors] = hermitian_eigen(h);
      const Index n = h.rows();
      if (values[n - 1] <= most) continue;
      Index first = n - 1;
      while (first > 0 && values[first - 1] > most) --first;
      const auto above = vectors.rightCols(n - first);
      const Symbol excess =
          above * (values.tail(n - first).array() - most).matrix().asDiagonal() * above.adjoint();
      for (auto& [offset, w] : change) w -= (std::conj(phase(offset, t)) * excess).real();
      if (values[n - 1] > worst) worst = values[n - 1], where = t, direction = vectors.col(n - 1);
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

#define IRN_CONVOLUTION_LOOP(T)                                                    \
  template double ConvolutionLoop::bound<T>(const T*, double) const;               \
  template void ConvolutionLoop::reduce<T>(T*, double, double, std::size_t) const; \
  template void ConvolutionLoop::scale<T>(T*, double) const;
IRN_CONVOLUTION_LOOP(float)
IRN_CONVOLUTION_LOOP(double)
#undef IRN_CONVOLUTION_LOOP

}  // namespace irn
