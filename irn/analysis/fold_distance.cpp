#include "irn/analysis/fold_distance.h"

#include <cmath>

#include "irn/analysis/continuation-inl.h"
#include "irn/analysis/linearised-inl.h"
#include "irn/analysis/problem_at-inl.h"
#include "irn/base/decompositions-inl.h"
#include "irn/base/error.h"
#include "irn/base/random.h"

namespace irn {
namespace {

using Place = Continuation::Place;

template <class T>
class FoldSearch {
 public:
  FoldSearch(const NetworkOf<T>& network, std::span<const T> x, Vector z, const FoldOptions& options)
      : network_(network), dynamics_(network), x_(x), z_(std::move(z)), options_(options) {}

  std::optional<NearestFold> run() {
    for (const Vector& direction : first_directions()) improve(direction);
    return std::move(best_);
  }

 private:
  struct Met {
    Place place;
    Vector normal;  // of the surface of folds, length 1, pointing away from x
  };

  // B^T D w for the smallest singular values, both ways.
  std::vector<Vector> first_directions() const {
    const Vector slopes = dynamics_.slopes_at(z_, dynamics_.drive(vector_of(x_)));
    const Eigen::Index n = slopes.size();
    const Eigen::MatrixXd left =
        singular_values(Eigen::MatrixXd::Identity(n, n) - Eigen::MatrixXd(dynamics_.jacobian(slopes)),
                        SingularVectors::left)
            .left;
    std::vector<Vector> all;
    const auto add = [&](const Vector& w, const Vector& d) {
      const Vector normal = normal_of(w, d);
      if (normal.norm() > 0) all.push_back(normal), all.push_back(-normal);
    };
    for (Eigen::Index k = 0; k < std::min(n, index_of(options_.directions)); ++k)
      add(left.col(n - 1 - k), slopes);
    for (std::size_t k = 0; k < options_.random; ++k) add(random_vector(n, k), Vector::Ones(n));
    return all;
  }
  static Vector random_vector(Eigen::Index n, std::size_t number) {
    const Stream stream(1, number);
    Vector v(n);
    for (Eigen::Index i = 0; i < n; ++i) v[i] = stream.normal(static_cast<std::uint64_t>(i));
    return v;
  }
  Vector normal_of(const Vector& w, const Vector& slopes) const {
    const Vector normal = dynamics_.b_transposed_times(slopes.cwiseProduct(w));
    return normal.norm() > 1e-12 ? Vector(normal.normalized()) : Vector::Zero(normal.size());
  }

  // Goes from x along a direction of length 1 to the first fold of the branch, if that is nearer than
  // `limit`.
  std::optional<Met> walk(const Vector& direction, double limit) const {
    const ParameterProblem ray = along_direction<T>(network_, x_, span_of(direction));
    // Steps are at most a fiftieth of the range, and at most 0.1 in the states.
    constexpr double longest = 0.1;
    const Continuation along(ray, options_.range / 5, 1e-11);
    double length = longest / 8;
    std::optional<Place> at = along.begin(0, z_, 1);
    for (int step = 0; at && step < 1000; ++step) {
      const std::optional<Place> next = along.next(*at, length, longest);
      if (!next || next->p > limit) return {};
      if (next->dp < 0) return met(along, *at, *next, direction);
      at = next;
    }
    return {};
  }
  std::optional<Met> met(const Continuation& along, const Place& from, const Place& to,
                         const Vector& direction) const {
    Met found{along.turning(from, to.length, [](const Place& place) { return place.dp < 0; }), {}};
    const Vector slopes =
        dynamics_.slopes_at(found.place.z, dynamics_.drive(vector_of(x_) + found.place.p * direction));
    found.normal = normal_of(left_null_vector(dynamics_.jacobian(slopes)), slopes);
    if (found.normal.dot(direction) < 0) found.normal = -found.normal;
    return found;
  }

  // Turns towards the normal of the fold found, as long as that leads nearer.
  void improve(Vector direction) {
    constexpr double parallel = 1 - 1e-7;  // cosine; the distance is then off by no more than this
    std::optional<Met> found =
        walk(direction, best_ ? std::min(options_.range, 2 * best_->distance) : options_.range);
    double share = 1;
    for (std::size_t turn = 0; found && turn < options_.turns && share > 1e-3; ++turn) {
      const bool normal = found->normal.dot(direction) > parallel;
      keep(*found, direction, normal);
      if (normal || found->normal.norm() == 0) return;
      const Vector turned = (direction + share * (found->normal - direction)).normalized();
      if (std::optional<Met> nearer = walk(turned, found->place.p))
        direction = turned, found = std::move(nearer), share = std::min(1.0, 2 * share);
      else
        share /= 2;
    }
    if (found) keep(*found, direction, false);
  }
  void keep(const Met& found, const Vector& direction, bool normal) {
    const double distance = found.place.p;
    if (best_ && distance > best_->distance * (1 - 1e-9) &&
        !(normal && distance < best_->distance * (1 + 1e-6)))
      return;
    best_ = NearestFold{distance, values_of(direction), values_of(vector_of(x_) + distance * direction),
                        values_of(found.place.z), normal};
  }

  const NetworkOf<T>& network_;
  Dynamics dynamics_;
  std::span<const T> x_;
  Vector z_;
  FoldOptions options_;
  std::optional<NearestFold> best_;
};

}  // namespace

template <class T>
SmallestSingular smallest_singular(const NetworkOf<T>& network, std::span<const T> x,
                                   std::span<const double> z) {
  const Dynamics dynamics(network);
  check_state(dynamics, x.size(), z.size());
  check_dense(dynamics, "the smallest singular value");
  return Linearised(dynamics, dynamics.slopes_at(vector_of(z), dynamics.drive(vector_of(x))))
      .smallest_singular();
}

template <class T>
FoldDistance fold_distance(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z,
                           const FoldOptions& options) {
  FoldDistance result{smallest_singular(network, x, z), options.range, {}};
  if (!(options.range > 0)) throw Error("the range in which a fold is looked for must be above 0");
  const Problem problem = network_problem(network, x);
  const std::optional<Vector> exact = ProblemAt(problem, 0).polished(vector_of(z));
  if (!exact) throw Error("the state is no equilibrium: the way to a fold starts from one");
  result.fold = FoldSearch<T>(network, x, *exact, options).run();
  return result;
}

template SmallestSingular smallest_singular(const NetworkOf<float>&, std::span<const float>,
                                            std::span<const double>);
template SmallestSingular smallest_singular(const NetworkOf<double>&, std::span<const double>,
                                            std::span<const double>);
template FoldDistance fold_distance(const NetworkOf<float>&, std::span<const float>, std::span<const double>,
                                    const FoldOptions&);
template FoldDistance fold_distance(const NetworkOf<double>&, std::span<const double>,
                                    std::span<const double>, const FoldOptions&);

}  // namespace irn
