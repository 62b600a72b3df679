// A Problem of the caller's as a LaneMap: each lane is copied out, handed to the caller's function and copied back.
#if defined(IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_
#undef IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_
#else
#define IRN_EQUILIBRIUM_PROBLEM_MAP_INL_H_
#endif

#include <cmath>
#include <limits>
#include <vector>

#include "irn/base/aligned.h"
#include "irn/equilibrium/problem.h"
#include "irn/kernels/lu-inl.h"
#include "irn/network/lane_map-inl.h"

IRN_LANES_BEGIN

// The entries of  shift I - J  where every lane has its own J.
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

  // The caller's problems from number `first` on are 0, 1, ... here.
  ProblemMap(const Problem& problem, std::size_t first, std::size_t count, bool dense)
      : problem_(problem),
        first_(first),
        n_(problem.size),
        calls_(count, 0),
        lane_z_(n_),
        lane_f_(n_),
        row_major_(problem.jacobian || dense ? n_ * n_ : 0),
        z_(n_),
        f_(n_),
        jacobian_(problem.jacobian || dense ? n_ * n_ : 0),
        factors_(dense ? n_ * n_ : 0) {}

  std::uint32_t calls(std::size_t problem) const { return calls_[problem]; }

  void load(std::span<const Placed> placed, Doubles* z, Doubles* f) {
    resume(placed);
    for (const Placed& p : placed) {
      std::fill(lane_z_.begin(), lane_z_.end(), 0.0);
      if (problem_.start) problem_.start(first_ + p.problem, lane_z_);
      scatter(lane_z_, z, p.lane);
      call(p.lane);
      scatter(lane_f_, f, p.lane);
    }
  }
  void load_group(std::size_t first, std::size_t count, Doubles* z, Doubles* f) {
    Placed placed[width];
    for (std::size_t lane = 0; lane < count; ++lane) placed[lane] = {lane, first + lane};
    load({placed, count}, z, f);
  }
  void resume(std::span<const Placed> placed) {
    for (const Placed& p : placed) in_lane_[p.lane] = p.problem, loaded_[p.lane] = true;
  }
  void retire(unsigned lanes) {
    for_lanes(lanes, [&](std::size_t lane) { loaded_[lane] = false; });
  }

  void apply(const Doubles* z, Doubles* f) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (!loaded_[lane]) continue;
      gather(z, lane, lane_z_);
      call(lane);
      scatter(lane_f_, f, lane);
    }
  }

  void linearise(const Doubles* z, const Doubles* f) {
    std::copy_n(z, n_, z_.data());
    std::copy_n(f, n_, f_.data());
    fresh_ = false;
  }

  void linearise_at(std::span<const std::size_t> problems, const Doubles* z) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      loaded_[lane] = lane < problems.size();
      if (loaded_[lane]) in_lane_[lane] = problems[lane];
    }
    apply(z, f_.data());
    std::copy_n(z, n_, z_.data());
    fresh_ = false;
  }

  void jacobian_times(const Doubles* v, Doubles* out) {
    if (problem_.jacobian) {
      form_jacobian();
      for (std::size_t i = 0; i < n_; ++i) {
        Doubles sum;
        for (std::size_t j = 0; j < n_; ++j)
          sum = mul_add(LaneMatrix<Doubles>{jacobian_.data(), n_}(i, j), v[j], sum);
        out[i] = sum;
      }
      return;
    }
    for (std::size_t lane = 0; lane < width; ++lane)
      if (loaded_[lane]) difference_along(lane, v, out);
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
  void gather(const Doubles* v, std::size_t lane, std::vector<double>& out) const {
    for (std::size_t i = 0; i < n_; ++i) out[i] = v[i].lane(lane);
  }
  void scatter(const std::vector<double>& in, Doubles* v, std::size_t lane) const {
    for (std::size_t i = 0; i < n_; ++i) v[i].lane(lane) = in[i];
  }
  void call(std::size_t lane) {
    problem_.map(first_ + in_lane_[lane], lane_z_, lane_f_);
    ++calls_[in_lane_[lane]];
  }

  void form_jacobian() {
    if (fresh_) return;
    fresh_ = true;
    for (std::size_t lane = 0; lane < width; ++lane)
      if (loaded_[lane]) problem_.jacobian ? ask_jacobian(lane) : difference_jacobian(lane);
  }
  void ask_jacobian(std::size_t lane) {
    gather(z_.data(), lane, lane_z_);
    problem_.jacobian(first_ + in_lane_[lane], lane_z_, row_major_);
    scatter_jacobian(lane);
  }
  void scatter_jacobian(std::size_t lane) {
    for (std::size_t k = 0; k < n_ * n_; ++k) jacobian_[k].lane(lane) = row_major_[k];
  }
  // One-sided differences; the step balances rounding and curvature.
  void difference_jacobian(std::size_t lane) {
    const double root = std::sqrt(std::numeric_limits<double>::epsilon());
    gather(z_.data(), lane, lane_z_);
    for (std::size_t j = 0; j < n_; ++j) {
      const double kept = lane_z_[j], step = root * std::max(1.0, std::abs(kept));
      lane_z_[j] = kept + step;
      call(lane);
      for (std::size_t i = 0; i < n_; ++i) row_major_[i * n_ + j] = (lane_f_[i] - f_[i].lane(lane)) / step;
      lane_z_[j] = kept;
    }
    scatter_jacobian(lane);
  }
  void difference_along(std::size_t lane, const Doubles* v, Doubles* out) {
    double size = 0, direction = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      size = std::max(size, std::abs(z_[i].lane(lane)));
      direction = std::max(direction, std::abs(v[i].lane(lane)));
    }
    const double root = std::sqrt(std::numeric_limits<double>::epsilon());
    const double step = direction > 0 ? root * std::max(1.0, size) / direction : 0;
    for (std::size_t i = 0; i < n_; ++i) lane_z_[i] = z_[i].lane(lane) + step * v[i].lane(lane);
    if (step > 0) call(lane);
    for (std::size_t i = 0; i < n_; ++i)
      out[i].lane(lane) = step > 0 ? (lane_f_[i] - f_[i].lane(lane)) / step : 0;
  }

  const Problem& problem_;
  std::size_t first_, n_;
  std::vector<std::uint32_t> calls_;
  std::vector<double> lane_z_, lane_f_, row_major_;
  AlignedBuffer<Doubles> z_, f_, jacobian_, factors_;
  std::size_t in_lane_[width] = {};
  bool loaded_[width] = {};
  bool fresh_ = false;
};

IRN_LANES_END

#endif
