#include "irn/analysis/bifurcation.h"

#include <algorithm>
#include <cmath>

#include "irn/analysis/arclength-inl.h"

namespace irn {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double shortest_step = 1e-7;
// A step that turns the tangent by more than this (18 degrees) is halved: the picture stays round, and no corner is cut onto another curve.
constexpr double least_cosine = 0.95;

double q_of(const CurvePoint& point) { return point.u(point.u.size() - 1); }
bool within(const CurvePoint& point) { return q_of(point) >= 0 && q_of(point) <= 1; }

std::vector<double> state_of(const VectorXd& u) { return {u.begin(), u.end() - 1}; }

// Something happens on the way from a to b.
bool differs(const CurvePoint& a, const CurvePoint& b) {
  return a.turning() != b.turning() || a.unstable != b.unstable;
}

// Follows one curve in one direction.
class Follower {
 public:
  Follower(const Curve& curve, const BifurcationOptions& options) : curve_(curve), options_(options) {}

  struct Way {
    std::vector<CurvePoint> points;
    std::vector<SpecialPoint> specials;
    BranchEnd end = BranchEnd::length;
  };

  Way follow(const CurvePoint& start) {
    way_ = {};
    way_.points.push_back(start);
    double s = options_.longest_step / 4;
    while (way_.points.size() < options_.most_points) {
      std::optional<CurvePoint> next = careful_step(s);
      if (!next) return ended(BranchEnd::lost);
      if (!within(*next)) return close_at_edge(*next);
      const bool closed = way_.points.size() > 3 && passes(start, way_.points.back(), *next);
      accept(std::move(*next), last_step_);
      if (closed) return ended(BranchEnd::closed);
    }
    return ended(BranchEnd::length);
  }

 private:
  Way ended(BranchEnd end) {
    way_.end = end;
    return std::move(way_);
  }

  // The next point, by the longest step up to `s` that succeeds; `s` becomes what to try next.
  std::optional<CurvePoint> careful_step(double& s) {
    const CurvePoint& from = way_.points.back();
    for (; s >= shortest_step; s /= 2) {
      std::optional<CurvePoint> next = curve_.step(from, s);
      if (!next || curve_.product(from.tangent, next->tangent) < least_cosine ||
          curve_.length(next->u - from.u) > 2 * s)
        continue;
      last_step_ = s;
      s = std::min(1.5 * s, options_.longest_step);
      return next;
    }
    return {};
  }

  Way close_at_edge(const CurvePoint& beyond) {
    const CurvePoint from = way_.points.back();
    const double edge = q_of(beyond) < 0 ? 0 : 1;
    if (q_of(from) != edge)
      if (std::optional<CurvePoint> last = curve_.at(edge, from, beyond))
        accept(std::move(*last), curve_.length(last->u - from.u));
    return ended(BranchEnd::range);
  }

  // Whether the step from a to b goes by the start, in its direction.
  bool passes(const CurvePoint& start, const CurvePoint& a, const CurvePoint& b) const {
    const double ahead = curve_.product(a.tangent, start.u - a.u), step = curve_.length(b.u - a.u);
    return ahead >= 0 && ahead <= step && curve_.product(a.tangent, start.tangent) > least_cosine &&
           curve_.length(start.u - a.u - ahead * a.tangent) < 0.2 * step;
  }

  void accept(CurvePoint next, double s) {
    const CurvePoint from = way_.points.back();
    if (differs(from, next)) locate(from, 0, from, s, next);
    way_.points.push_back(std::move(next));
  }

  // The special points between a and b, which lie steps of length `low` and `high` ahead of `from`.
  void locate(const CurvePoint& from, double low, const CurvePoint& a, double high, const CurvePoint& b) {
    constexpr double one_event =
        1e-5;  // a fold and its eigenvalue's crossing are the same point, but for rounding
    if (!differs(a, b)) return;
    const double middle = (low + high) / 2;
    const std::optional<CurvePoint> m = high - low > one_event ? curve_.step(from, middle) : std::nullopt;
    if (!m) return classify(from, low, a, high, b);
    locate(from, low, a, middle, *m);
    locate(from, middle, *m, high, b);
  }

  void classify(const CurvePoint& from, double low, CurvePoint a, double high, CurvePoint b) {
    const bool fold = a.turning() != b.turning();
    const std::size_t crossing = a.unstable > b.unstable ? a.unstable - b.unstable : b.unstable - a.unstable;
    constexpr double finest = 1e-12;
    while (high - low > finest) {
      const double middle = (low + high) / 2;
      std::optional<CurvePoint> m = curve_.step(from, middle);
      if (!m || middle == low || middle == high) break;
      const bool later = fold ? m->turning() == a.turning() : m->unstable == a.unstable;
      (later ? low : high) = middle;
      (later ? a : b) = std::move(*m);
    }
    const bool pair = crossing == 2 && b.frequency > 0;
    const Special kind = fold ? Special::fold : pair ? Special::hopf : Special::branch;
    way_.specials.push_back({kind, curve_.p_of(b.u), state_of(b.u), kind == Special::hopf ? b.frequency : 0,
                             way_.points.size() - 1});
  }

  const Curve& curve_;
  const BifurcationOptions& options_;
  Way way_;
  double last_step_ = 0;
};

// Backwards along one way, then along the other.
Branch joined(const Curve& curve, const Follower::Way& back, const Follower::Way& ahead) {
  Branch branch{.first = back.end, .last = ahead.end};
  const auto add = [&](const CurvePoint& point) {
    branch.points.push_back({curve.p_of(point.u), state_of(point.u), point.unstable});
  };
  for (std::size_t k = back.points.size(); k-- > 1;) add(back.points[k]);
  const std::size_t start = branch.points.size();
  for (const CurvePoint& point : ahead.points) add(point);
  for (auto special = back.specials.rbegin(); special != back.specials.rend(); ++special) {
    branch.specials.push_back(*special);
    branch.specials.back().after = start - special->after - 1;
  }
  for (SpecialPoint special : ahead.specials) {
    special.after += start;
    branch.specials.push_back(std::move(special));
  }
  return branch;
}

// Whether u lies on the branch: where the branch crosses its p, is that the same equilibrium?
bool lies_on(const Curve& curve, const Branch& branch, const VectorXd& u) {
  constexpr double same = 1e-6;
  const double p = curve.p_of(u);
  for (std::size_t k = 0; k + 1 < branch.points.size(); ++k) {
    const BranchPoint &a = branch.points[k], &b = branch.points[k + 1];
    if (std::min(a.p, b.p) > p || std::max(a.p, b.p) < p) continue;
    const double share = a.p == b.p ? 0 : (p - a.p) / (b.p - a.p);
    std::vector<double> z(a.z);
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += share * (b.z[i] - a.z[i]);
    const std::optional<VectorXd> there = curve.polish(p, z);
    if (there && curve.length(*there - u) < same) return true;
  }
  return false;
}

Branch branch_through(Curve& curve, const VectorXd& u, const BifurcationOptions& options) {
  CurvePoint start = curve.begin(u);
  Follower follower(curve, options);
  const Follower::Way ahead = follower.follow(start);
  if (ahead.end == BranchEnd::closed) return joined(curve, {{start}, {}, BranchEnd::closed}, ahead);
  start.tangent *= -1;
  return joined(curve, follower.follow(start), ahead);
}

}  // namespace

std::vector<Branch> bifurcation(const Family& family, const std::vector<EquilibriumAt>& starts,
                                const BifurcationOptions& options) {
  std::vector<Branch> branches;
  Curve curve(family, options);
  for (const EquilibriumAt& start : starts) {
    if (!(start.p >= options.low && start.p <= options.high)) continue;
    const std::optional<VectorXd> u = curve.polish(start.p, start.z);
    if (!u || std::any_of(branches.begin(), branches.end(),
                          [&](const Branch& branch) { return lies_on(curve, branch, *u); }))
      continue;
    branches.push_back(branch_through(curve, *u, options));
  }
  return branches;
}

}  // namespace irn
