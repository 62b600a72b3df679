#include "irn/analysis/continuation-inl.h"

#include <cmath>

#include "irn/base/decompositions-inl.h"

namespace irn {
namespace {

// The bordered system [J - I, F_p; border] of n + 1 unknowns.
Eigen::PartialPivLU<Matrix> bordered(const Matrix& jacobian, const Vector& slope, const Vector& border_z,
                                     double border_p) {
  const Eigen::Index n = jacobian.rows();
  Matrix whole(n + 1, n + 1);
  whole.topLeftCorner(n, n) = jacobian - Matrix::Identity(n, n);
  whole.topRightCorner(n, 1) = slope;
  whole.bottomLeftCorner(1, n) = border_z.transpose();
  whole(n, n) = border_p;
  return whole.partialPivLu();
}

}  // namespace

Vector Continuation::residual(const Vector& z, double p) const {
  Vector f(z.size());
  problem_.map(p, span_of(z), {f.data(), problem_.size});
  return f - z;
}
Matrix Continuation::jacobian(const Place& place) const {
  Matrix j(place.z.size(), place.z.size());
  problem_.jacobian(place.p, span_of(place.z), {j.data(), problem_.size * problem_.size});
  return j;
}
Vector Continuation::slope(const Place& place) const {
  Vector out(place.z.size());
  problem_.slope(place.p, span_of(place.z), {out.data(), problem_.size});
  return out;
}

// Finds the tangent that makes an acute angle with (dz, dp).
bool Continuation::turn_to_tangent(Place& place, const Vector& dz, double dp) const {
  const Eigen::Index n = place.z.size();
  Vector right = Vector::Zero(n + 1);
  right[n] = 1;
  const Vector t =
      bordered(jacobian(place), slope(place), dz / double(n), dp / (scale_ * scale_)).solve(right);
  const double length = std::sqrt(dot(t.head(n), t[n], t.head(n), t[n]));
  if (!t.allFinite() || !(length > 0)) return false;
  place.dz = t.head(n) / length, place.dp = t[n] / length;
  return true;
}

std::optional<Continuation::Place> Continuation::begin(double p, const Vector& z, int heading) const {
  const Eigen::Index n = z.size();
  Place place{z, p, Vector::Zero(n), heading * scale_};
  for (int k = 0; k < 20; ++k) {
    const Vector r = residual(place.z, p);
    const Vector step = (Matrix::Identity(n, n) - jacobian(place)).partialPivLu().solve(r);
    if (!step.allFinite()) return {};
    place.z += step;
    if (step.cwiseAbs().maxCoeff() <= accuracy_ * std::max(1.0, place.z.cwiseAbs().maxCoeff())) {
      if (!turn_to_tangent(place, place.dz, place.dp)) return {};
      return place;
    }
  }
  return {};
}

std::optional<Continuation::Place> Continuation::step(const Place& from, double length) const {
  constexpr int most = 8;
  const Eigen::Index n = from.z.size();
  Place place{from.z + length * from.dz, from.p + length * from.dp, {}, 0, length};
  const Vector border = from.dz / double(n);
  const double border_p = from.dp / (scale_ * scale_);
  for (int k = 0; k < most; ++k) {
    Vector right(n + 1);
    right.head(n) = -residual(place.z, place.p);
    right[n] = -(border.dot(place.z - from.z) + border_p * (place.p - from.p) - length);
    const Vector change = bordered(jacobian(place), slope(place), border, border_p).solve(right);
    if (!change.allFinite()) return {};
    place.z += change.head(n), place.p += change[n];
    if (std::sqrt(dot(change.head(n), change[n], change.head(n), change[n])) > 2 * length) return {};
    if (change.head(n).cwiseAbs().maxCoeff() <= accuracy_ * std::max(1.0, place.z.cwiseAbs().maxCoeff()))
      return turn_to_tangent(place, from.dz, from.dp) ? std::optional(place) : std::nullopt;
  }
  return {};
}

std::optional<Continuation::Place> Continuation::next(const Place& from, double& length,
                                                      double longest) const {
  // A tangent that turns by more than 25 degrees in a step may belong to another branch, unless even the
  // smallest step turns that much: a kink.
  constexpr double straight = 0.9;
  const double shortest = 1e-5 * longest;
  for (;; length /= 2) {
    const std::optional<Place> place = step(from, length);
    if (place) {
      const double cosine = dot(place->dz, place->dp, from.dz, from.dp);
      if (cosine > straight || length < shortest) {
        if (cosine > 0.99) length = std::min(2 * length, longest);
        return place;
      }
    }
    if (length < shortest) return {};
  }
}

Vector left_null_vector(const Matrix& jacobian) {
  const Eigen::Index n = jacobian.rows();
  return singular_values(Eigen::MatrixXd::Identity(n, n) - jacobian, SingularVectors::left).left.col(n - 1);
}

}  // namespace irn
