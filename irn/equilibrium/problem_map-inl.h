// A problem of the caller's as a LaneMap: each lane is copied out as a row, answered by the caller's
// function, and copied back.
#if defined(IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_
#undef IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_
#else
#define IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_
#endif

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "irn/base/aligned.h"
#include "irn/equilibrium/problem_rows.h"
#include "irn/kernels/lu-inl.h"
#include "irn/network/lane_map-inl.h"

IRN_LANES_BEGIN

// The entries of  shift I - J, where every lane has its own J.
struct ShiftedLaneJacobian {
  LaneMatrix<Doubles> jacobian;
  Doubles shift;
  IRN_INLINE Doubles operator()(std::size_t i, std::size_t j) const {
    return (i == j ? shift : Doubles()) - jacobian(i, j);
  }
};

class ProblemMap {
 public:
  static constexpr std::size_t width = Doubles::width;

  // `most`: problems at a time.
  ProblemMap(const BatchProblem& problem, RowCalls& calls, std::size_t most, bool dense)
      : problem_(problem),
        rows_(calls),
        n_(problem.size),
        calls_(most, 0),
        z_(n_),
        f_(n_),
        jacobian_(problem.jacobian || dense ? n_ * n_ : 0),
        factors_(dense ? n_ * n_ : 0) {}

  // The caller's problems from number `first` on are 0, 1, ... here; they start at the rows of `starts`.
  void begin(std::size_t first, const double* starts) {
    first_ = first, starts_ = starts, loaded_ = 0;
    std::fill(calls_.begin(), calls_.end(), 0);
  }
  // How many rows of F and products with its Jacobian a problem has asked for.
  std::uint32_t calls(std::size_t problem) const { return calls_[problem]; }
  // The memory of the map and of what it hands to the caller at a time.
  std::size_t bytes() const {
    const std::size_t rows = z_.size() * 2 * std::max(rows_at_once, width);
    return (rows / width + 2 * jacobian_.size() + factors_.size()) * sizeof(Doubles);
  }

  void load(std::span<const Placed> placed, Doubles* z, Doubles* f) {
    resume(placed);
    unsigned lanes = 0;
    for (const Placed& p : placed) {
      scatter(starts_ + p.problem * n_, z, p.lane);
      lanes |= 1u << p.lane;
    }
    values(lanes, z, f);
  }
  void load_group(std::size_t first, std::size_t count, Doubles* z, Doubles* f) {
    Placed placed[width];
    for (std::size_t lane = 0; lane < count; ++lane) placed[lane] = {lane, first + lane};
    load({placed, count}, z, f);
  }
  void resume(std::span<const Placed> placed) {
    for (const Placed& p : placed) in_lane_[p.lane] = p.problem, loaded_ |= 1u << p.lane;
  }
  void retire(unsigned lanes) { loaded_ &= ~lanes; }

  void apply(const Doubles* z, Doubles* f) { values(loaded_, z, f); }

  void linearise(const Doubles* z, const Doubles* f) {
    std::copy_n(z, n_, z_.data());
    std::copy_n(f, n_, f_.data());
    fresh_ = false;
  }

  void linearise_at(std::span<const std::size_t> problems, const Doubles* z) {
    std::copy(problems.begin(), problems.end(), in_lane_);
    loaded_ = (1u << problems.size()) - 1;
    apply(z, f_.data());
    std::copy_n(z, n_, z_.data());
    fresh_ = false;
  }

  // J of one problem at a state, row-major.
  void jacobian_at(std::size_t problem, const double* state, std::span<double> out) {
    if (jacobian_.empty()) jacobian_ = AlignedBuffer<Doubles>(n_ * n_);
    AlignedBuffer<Doubles> z(n_);
    scatter(state, z.data(), 0);
    linearise_at({&problem, 1}, z.data());
    form_jacobian();
    for (std::size_t k = 0; k < n_ * n_; ++k) out[k] = jacobian_[k].lane(0);
  }

  void jacobian_times(const Doubles* v, Doubles* out) {
    if (problem_.jacobian_times) return ask_products(v, out);
    if (!problem_.jacobian) return difference_along(v, out);
    form_jacobian();
    for (std::size_t i = 0; i < n_; ++i) {
      Doubles sum;
      for (std::size_t j = 0; j < n_; ++j)
        sum = mul_add(LaneMatrix<Doubles>{jacobian_.data(), n_}(i, j), v[j], sum);
      out[i] = sum;
    }
  }

  void factor(const Doubles& shift) {
    form_jacobian();
    const ShiftedLaneJacobian source{{jacobian_.data(), n_}, shift};
    irn::IRN_LANES::factor(LaneMatrix<Doubles>{factors_.data(), n_}, source);
  }
  void solve(Doubles* x) {
    irn::IRN_LANES::solve<Doubles, false>(LaneMatrix<Doubles>{factors_.data(), n_}, x);
  }
  Doubles determinant_sign() {
    return irn::IRN_LANES::determinant_sign(LaneMatrix<Doubles>{factors_.data(), n_});
  }

 private:
  // A Jacobian is formed by columns, this many rows at a time: those of a thousand groups fit into memory.
  static constexpr std::size_t rows_at_once = 64;

  void gather(const Doubles* v, std::size_t lane, double* out) const {
    for (std::size_t i = 0; i < n_; ++i) out[i] = v[i].lane(lane);
  }
  void scatter(const double* in, Doubles* v, std::size_t lane) const {
    for (std::size_t i = 0; i < n_; ++i) v[i].lane(lane) = in[i];
  }
  // Room for questions about the problems in these lanes, `each` for each lane.
  RowCalls::Rows ask(Ask what, unsigned lanes, std::size_t each = 1) {
    const RowCalls::Rows rows = rows_.room(what, static_cast<std::size_t>(std::popcount(lanes)) * each);
    std::size_t* index = rows.index;
    for_lanes(lanes, [&](std::size_t lane) {
      index = std::fill_n(index, each, first_ + in_lane_[lane]);
      if (what != Ask::jacobian) calls_[in_lane_[lane]] += static_cast<std::uint32_t>(each);
    });
    return rows;
  }

  void values(unsigned lanes, const Doubles* z, Doubles* f) {
    if (lanes == 0) return;
    double* row = ask(Ask::value, lanes).z;
    for_lanes(lanes, [&](std::size_t lane) { gather(z, lane, row), row += n_; });
    take_rows(lanes, f);
  }
  void take_rows(unsigned lanes, Doubles* out) {
    const double* row = rows_.answer();
    for_lanes(lanes, [&](std::size_t lane) { scatter(row, out, lane), row += n_; });
  }

  void form_jacobian() {
    if (fresh_ || loaded_ == 0) return;
    fresh_ = true;
    if (problem_.jacobian) return ask_jacobian();
    const std::size_t most = std::max<std::size_t>(rows_at_once / width, 1);
    for (std::size_t first = 0; first < n_; first += most) {
      const std::size_t count = std::min(most, n_ - first);
      problem_.jacobian_times ? multiply_columns(first, count) : difference_columns(first, count);
    }
  }
  void ask_jacobian() {
    double* row = ask(Ask::jacobian, loaded_).z;
    for_lanes(loaded_, [&](std::size_t lane) { gather(z_.data(), lane, row), row += n_; });
    const double* entries = rows_.answer();
    for_lanes(loaded_, [&](std::size_t lane) {
      for (std::size_t k = 0; k < n_ * n_; ++k) jacobian_[k].lane(lane) = *entries++;
    });
  }
  // Calls body(lane, column, k) for the k-th question about these columns, for all of them.
  template <class Body>
  void for_columns(std::size_t first, std::size_t count, const Body& body) const {
    std::size_t k = 0;
    for_lanes(loaded_, [&](std::size_t lane) {
      for (std::size_t j = first; j < first + count; ++j) body(lane, j, k++);
    });
  }
  // Products with unit vectors.
  void multiply_columns(std::size_t first, std::size_t count) {
    const RowCalls::Rows rows = ask(Ask::product, loaded_, count);
    for_columns(first, count, [&](std::size_t lane, std::size_t j, std::size_t k) {
      gather(z_.data(), lane, rows.z + k * n_);
      std::fill_n(rows.v + k * n_, n_, 0.0);
      rows.v[k * n_ + j] = 1;
    });
    const double* out = rows_.answer();
    for_columns(first, count, [&](std::size_t lane, std::size_t j, std::size_t k) {
      for (std::size_t i = 0; i < n_; ++i) jacobian_[i * n_ + j].lane(lane) = out[k * n_ + i];
    });
  }
  // One-sided differences; the step balances rounding and curvature.
  void difference_columns(std::size_t first, std::size_t count) {
    double* z = ask(Ask::value, loaded_, count).z;
    for_columns(first, count, [&](std::size_t lane, std::size_t j, std::size_t k) {
      gather(z_.data(), lane, z + k * n_);
      z[k * n_ + j] += step_for(std::abs(z_[j].lane(lane)));
    });
    const double* f = rows_.answer();
    for_columns(first, count, [&](std::size_t lane, std::size_t j, std::size_t k) {
      const double step = step_for(std::abs(z_[j].lane(lane)));
      for (std::size_t i = 0; i < n_; ++i)
        jacobian_[i * n_ + j].lane(lane) = (f[k * n_ + i] - f_[i].lane(lane)) / step;
    });
  }
  static double step_for(double size) {
    return std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, size);
  }

  static double largest(const Doubles* v, std::size_t lane, std::size_t n) {
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(v[i].lane(lane)));
    return most;
  }
  // The lanes in which v is not zero. Nothing is asked for the others: J v = 0.
  unsigned directions(const Doubles* v, Doubles* out) {
    unsigned lanes = 0;
    for_lanes(loaded_, [&](std::size_t lane) { lanes |= unsigned{largest(v, lane, n_) > 0} << lane; });
    std::fill_n(out, n_, Doubles());
    return lanes;
  }
  void ask_products(const Doubles* v, Doubles* out) {
    const unsigned lanes = directions(v, out);
    if (lanes == 0) return;
    RowCalls::Rows rows = ask(Ask::product, lanes);
    for_lanes(lanes, [&](std::size_t lane) {
      gather(z_.data(), lane, rows.z), rows.z += n_;
      gather(v, lane, rows.v), rows.v += n_;
    });
    take_rows(lanes, out);
  }
  void difference_along(const Doubles* v, Doubles* out) {
    const unsigned lanes = directions(v, out);
    if (lanes == 0) return;
    double step[width] = {}, *z = ask(Ask::value, lanes).z;
    for_lanes(lanes, [&](std::size_t lane) {
      step[lane] = step_for(largest(z_.data(), lane, n_)) / largest(v, lane, n_);
      for (std::size_t i = 0; i < n_; ++i) *z++ = z_[i].lane(lane) + step[lane] * v[i].lane(lane);
    });
    take_rows(lanes, out);
    for_lanes(lanes, [&](std::size_t lane) {
      for (std::size_t i = 0; i < n_; ++i)
        out[i].lane(lane) = (out[i].lane(lane) - f_[i].lane(lane)) / step[lane];
    });
  }

  const BatchProblem& problem_;
  RowCalls& rows_;
  std::size_t n_, first_ = 0;
  const double* starts_ = nullptr;
  std::vector<std::uint32_t> calls_;
  AlignedBuffer<Doubles> z_, f_, jacobian_, factors_;
  std::size_t in_lane_[width] = {};
  unsigned loaded_ = 0;  // the lanes that hold a problem, as bits
  bool fresh_ = false;
};

IRN_LANES_END

#endif
