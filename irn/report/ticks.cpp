#include "irn/report/ticks-inl.h"

#include <algorithm>
#include <cmath>

#include "irn/base/number_text.h"

namespace irn::report {
namespace {

// Labels outside of this range have an exponent: more digits are hard to read at a glance.
constexpr double kPlainLow = 1e-4, kPlainHigh = 2e6;
constexpr int kMostDigits = 9;  // finer steps than that cannot be told apart by a reader

std::string with_minus(std::string text) {
  if (!text.empty() && text[0] == '-') text.replace(0, 1, "−");
  return text;
}

// Decimal exponent of a step, robust against log10(0.001) = -2.9999...
int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

std::string fixed(double value, int decimals) {
  return with_minus(fixed_text(value == 0 ? 0.0 : value, std::clamp(decimals, 0, 2 * kMostDigits)));
}

// 20 000 with a thin space, as in SI; four digits are not separated.
std::string grouped(std::string text) {
  const std::size_t first = text.find_first_of("0123456789");
  const std::size_t digits = std::min(text.find('.'), text.size());
  if (digits - first < 5) return text;
  for (std::size_t at = digits; at > first + 3; at -= 3) text.insert(at - 3, "\u2009");
  return text;
}

// All labels of one axis share the decimals that its step needs, and one exponent.
TickLabel linear_label(double value, double step, double largest) {
  if (largest < kPlainHigh && largest >= kPlainLow) return {grouped(fixed(value, -exponent_of(step))), ""};
  if (value == 0) return {"0", ""};
  const int exponent = exponent_of(largest < 1e3 * step ? step : largest);
  const std::string mantissa = fixed(value / std::pow(10.0, exponent), exponent - exponent_of(step));
  return {mantissa + "×10", with_minus(std::to_string(exponent))};
}

std::vector<double> multiples(Range range, double step) {
  std::vector<double> out;
  const double slack = 1e-9 * step;  // so that 0.3 counts as a multiple of 0.1 inside [0, 0.3]
  for (double k = std::ceil((range.low - slack) / step); k * step <= range.high + slack; ++k) {
    out.push_back(std::clamp(k == 0 ? 0.0 : k * step, range.low, range.high));
  }
  return out;
}

// The finest step with at most most + 1 ticks; their number also depends on where the range begins.
double linear_step(Range range, int most) {
  for (int intervals = 3 * most; intervals > most; --intervals) {
    const double step = nice_step(range.high - range.low, intervals);
    if (multiples(range, step).size() <= static_cast<std::size_t>(most) + 1) return step;
  }
  return nice_step(range.high - range.low, most);
}

Ticks linear_ticks(Range range, int most) {
  const double step = linear_step(range, most);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  Ticks out;
  for (const double at : multiples(range, step)) out.major.push_back({at, linear_label(at, step, largest)});
  return out;
}

TickLabel power_label(int mantissa, int exponent) {
  const std::string text = mantissa == 1 ? "10" : std::to_string(mantissa) + "×10";
  return {text, with_minus(std::to_string(exponent))};
}

TickLabel log_label(int mantissa, int exponent, bool plain) {
  if (!plain) return power_label(mantissa, exponent);
  return {fixed(mantissa * std::pow(10.0, exponent), -exponent), ""};
}

bool inside(double at, Range range) { return at >= range.low * (1 - 1e-9) && at <= range.high * (1 + 1e-9); }

struct Decades {
  int first, last;
};

Decades decades(Range range) {
  return {static_cast<int>(std::floor(std::log10(range.low))),
          static_cast<int>(std::ceil(std::log10(range.high)))};
}

// Ticks at the given mantissas of every stride-th decade.
Ticks decade_ticks(Range range, const std::vector<int>& mantissas, int stride) {
  const Decades span = decades(range);
  const bool plain =
      range.low >= 0.9e-3 && range.high < 2e4 && (mantissas.size() > 1 || range.high < 2e3 * range.low);
  Ticks out;
  for (int exponent = span.first; exponent <= span.last; ++exponent) {
    for (int m = 1; m < 10; ++m) {
      const double at = m * std::pow(10.0, exponent);
      if (!inside(at, range)) continue;
      const bool major = ((exponent % stride) + stride) % stride == 0 && std::ranges::count(mantissas, m) > 0;
      if (major)
        out.major.push_back({at, log_label(m, exponent, plain)});
      else if (stride == 1 || m == 1)
        out.minor.push_back(at);
    }
  }
  return out;
}

Ticks log_ticks(Range range, int most) {
  const double span = std::log10(range.high) - std::log10(range.low);
  if (span < 0.7)
    return linear_ticks(range, most);  // a factor of five: powers and their multiples would be on one side
  using Mantissas = std::vector<int>;
  for (const Mantissas& mantissas :
       {Mantissas{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 5, 6, 8}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}}) {
    const Ticks fine = decade_ticks(range, mantissas, 1);
    if (span < 3 && fine.major.size() <= static_cast<std::size_t>(most)) return fine;
  }
  int stride = std::max(1, static_cast<int>(std::ceil(span / most)));
  Ticks coarse = decade_ticks(range, {1}, stride);
  while (stride > 1 && coarse.major.size() < 3) {  // fewer labels do not show a scale
    Ticks finer = decade_ticks(range, {1}, --stride);
    if (finer.major.size() > static_cast<std::size_t>(most) + 1) break;
    coarse = std::move(finer);
  }
  return coarse;
}

Ticks given_ticks(const Axis& axis, Range range) {
  Ticks out;
  for (const double at : axis.ticks) {
    if (at >= range.low && at <= range.high) out.major.push_back({at, {short_number(at), ""}});
  }
  return out;
}

Ticks category_ticks(const Axis& axis, Range range) {
  Ticks out;
  for (std::size_t i = 0; i < axis.categories.size(); ++i) {
    const auto at = static_cast<double>(i);
    if (at >= range.low && at <= range.high) out.major.push_back({at, {axis.categories[i], ""}});
  }
  return out;
}

}  // namespace

double nice_step(double span, int most) {
  const double least = span / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

Ticks ticks(const Axis& axis, Range range, int most) {
  if (!axis.categories.empty()) return category_ticks(axis, range);
  if (!axis.ticks.empty()) return given_ticks(axis, range);
  return axis.log ? log_ticks(range, most) : linear_ticks(range, most);
}

std::string short_number(double value) {
  if (value == std::round(value) && std::abs(value) < 1e7) return grouped(fixed(value, 0));
  return with_minus(short_text(value, 3));
}

}  // namespace irn::report
