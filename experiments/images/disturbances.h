// Disturbances of held-out images that training never saw: noise, a square that hides a part, a shift. The
// disturbance of row i is a pure function of the seed and i.
#pragma once

#include <string_view>
#include <vector>

#include "irn/data/sample_table.h"

namespace irn::experiments {

struct Disturbance {
  std::string_view name, kind, label;  // for keys; one of the three kinds; for tables
  double strength = 0;
  // Applied to row i: grey values in, grey values out.
  void (*apply)(double strength, std::uint64_t seed, std::uint64_t i, const float* image, float* out);

  SampleTable<float> of(const SampleTable<float>& rows, std::uint64_t seed) const;
};

inline constexpr std::string_view disturbance_kinds[] = {"noise", "occlusion", "shifts"};

// The one list of disturbances: two strengths of each kind.
const std::vector<Disturbance>& disturbances();

}  // namespace irn::experiments
