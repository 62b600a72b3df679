#include "experiments/small_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace irn::experiments {

double number(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> numbers(const Json& array) {
  std::vector<double> values;
  for (const Json& value : array) values.push_back(number(value));
  return values;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  for (double& v : values)
    if (!std::isfinite(v)) v = std::numeric_limits<double>::infinity();
  const double last = static_cast<double>(values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::lround(share * last));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace irn::experiments
