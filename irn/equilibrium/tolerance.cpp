#include "irn/equilibrium/tolerance.h"

#include <limits>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {

// 16 units in the last place of a state of order one: the residual that rounding in F leaves.
template <class T>
double least_tolerance() {
  return 16 * double(std::numeric_limits<T>::epsilon());
}
template <class T>
double default_tolerance() {
  return sizeof(T) == 4 ? 1e-5 : 1e-8;
}

template <class T>
double checked_tolerance(double asked) {
  if (asked == 0) return default_tolerance<T>();
  if (!(asked < 1))
    throw Error("tolerance " + write_value(asked) +
                " is no bound: residuals are measured against 1; ask for less");
  if (!(asked >= least_tolerance<T>()))
    throw Error("tolerance " + write_value(asked) + " is below what " +
                (sizeof(T) == 4 ? "float" : "double") + " can reach; ask for at least " +
                write_value(least_tolerance<T>()) + (sizeof(T) == 4 ? " or use double" : ""));
  return asked;
}

double checked_floor(double asked) {
  if (asked > 0 && asked < std::numeric_limits<double>::infinity()) return asked;
  throw Error("floor " + write_value(asked) +
              " is none: residuals and errors are measured against max(floor, |z|); ask for one above zero");
}

template double least_tolerance<float>();
template double least_tolerance<double>();
template double default_tolerance<float>();
template double default_tolerance<double>();
template double checked_tolerance<float>(double);
template double checked_tolerance<double>(double);

}  // namespace irn
