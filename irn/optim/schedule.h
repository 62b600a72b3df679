// How the rate changes over the steps of a training: a factor on the optimiser's rate.
//   constant   1
//   step       factor^floor(step / every)
//   cosine     warm-up: (step + 1) / warmup; then final + (1 - final) (1 + cos(pi t)) / 2 with t from 0 to 1
//              at `steps`
//   one-cycle  up from `start` to 1 during the share `peak` of the steps, then down to `final`, both along a
//              cosine (Smith, Topin: "Super-convergence", 2019)
// A pure function of the step: nothing to save or restore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "irn/base/text_form.h"

namespace irn {

struct ConstantRate {
  static constexpr std::string_view name = "constant";
};

struct StepRate {
  static constexpr std::string_view name = "step";
  std::size_t every = 10000;
  double factor = 0.5;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("every", every);
    visit("factor", factor);
  }
};

struct CosineRate {
  static constexpr std::string_view name = "cosine";
  std::size_t steps = 0;  // 0: as many as the training has; lasting() fills it in
  double final = 0;
  std::size_t warmup = 0;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("steps", steps);
    visit("final", final);
    visit("warmup", warmup);
  }
};

struct OneCycleRate {
  static constexpr std::string_view name = "one-cycle";
  std::size_t steps = 0;  // 0: as in CosineRate
  double start = 0.04;
  double peak = 0.3;
  double final = 0.0001;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("steps", steps);
    visit("start", start);
    visit("peak", peak);
    visit("final", final);
  }
};

// The one list of schedules. The first is the default.
using Schedule = std::variant<ConstantRate, StepRate, CosineRate, OneCycleRate>;

// These throw irn::Error for unknown names and values out of range; check_schedule also throws if the number
// of steps is still open.
template <>
Schedule from_text<Schedule>(std::string_view text);
void check_schedule(const Schedule& schedule);
// The schedule for a training of `steps` steps: an open number of steps is filled in.
Schedule lasting(Schedule schedule, std::size_t steps);
std::string to_text(const Schedule& schedule);

// The factor for step 0, 1, 2, ... of a checked schedule.
double rate_factor(const Schedule& schedule, std::uint64_t step);

}  // namespace irn
