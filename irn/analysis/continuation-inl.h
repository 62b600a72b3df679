// Steps along a branch of equilibria z = F(p, z): see branches.h. Lengths are those of (z / sqrt(n),
// p / scale), so that neither many neurons nor the unit of p decides how long a step is.
#pragma once

#include <optional>

#include "irn/analysis/branches.h"
#include "irn/analysis/dynamics-inl.h"

namespace irn {

class Continuation {
 public:
  // A place on the branch and its tangent, of length 1 as defined above.
  struct Place {
    Vector z;
    double p = 0;
    Vector dz;
    double dp = 0;
    double length = 0;  // of the step that led here
  };

  // Refers to the problem.
  Continuation(const ParameterProblem& problem, double scale, double accuracy)
      : problem_(problem), scale_(scale), accuracy_(accuracy) {}

  // The equilibrium near z at p, heading for larger p (heading 1) or smaller p (-1). None if Newton's method
  // finds none.
  std::optional<Place> begin(double p, const Vector& z, int heading) const;
  // A step of `length` along the tangent and back to the branch. None if that fails, or if the branch bends
  // too much on the way to be sure of it.
  std::optional<Place> step(const Place& from, double length) const;
  // The same, with a length of at most `length` that suits the branch. `length` then becomes the proposal for
  // the next step, at most `longest`. None if the branch is lost.
  std::optional<Place> next(const Place& from, double& length, double longest) const;
  // Locates, to many digits, the place where a condition begins to hold that holds after a step of `length`
  // from `from`.
  template <class Holds>
  Place turning(const Place& from, double length, const Holds& holds) const {
    double low = 0, high = length;
    Place found = *step(from, length);
    for (int k = 0; k < 45 && high - low > 1e-12 * length; ++k) {
      const double middle = (low + high) / 2;
      const std::optional<Place> place = step(from, middle);
      if (!place) break;
      if (holds(*place))
        high = middle, found = *place;
      else
        low = middle;
    }
    return found;
  }

  Matrix jacobian(const Place& place) const;  // dF/dz
  Vector slope(const Place& place) const;     // dF/dp

 private:
  Vector residual(const Vector& z, double p) const;
  bool turn_to_tangent(Place& place, const Vector& dz, double dp) const;
  double dot(const Vector& az, double ap, const Vector& bz, double bp) const {
    return az.dot(bz) / double(az.size()) + ap * bp / (scale_ * scale_);
  }

  const ParameterProblem& problem_;
  double scale_, accuracy_;
};

// The vector w of length 1 with w^T (I - J) = 0, as nearly as there is one.
Vector left_null_vector(const Matrix& jacobian);

}  // namespace irn
