// How small a residual must be to count as rest.
#pragma once

namespace irn {

// The default is 1e-5 in float and 1e-8 in double. The least is the smallest that may be asked for.
template <class T>
double default_tolerance();
template <class T>
double least_tolerance();

// `asked`, or the default if that is 0. Throws irn::Error for 1 or more, for NaN, and for less than the
// precision can reach.
template <class T>
double checked_tolerance(double asked);

// Throws irn::Error unless the floor is above zero: unknowns are measured against max(floor, |z|).
double checked_floor(double asked);

}  // namespace irn
