#include "irn/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

void check(const ConstantRate&) {}

void check(const StepRate& s) {
  if (s.every == 0) throw Error("step: every must be at least 1");
  if (!(s.factor > 0 && s.factor <= 1))
    throw Error("step: factor must be in (0, 1], not " + write_value(s.factor));
}

void check(const CosineRate& s) {
  if (s.steps == 0) throw Error("cosine: its steps are open; give as many as the training has");
  if (s.steps <= s.warmup)
    throw Error("cosine: steps=" + write_value(s.steps) +
                " must be more than warmup=" + write_value(s.warmup));
  if (!(s.final >= 0 && s.final <= 1))
    throw Error("cosine: final must be in [0, 1], not " + write_value(s.final));
}

void check(const OneCycleRate& s) {
  const auto is_share = [](double x) { return x >= 0 && x <= 1; };
  if (s.steps == 0) throw Error("one-cycle: its steps are open; give as many as the training has");
  if (!is_share(s.start) || !is_share(s.peak) || !is_share(s.final))
    throw Error("one-cycle: start, peak and final must be in [0, 1]");
}

double factor(const ConstantRate&, std::uint64_t) { return 1; }

// From `from` at t = 0 to `to` at t = 1.
double along_cosine(double from, double to, double t) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * t)) / 2;
}

double factor(const StepRate& s, std::uint64_t step) {
  return std::pow(s.factor, static_cast<double>(step / s.every));
}

double factor(const CosineRate& s, std::uint64_t step) {
  if (step < s.warmup) return static_cast<double>(step + 1) / static_cast<double>(s.warmup);
  const double span = static_cast<double>(s.steps - s.warmup);
  const double t = std::min(1.0, static_cast<double>(step - s.warmup) / span);
  return along_cosine(1, s.final, t);
}

double factor(const OneCycleRate& s, std::uint64_t step) {
  const double all = static_cast<double>(s.steps), top = s.peak * all, at = static_cast<double>(step);
  if (at < top) return along_cosine(s.start, 1, at / top);
  return along_cosine(1, s.final, top < all ? std::min(1.0, (at - top) / (all - top)) : 1.0);
}

}  // namespace

template <>
Schedule from_text<Schedule>(std::string_view text) {
  Schedule schedule = parse_choice<Schedule>(text, "schedule");
  check_schedule(lasting(schedule, std::numeric_limits<std::size_t>::max()));
  return schedule;
}

Schedule lasting(Schedule schedule, std::size_t steps) {
  if (auto* cosine = std::get_if<CosineRate>(&schedule); cosine && cosine->steps == 0) cosine->steps = steps;
  if (auto* cycle = std::get_if<OneCycleRate>(&schedule); cycle && cycle->steps == 0) cycle->steps = steps;
  return schedule;
}

void check_schedule(const Schedule& schedule) {
  std::visit([](const auto& s) { check(s); }, schedule);
}

std::string to_text(const Schedule& schedule) { return to_text<>(schedule); }

double rate_factor(const Schedule& schedule, std::uint64_t step) {
  return std::visit([step](const auto& s) { return factor(s, step); }, schedule);
}

}  // namespace irn
