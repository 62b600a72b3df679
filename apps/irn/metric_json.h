// A metric of a training (irn/model/train_metrics.h) as JSON: counts and marks are integers; a value that is
// not finite is null.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace irn::app {

inline nlohmann::ordered_json metric_json(const std::string& name, double value) {
  if (!std::isfinite(value)) return nullptr;
  const bool whole = name == "epochs" || name == "best_epoch" || name == "complete" || name == "diverged" ||
                     name.ends_with("_rows");
  if (whole) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace irn::app
