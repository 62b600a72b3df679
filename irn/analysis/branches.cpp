#include "irn/analysis/branches.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "irn/analysis/continuation-inl.h"
#include "irn/analysis/problem_at-inl.h"
#include "irn/analysis/stability-inl.h"
#include "irn/base/error.h"

namespace irn {
namespace {

using Place = Continuation::Place;

class Tracer {
 public:
  Tracer(const ParameterProblem& problem, const BranchOptions& options)
      : options_(options),
        scale_((options.high - options.low) / 2),
        along_(problem, scale_, options.accuracy),
        longest_(2 * options.step) {}

  // Adds the points after the first one, in the direction of `from`.
  void trace(const Place& from, Branch& branch, BranchEnd& end) {
    Place at = from;
    double length = longest_ / 4;
    for (std::size_t k = 0; k < options_.points; ++k) {
      const std::optional<Place> next = along_.next(at, length, longest_);
      if (!next) return void(end = BranchEnd::lost);
      const bool outside = next->p < options_.low || next->p > options_.high;
      const Place place = outside ? at_border(at, *next) : *next;
      branch.points.push_back(point(place));
      look_for_turnings(at, place, branch);
      if (outside) return void(end = BranchEnd::range);
      if (k > 2 && passes(at, place, from)) return void(end = BranchEnd::closed);
      at = place;
    }
    end = BranchEnd::steps;
  }

  BranchPoint point(const Place& place) const {
    BranchPoint result{place.p, values_of(place.z), 0, 0};
    if (!options_.stability) return result;
    const StateStability stability = stability_of(along_.jacobian(place));
    result.rightmost = stability.rightmost(), result.unstable = stability.unstable();
    return result;
  }
  const Continuation& along() const { return along_; }

 private:
  // The last place within the range, where the branch leaves it.
  Place at_border(const Place& from, const Place& beyond) const {
    const auto outside = [&](const Place& place) {
      return place.p < options_.low || place.p > options_.high;
    };
    Place place = along_.turning(from, beyond.length, outside);
    place.p = std::clamp(place.p, options_.low, options_.high);
    return place;
  }
  // Whether the step from one place to the next passes the beginning of the branch, in the same direction.
  bool passes(const Place& from, const Place& to, const Place& begin) const {
    const double n = double(begin.z.size());
    const auto size = [&](const Vector& dz, double dp) {
      return std::sqrt(dz.squaredNorm() / n + dp * dp / (scale_ * scale_));
    };
    const double step = size(to.z - from.z, to.p - from.p);
    const double past = size(begin.z - from.z, begin.p - from.p) + size(to.z - begin.z, to.p - begin.p);
    const double turn = to.dz.dot(begin.dz) / n + to.dp * begin.dp / (scale_ * scale_);
    return past < 1.05 * step && turn > 0.5;
  }

  void look_for_turnings(const Place& from, const Place& to, Branch& branch) const {
    const bool turns = from.dp * to.dp < 0;
    if (turns) add_turn(from, to, branch);
    if (!options_.stability) return;
    const std::size_t before = branch.points[branch.points.size() - 2].unstable,
                      after = branch.points.back().unstable;
    const std::size_t change = before < after ? after - before : before - after;
    if (change == 2 && !turns) add_crossing_pair(from, to, after, branch);
    if (change == 1 && !turns) add(Turning::crossing, first_with(from, to, after), 0, branch);
  }
  void add(Turning kind, const Place& place, double frequency, Branch& branch) const {
    branch.turnings.push_back({kind, place.p, values_of(place.z), frequency, branch.points.size() - 2});
  }
  // Adds a fold if F_p pushes along the null vector, otherwise a crossing, where this is the branch that
  // turns.
  void add_turn(const Place& from, const Place& to, Branch& branch) const {
    const bool forward = to.dp > 0;
    const Place place =
        along_.turning(from, to.length, [&](const Place& at) { return (at.dp > 0) == forward; });
    const double push = std::abs(left_null_vector(along_.jacobian(place)).dot(along_.slope(place)));
    const double around = std::max(along_.slope(from).norm(), along_.slope(to).norm());
    add(push > 1e-3 * around ? Turning::fold : Turning::crossing, place, 0, branch);
  }
  Place first_with(const Place& from, const Place& to, std::size_t unstable) const {
    return along_.turning(from, to.length, [&](const Place& at) {
      return stability_of(along_.jacobian(at)).unstable() == unstable;
    });
  }
  // Of the eigenvalues there, takes the pair nearest to the axis; two real ones that cross one after the
  // other are no hopf point.
  void add_crossing_pair(const Place& from, const Place& to, std::size_t unstable, Branch& branch) const {
    const Place place = first_with(from, to, unstable);
    const StateStability stability = stability_of(along_.jacobian(place));
    const auto nearer = [](const auto& a, const auto& b) { return std::abs(a.real()) < std::abs(b.real()); };
    const auto crossing =
        *std::min_element(stability.eigenvalues.begin(), stability.eigenvalues.end(), nearer);
    const bool pair = crossing.imag() != 0;
    add(pair ? Turning::hopf : Turning::crossing, place, std::abs(crossing.imag()) / (2 * std::numbers::pi),
        branch);
  }

  BranchOptions options_;
  double scale_;
  Continuation along_;
  double longest_;
};

// The part backwards and the part forwards, as one branch.
Branch joined(Branch back, const Branch& forth) {
  const std::size_t last = back.points.size() - 1;
  std::reverse(back.points.begin(), back.points.end());
  std::reverse(back.turnings.begin(), back.turnings.end());
  for (TurningPoint& t : back.turnings) t.before = last - t.before - 1;
  back.points.insert(back.points.end(), forth.points.begin() + 1, forth.points.end());
  for (TurningPoint t : forth.turnings) t.before += last, back.turnings.push_back(std::move(t));
  std::swap(back.first, back.last);
  back.last = forth.last;
  return back;
}

void check_range(const BranchOptions& options) {
  if (!(options.low < options.high) || !std::isfinite(options.high - options.low))
    throw Error("the range of a branch must go from a number to a larger one");
  if (!(options.step > 0) || !(options.accuracy > 0))
    throw Error("step and accuracy of a branch must be above 0");
}

// Whether a branch passes through (p, z), between two of its points on either side of p.
bool lies_on(const Branch& branch, double p, const Vector& z) {
  for (std::size_t k = 1; k < branch.points.size(); ++k) {
    const BranchPoint &a = branch.points[k - 1], &b = branch.points[k];
    if ((a.p - p) * (b.p - p) > 0 || a.p == b.p) continue;
    const double share = (p - a.p) / (b.p - a.p);
    const Vector from = vector_of(std::span<const double>(a.state)),
                 to = vector_of(std::span<const double>(b.state));
    // The chord is much nearer to the branch than it is long.
    if (same_state(z, from + share * (to - from), 1e-3 + 0.1 * (to - from).cwiseAbs().maxCoeff()))
      return true;
  }
  return false;
}

}  // namespace

Branch branch_through(const ParameterProblem& problem, double p, std::span<const double> z,
                      const BranchOptions& options) {
  check_range(options);
  if (z.size() != problem.size)
    throw Error("a state of " + std::to_string(z.size()) + " numbers for a problem of " +
                std::to_string(problem.size));
  Tracer tracer(problem, options);
  const std::optional<Place> forth = tracer.along().begin(p, vector_of(z), 1);
  if (!forth) return {{}, {}, BranchEnd::lost, BranchEnd::lost};
  Branch ahead{{tracer.point(*forth)}, {}, BranchEnd::range, BranchEnd::range}, behind = ahead;
  if (p < options.high) tracer.trace(*forth, ahead, ahead.last);
  if (ahead.last == BranchEnd::closed) return ahead.first = BranchEnd::closed, ahead;
  Place back = *forth;
  back.dz = -back.dz, back.dp = -back.dp;
  if (p > options.low) tracer.trace(back, behind, behind.last);
  return joined(std::move(behind), ahead);
}

std::vector<Branch> branches(const ParameterProblem& problem, const BranchOptions& options, std::size_t at,
                             const SearchOptions& search) {
  check_range(options);
  SearchOptions own = search;
  if (own.box.low.empty()) own.box = problem.box;
  std::vector<Branch> all;
  for (std::size_t k = 0; k < at; ++k) {
    const double p = options.low + (options.high - options.low) * (double(k) + 0.5) / double(at);
    const Problem here = problem.at(p);
    for (const FoundEquilibrium& found : equilibria_of(here, 0, own).equilibria) {
      const Vector z = vector_of(std::span<const double>(found.state));
      if (std::any_of(all.begin(), all.end(), [&](const Branch& b) { return lies_on(b, p, z); })) continue;
      Branch branch = branch_through(problem, p, found.state, options);
      if (branch.points.size() > 1) all.push_back(std::move(branch));
    }
  }
  return all;
}

}  // namespace irn
